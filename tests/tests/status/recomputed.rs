//! A stranger replays the log and the decisions it digests, and holds what is served against the result.

use std::collections::BTreeMap;

use reqwest::Client;
use retoque_core::api::{LogHead, LogProofs};
use retoque_core::digest::Digest;
use retoque_core::lifecycle::State;
use retoque_core::problem::{DECISION_REPLACED, STATUS_LIE};
use retoque_core::sign::{Chain, Envelope, Role, Root, Time};
use retoque_core::status::{Known, Listing, Lists, Replay, Status};
use retoque_tests::database::Engine;
use retoque_tests::town::{PATCH, PRIVATE, Town};

use crate::reader::{Log, Served};

retoque_tests::on_both!(a_stranger_recomputes_what_is_served);

/// What one who may read a version knows of its leaves: documents by digest, openings by log index.
#[derive(Default)]
struct Documents {
    envelopes: BTreeMap<Digest, Envelope>,
    openings: BTreeMap<u64, ([u8; 32], Vec<u8>)>,
}

impl Documents {
    fn add(&mut self, town: &Town, reference: &str, who: &str) {
        let list = town.get(&format!("{}/decisions", Town::at(reference)), who).expect(200).json();
        for decision in list.as_array().unwrap_or_else(|| list["items"].as_array().unwrap()) {
            let envelope = Envelope::parse(decision["envelope"].as_str().unwrap().as_bytes()).unwrap();
            self.envelopes.insert(envelope.digest(), envelope);
        }
        let proofs = town.get(&format!("{}/proofs", Town::at(reference)), who).expect(200);
        let proofs: LogProofs = serde_json::from_slice(&proofs.body).unwrap();
        for proof in proofs.proofs {
            if let Some(salt) = &proof.salt {
                let salt = *Digest::from_hex(salt).unwrap().as_bytes();
                self.openings.insert(proof.index, (salt, proof.record.to_bytes().unwrap()));
            }
        }
    }

    fn replay(&self, leaves: &[Vec<u8>]) -> Result<Replay, retoque_core::problem::Finding> {
        let mut replay = Replay::default();
        for (leaf, index) in leaves.iter().zip(0..) {
            let opening = self.openings.get(&index);
            let record = opening.map_or(leaf.as_slice(), |(_, record)| record);
            let json: serde_json::Value = serde_json::from_slice(record).unwrap();
            let digest = json["envelope"].as_str().and_then(|text| text.parse().ok());
            let envelope = digest.and_then(|digest: Digest| self.envelopes.get(&digest));
            let opening = opening.map(|(salt, record)| (salt, record.as_slice()));
            replay.apply(leaf, Known { opening, envelope })?;
        }
        Ok(replay)
    }
}

struct Stranger<'t> {
    town: &'t Town,
    chain: Chain,
    origin: String,
}

impl Stranger<'_> {
    /// The status beside the served log, both verified and of one head.
    fn look(&self) -> (Status, Vec<Vec<u8>>) {
        let head = self.town.get("/api/v1/head", "").expect(200);
        let head: LogHead = serde_json::from_slice(&head.body).unwrap();
        let status = Status::verify(&head.status, |size| self.chain.keys_at(Role::PlatformStatus, size)).unwrap();
        let log = Log { origin: self.origin.clone(), keys: self.chain.keys_at(Role::PlatformLog, u64::MAX) };
        let checkpoint = log.verify(head.checkpoint.as_bytes());
        status.as_of().check_log(&self.origin, checkpoint.head()).unwrap();
        status.as_of().check_time(Time::from_micros(jiff::Timestamp::now().as_microsecond()).unwrap()).unwrap();
        let served = self.town.wait(Served::fetch(&Client::new(), &self.town.url, &log));
        assert_eq!(served.checkpoint.head(), checkpoint.head(), "nothing happened in between");
        (status.into_inner(), served.leaves)
    }

    fn listing(&self, patch: &str, who: &str) -> Listing {
        let body = self.town.get(&format!("/api/v1/patches/{patch}/listing"), who).expect(200).body;
        let keys = |size| self.chain.keys_at(Role::PlatformStatus, size);
        Listing::verify(&Envelope::parse(&body).unwrap(), keys).unwrap().into_inner()
    }
}

fn a_stranger_recomputes_what_is_served(engine: Engine) {
    let town = Town::found(engine);
    let mut chain = Chain::pinned(Root::trust(&std::fs::read(town.dir().join("root.json")).unwrap(), None).unwrap());
    while let Some(next) = Some(town.get(&format!("/trust/{}.root.json", chain.newest().version() + 1), ""))
        .filter(|answer| answer.status == 200)
    {
        chain.extend(&Envelope::parse(&next.body).unwrap()).unwrap();
    }
    let origin = chain.newest().log_origin(&town.url);
    let stranger = Stranger { town: &town, chain, origin };
    let (open, hidden) = (format!("{PATCH}@1.0.0"), format!("{PRIVATE}@1.0.0"));
    for (patch, reference) in [(PATCH, &open), (PRIVATE, &hidden)] {
        town.publish(&town.pack(patch, "1.0.0", &[]), reference);
    }
    let acts: [(&str, &str, State); 5] = [
        ("deprecate", "regression-found", State::Deprecated),
        ("restore", "issue-resolved", State::Published),
        ("deprecate", "superseded", State::Deprecated),
        ("withdraw", "security", State::Withdrawn),
        ("takedown", "legal-order", State::TakenDown),
    ];
    let mut before: Option<Status> = None;
    for (act, reason, state) in acts {
        for reference in [&open, &hidden] {
            town.operate(act, reference, reason).expect(0);
        }
        let (status, leaves) = stranger.look();
        let (mut public, mut all) = (Documents::default(), Documents::default());
        public.add(&town, &open, "");
        all.add(&town, &open, "");
        all.add(&town, &hidden, "operator");
        let (anybody, insider) = (public.replay(&leaves).unwrap(), all.replay(&leaves).unwrap());
        anybody.check_status(&status).unwrap();
        insider.check_status(&status).unwrap();
        assert!(insider.is_complete() && !anybody.is_complete());
        let off = usize::from(state != State::Published);
        assert_eq!((status.versions().len(), status.private().len()), (off, off), "{act}");
        assert!(status.versions().iter().all(|v| v.state == state && v.code == reason), "{status:?}");
        assert!(status.private().iter().all(|p| p.state == state), "{status:?}");
        for (patch, who) in [(PATCH, ""), (PRIVATE, "operator")] {
            let listing = stranger.listing(patch, who);
            insider.check_listing(&listing).unwrap();
            listing.check_against(&status).unwrap();
        }
        assert_eq!(town.get(&format!("/api/v1/patches/{PRIVATE}/listing"), "").status, 404);
        if let Some(before) = before.replace(status.clone()) {
            status.check_follows(&before).unwrap();
        }
        // The same head answers the same status, byte for byte, also after a restart.
        let again = town.get("/api/v1/head", "").expect(200).body;
        let again: LogHead = serde_json::from_slice(&again).unwrap();
        let same = Status::verify(&again.status, |size| stranger.chain.keys_at(Role::PlatformStatus, size)).unwrap();
        assert_eq!(*same, status);
        if off == 1 {
            lies_are_caught(&status, &insider, &public, &leaves);
        }
    }
}

/// A status that leaves a version out, and a decision whose text was exchanged.
fn lies_are_caught(status: &Status, insider: &Replay, public: &Documents, leaves: &[Vec<u8>]) {
    let silent = Status::new(status.as_of(), Lists::default()).unwrap();
    assert!(insider.check_status(&silent).unwrap_err().has(STATUS_LIE));
    let mut lists = Lists { versions: status.versions().to_vec(), private: status.private().to_vec() };
    lists.versions[0].text = "A friendlier text than was signed.".into();
    let softened = Status::new(status.as_of(), lists).unwrap();
    assert!(insider.check_status(&softened).unwrap_err().has(STATUS_LIE));
    let mut exchanged = Documents { envelopes: BTreeMap::new(), openings: BTreeMap::new() };
    for (digest, envelope) in &public.envelopes {
        let payload = String::from_utf8(envelope.payload_unverified().to_vec()).unwrap();
        let payload = payload.replace("\"text\":\"", "\"text\":\"Not so bad. ");
        let envelope = Envelope::sign(envelope.payload_type(), payload.into_bytes(), &[]).unwrap();
        exchanged.envelopes.insert(*digest, envelope);
    }
    assert_eq!(exchanged.replay(leaves).unwrap_err().code, DECISION_REPLACED);
}
