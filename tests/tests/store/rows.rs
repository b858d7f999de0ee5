//! Rows that the tests start from.

use std::sync::Arc;

use jiff::Timestamp;
use retoque_core::api::{Category, LicensingIntent, Visibility};
use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::PatchName;
use retoque_registry::clock::{Chance, CountingEntropy, FixedClock};
use retoque_registry::store::accounts::Account;
use retoque_registry::store::bases::Base;
use retoque_registry::store::decisions::DecisionRow;
use retoque_registry::store::id::{AccountId, BaseId, DecisionId, OrgId, PatchId, VersionId};
use retoque_registry::store::orgs::Org;
use retoque_registry::store::patches::Patch;
use retoque_registry::store::versions::NewVersion;
use retoque_registry::store::{Error, Store};

/// The time at which everything happens.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// Ids that differ from each other and are the same in each run.
pub(crate) fn chance() -> Chance {
    Chance::new(Arc::new(FixedClock::at(now())), Arc::new(CountingEntropy::default()))
}

pub(crate) fn account(chance: &Chance, name: &str) -> Account {
    Account {
        id: AccountId::mint(chance).unwrap(),
        name: name.parse().unwrap(),
        display: name.to_uppercase(),
        disclosure: None,
        created_at: now(),
        disabled_at: None,
    }
}

pub(crate) fn org(chance: &Chance, name: &str, by: &Account) -> Org {
    Org {
        id: OrgId::mint(chance).unwrap(),
        name: name.parse().unwrap(),
        display: name.to_owned(),
        verified_at: None,
        created_at: now(),
        created_by: by.id,
    }
}

pub(crate) fn base(chance: &Chance, pin: &str, by: &Account) -> Base {
    Base {
        id: BaseId::mint(chance).unwrap(),
        pin: pin.parse().unwrap(),
        licence: "apache-2.0".to_owned(),
        record_sha256: Digest::of(pin.as_bytes()),
        files: 3,
        created_at: now(),
        created_by: by.id,
    }
}

pub(crate) fn patch(chance: &Chance, name: &str, org: &Org, base: &Base, by: &Account) -> Patch {
    let name: PatchName = name.parse().unwrap();
    assert_eq!(name.org, org.name);
    Patch {
        id: PatchId::mint(chance).unwrap(),
        org_id: org.id,
        name,
        title: "Order lines".to_owned(),
        problem: "Loses the unit of an order line when the number comes first.".to_owned(),
        success_criterion: "Every line keeps its unit.".to_owned(),
        category: Category::StructuredOutput,
        base_id: base.id,
        base: base.pin.clone(),
        visibility: Visibility::Public,
        licensing: LicensingIntent::Free,
        created_at: now(),
        created_by: by.id,
        released: false,
    }
}

/// A version as it is pushed; `content` decides every digest.
pub(crate) fn version(chance: &Chance, patch: &Patch, name: &str, content: &str, by: &Account) -> NewVersion {
    NewVersion {
        id: VersionId::mint(chance).unwrap(),
        patch_id: patch.id,
        version: name.parse().unwrap(),
        manifest_digest: Digest::of(content.as_bytes()),
        manifest: content.as_bytes().to_vec(),
        package_sha256: Digest::of(format!("package of {content}").as_bytes()),
        package_size: 1000,
        seek_table: vec![1, 2, 3],
        adapter_sha256: Digest::of(format!("adapter of {content}").as_bytes()),
        cases_sha256: Digest::of(format!("cases of {content}").as_bytes()),
        acknowledgement: None,
        attestation: b"attestation".to_vec(),
        pusher_id: by.id,
        created_at: now(),
        evidence_state: EvidenceState::ImprovedOnScope,
        head: Digest::of(b"statement"),
    }
}

/// The n-th decision of a version; its leaf must have been appended.
pub(crate) fn decision(chance: &Chance, version: &NewVersion, n: u64, log_index: u64, by: &Account) -> DecisionRow {
    DecisionRow {
        id: DecisionId::mint(chance).unwrap(),
        version_id: version.id,
        n,
        kind: RecordKind::Attested,
        actor_id: by.id,
        actor: by.name.clone(),
        envelope: b"envelope".to_vec(),
        record: b"record".to_vec(),
        record_sha256: Digest::of(b"record"),
        salt: None,
        created_at: now(),
        log_index,
    }
}

/// An account, its org and a base: what most rows hang from.
pub(crate) struct World {
    pub(crate) chance: Chance,
    pub(crate) account: Account,
    pub(crate) org: Org,
    pub(crate) base: Base,
}

impl World {
    pub(crate) async fn made(store: &Store) -> Self {
        let chance = chance();
        let account = account(&chance, "ada");
        let org = org(&chance, "acme", &account);
        let base = base(&chance, &format!("Qwen/Qwen2.5-0.5B-Instruct@{}", "7".repeat(40)), &account);
        let world = Self { chance, account, org, base };
        let it = &world;
        store
            .write(|mut tx| async move {
                tx.insert_account(&it.account).await?;
                tx.insert_org(&it.org).await?;
                tx.insert_base(&it.base, b"{}").await?;
                Ok::<_, Error>(tx.done(()))
            })
            .await
            .unwrap();
        world
    }
}
