//! Decisions that were signed by another key, for something else, changed afterwards, or sent twice.

use retoque_core::decision::Decision;
use retoque_core::digest::Digest;
use retoque_core::lifecycle::{Action, Reason};
use retoque_core::review::Checklist;
use retoque_core::sign::Envelope;
use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, Town};
use serde_json::Value;

const ALL: Checklist = Checklist {
    rights_verified: true,
    metrics_reproduce: true,
    compatibility_pinned: true,
    regressions_disclosed: true,
    signature_matches: true,
};

#[test]
fn only_the_right_hand_decides_once() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let town = Town::found(engine);
        let reference = format!("{PATCH}@1.0.0");
        town.push(&town.pack(PATCH, "1.0.0", &[])).expect(0);
        town.submit(&reference).expect(0);
        let other = format!("{PATCH}@2.0.0");
        let package = std::fs::read(town.path("acme-ticket-router-1.0.0.tar.zst")).unwrap();
        let file = town.path("other.tar.zst");
        std::fs::write(&file, retoque_tests::packages::as_version(&package, "2.0.0")).unwrap();
        town.push(&file).expect(0);
        town.submit(&other).expect(0);

        let approval = |change: &dyn Fn(&mut Decision)| {
            let (mut decision, manifest) = town.decision(&reference, "rita", Action::Approve);
            decision.checklist = Some(ALL);
            change(&mut decision);
            decision.sign(manifest, &town.key("rita")).unwrap()
        };
        let good = approval(&|_| ());
        let refused = |what: &str, who: &str, at: &str, envelope: &Envelope| {
            let answer = town.decide(at, who, envelope);
            let status = answer.status.as_u16();
            assert!([400, 401, 403, 409, 422].contains(&status), "{what}: {status}");
            assert_eq!(town.get(&Town::at(&reference), "rita").json()["state"], "submitted", "{what}");
            assert_eq!(town.get(&Town::at(&other), "rita").json()["state"], "submitted", "{what}");
        };
        refused("for another version", "rita", &other, &good);
        refused("sent by another reviewer", "rob", &reference, &good);
        refused("sent by the submitter", "ada", &reference, &good);
        refused("sent by the pusher", "worker", &reference, &good);
        refused("changed afterwards", "rita", &reference, &altered(&good));
        for key in ["ada", "rob", "operator"] {
            let (mut decision, manifest) = town.decision(&reference, "rita", Action::Approve);
            decision.checklist = Some(ALL);
            let envelope = decision.sign(manifest, &town.key(key)).unwrap();
            refused(&format!("signed with the key of {key}"), "rita", &reference, &envelope);
        }
        let without = approval(&|d| d.checklist = Some(Checklist { metrics_reproduce: false, ..ALL }));
        refused("an item that is not confirmed", "rita", &reference, &without);
        refused("no checklist", "rita", &reference, &approval(&|d| d.checklist = None));
        refused("another registry", "rita", &reference, &approval(&|d| d.registry = "http://elsewhere".into()));
        refused("another patch", "rita", &reference, &approval(&|d| d.patch = "acme/other".parse().unwrap()));
        refused("another predecessor", "rita", &reference, &approval(&|d| d.previous = Digest::of(b"nothing")));
        refused("the name of another", "rita", &reference, &approval(&|d| d.actor = "rob".parse().unwrap()));
        let (mut late, manifest) = town.decision(&reference, "rita", Action::Approve);
        late.checklist = Some(ALL);
        late.time =
            retoque_core::sign::Time::from_micros(jiff::Timestamp::now().as_microsecond() - 86_400_000_000).unwrap();
        refused("signed yesterday", "rita", &reference, &late.sign(manifest, &town.key("rita")).unwrap());
        let reason = Some(Reason { code: "security".into(), text: "It was found to be so.".into() });
        let stray = approval(&|d| d.reason.clone_from(&reason));
        refused("a field of another action", "rita", &reference, &stray);

        // The good one is taken once, and not again after the version has come back to where it was.
        town.decide(&reference, "rita", &good).expect(201);
        town.decide(&reference, "rita", &good).refused(409);
        let (mut revoke, manifest) = town.decision(&reference, "rita", Action::Revoke);
        revoke.reason = Some(Reason { code: "review-error".into(), text: "It was found to be so.".into() });
        let revoke = revoke.sign(manifest, &town.key("rita")).unwrap();
        town.decide(&reference, "rita", &revoke).expect(201);
        town.submit(&reference).expect(0);
        refused("replayed", "rita", &reference, &good);
        refused("replayed", "rita", &reference, &revoke);
    }
}

/// The same signature over a payload with one field changed.
fn altered(envelope: &Envelope) -> Envelope {
    use base64::Engine as _;
    let engine = base64::engine::general_purpose::STANDARD;
    let mut value: Value = serde_json::from_slice(&envelope.to_bytes()).unwrap();
    let payload = engine.decode(value["payload"].as_str().unwrap()).unwrap();
    let text = String::from_utf8(payload).unwrap().replace("\"metrics_reproduce\":true", "\"metrics_reproduce\":false");
    value["payload"] = engine.encode(text).into();
    Envelope::parse(value.to_string().as_bytes()).unwrap()
}
