//! Two decisions on one version at the same time: one stands, the other is told that it came too late.

use std::fs;

use retoque_core::lifecycle::{Action, Reason};
use retoque_core::review::Checklist;
use retoque_core::sign::Envelope;
use retoque_tests::database::Engine;
use retoque_tests::packages::as_version;
use retoque_tests::registry::answer;
use retoque_tests::town::{PATCH, Town};

retoque_tests::on_both!(racing_decisions_have_one_winner);

const ROUNDS: u32 = 6;

fn racing_decisions_have_one_winner(engine: Engine) {
    let town = Town::found(engine);
    let package = fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap();
    let file = town.path("next.tar.zst");
    for round in 0..ROUNDS {
        let version = format!("1.{round}.0");
        let reference = format!("{PATCH}@{version}");
        fs::write(&file, as_version(&package, &version)).unwrap();
        town.push(&file).expect(0);
        town.submit(&reference).expect(0);
        // One reviewer approves while another returns it.
        let approve = signed(&town, &reference, "rita", Action::Approve);
        let give_back = signed(&town, &reference, "rob", Action::Return);
        let won = race(&town, &reference, [("rita", &approve), ("rob", &give_back)]);
        let state = ["approved", "candidate"][won];
        assert_eq!(town.json("ada", &["status", &reference])["state"], state);
        if won == 1 {
            town.submit(&reference).expect(0);
            town.ok("rita", &["review", "approve", &reference, "--all"]);
        }
        // Two publishers publish it, and then one envelope comes twice.
        let [ada, paul] = ["ada", "paul"].map(|who| signed(&town, &reference, who, Action::Publish));
        race(&town, &reference, [("ada", &ada), ("paul", &paul)]);
        let kinds = town.kinds(&reference, "ada");
        assert_eq!(kinds.iter().filter(|kind| *kind == "published").count(), 1, "{kinds:?}");
        assert_eq!(kinds.iter().filter(|kind| *kind == "licence-granted").count(), 1, "{kinds:?}");
        let withdrawal = signed(&town, &reference, "operator", Action::Withdraw);
        race(&town, &reference, [("operator", &withdrawal), ("operator", &withdrawal)]);
    }
}

fn signed(town: &Town, reference: &str, who: &str, action: Action) -> Envelope {
    let (mut decision, manifest) = town.decision(reference, who, action);
    let because = |code: &str| Some(Reason { code: code.to_owned(), text: "It was found to be so.".to_owned() });
    match action {
        Action::Approve => {
            decision.checklist = Some(Checklist {
                rights_verified: true,
                metrics_reproduce: true,
                compatibility_pinned: true,
                regressions_disclosed: true,
                signature_matches: true,
            });
        }
        Action::Return => decision.reason = because("evidence"),
        Action::Withdraw => decision.reason = because("security"),
        _ => {}
    }
    decision.sign(manifest, &town.key(who)).unwrap()
}

/// Which of the two won. The other has to be a conflict, or refused by the state that the winner made.
fn race(town: &Town, reference: &str, both: [(&str, &Envelope); 2]) -> usize {
    let [one, other] = both.map(|(who, envelope)| answer(town.decision_request(reference, who, envelope.to_bytes())));
    let (one, other) = town.wait(async { tokio::join!(one, other) });
    let won = usize::from(one.status != 201);
    let (winner, loser) = if won == 0 { (one, other) } else { (other, one) };
    winner.expect(201);
    let code = loser.refused(409);
    assert!(["decision_outdated", "wrong_state", "changed_meanwhile"].contains(&code.as_str()), "{code}");
    won
}
