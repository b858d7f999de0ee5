//! What is trusted of a registry, as the commands print it.

use retoque_core::digest::Digest;
use retoque_core::sign::{Role, Root};
use serde::Serialize;

use crate::client::Connection;
use crate::config::RegistryUrl;
use crate::context::Context;
use crate::error::Failure;
use crate::head::Authority;
use crate::output::Page;
use crate::trust_store::Trust;

/// How long before its end a root is warned about.
const WARN_DAYS: i64 = 30;

#[derive(Serialize)]
struct Shown {
    registry: RegistryUrl,
    origin: String,
    pinned_version: u64,
    pinned_fingerprint: Digest,
    trusted_on_first_use: bool,
    root_version: u64,
    root_fingerprint: Digest,
    root_expires: String,
    root_expired: bool,
    new_roots: u64,
    /// Every known root, oldest first.
    chain: Vec<ShownRoot>,
    roles: Vec<ShownRole>,
    revoked: Vec<ShownRevoked>,
    /// The names of the log, the current one first.
    log_origins: Vec<String>,
    witnesses: Vec<ShownWitness>,
    /// Where the witnesses come from: `root` or `policy`.
    witnesses_from: &'static str,
    /// How many of them must cosign.
    quorum: usize,
    split_view_protection: bool,
}

#[derive(Serialize)]
struct ShownRoot {
    version: u64,
    fingerprint: Digest,
    expires: String,
}

#[derive(Serialize)]
struct ShownRole {
    role: &'static str,
    threshold: u32,
    keys: Vec<String>,
}

#[derive(Serialize)]
struct ShownRevoked {
    keyid: String,
    from_index: u64,
}

#[derive(Serialize)]
struct ShownWitness {
    name: String,
    keyid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// Prints it, and warns of a root that ends soon.
pub(super) fn report(ctx: &mut Context, connection: &Connection, trust: &Trust, added: u64) -> Result<(), Failure> {
    let (root, origin) = (trust.root(), connection.origin()?);
    if root.check_expiry(ctx.start).is_ok() && root.check_expiry(ctx.start.plus_seconds(WARN_DAYS * 86_400)).is_err() {
        ctx.warn(format!("the root expires at {}; the operator has to publish the next one before", root.expires()));
    }
    let policy = Authority::new(trust, origin).policy()?;
    let witness = |w: &retoque_core::log::policy::Witness| ShownWitness {
        name: w.name.clone(),
        keyid: w.key.key().id().to_string(),
        url: w.url.clone(),
    };
    let shown = Shown {
        registry: connection.url.clone(),
        origin: origin.to_owned(),
        pinned_version: trust.pin.version,
        pinned_fingerprint: trust.pin.fingerprint,
        trusted_on_first_use: trust.pin.first_use,
        root_version: root.version(),
        root_fingerprint: root.fingerprint(),
        root_expires: root.expires().to_string(),
        root_expired: root.check_expiry(ctx.start).is_err(),
        new_roots: added,
        chain: trust.chain.roots().map(shown_root).collect(),
        roles: Role::ALL.into_iter().map(|role| shown_role(root, role)).collect(),
        revoked: (root.revoked().iter())
            .map(|r| ShownRevoked { keyid: r.keyid.to_string(), from_index: r.from_index })
            .collect(),
        log_origins: root.log_origins(origin),
        witnesses: policy.witnesses().iter().map(witness).collect(),
        witnesses_from: if trust.policy.is_some() { "policy" } else { "root" },
        quorum: policy.fewest(),
        split_view_protection: policy.protects_split_view(),
    };
    ctx.report(&shown, |page| shown.text(page))
}

fn shown_root(root: &Root) -> ShownRoot {
    ShownRoot { version: root.version(), fingerprint: root.fingerprint(), expires: root.expires().to_string() }
}

fn shown_role(root: &Root, role: Role) -> ShownRole {
    let keys = root.keys(role);
    ShownRole {
        role: role.name(),
        threshold: keys.threshold(),
        keys: keys.keys().iter().map(|key| key.id().to_string()).collect(),
    }
}

impl Shown {
    fn text(&self, page: &mut Page) {
        page.field("registry", &self.registry);
        page.field("origin", &self.origin);
        let how = if self.trusted_on_first_use { ", taken on first use" } else { "" };
        page.field("pinned", format!("root {} {}{how}", self.pinned_version, self.pinned_fingerprint.hex()));
        page.field("newest", format!("root {} {}", self.root_version, self.root_fingerprint.hex()));
        let expired = if self.root_expired { " (EXPIRED)" } else { "" };
        page.field("expires", format!("{}{expired}", self.root_expires));
        if let Some(first) = self.chain.first() {
            page.field("known roots", format!("{} to {}", first.version, self.root_version));
        }
        page.field("log", self.log_origins.join(", before: "));
        page.field("split view", self.split_view());
        if self.new_roots > 0 {
            page.field("new roots", self.new_roots);
        }
        page.blank();
        let rows: Vec<_> = self.roles.iter().flat_map(rows).collect();
        page.table(&["role", "needs", "key"], &rows, "no roles");
        if !self.witnesses.is_empty() {
            page.blank();
            let row = |w: &ShownWitness| vec![w.name.clone(), w.keyid.clone(), w.url.clone().unwrap_or_default()];
            page.table(&["witness", "key", "address"], &self.witnesses.iter().map(row).collect::<Vec<_>>(), "");
        }
        if !self.revoked.is_empty() {
            page.blank();
            let row = |r: &ShownRevoked| vec![r.keyid.clone(), format!("leaf {}", r.from_index)];
            page.table(&["revoked key", "from"], &self.revoked.iter().map(row).collect::<Vec<_>>(), "");
        }
    }

    fn split_view(&self) -> String {
        let (quorum, all, by) = (self.quorum, self.witnesses.len(), self.witnesses_from);
        match (all, self.split_view_protection) {
            (0, _) => "no split-view protection (no witnesses)".to_owned(),
            (_, true) => format!("{quorum} of {all} witnesses of the {by} must cosign"),
            (_, false) => format!("no split-view protection: {quorum} of {all} witnesses of the {by} are too few"),
        }
    }
}

fn rows(role: &ShownRole) -> Vec<Vec<String>> {
    let needs = format!("{} of {}", role.threshold, role.keys.len());
    if role.keys.is_empty() {
        return vec![vec![role.role.to_owned(), String::new(), "nobody".to_owned()]];
    }
    role.keys.iter().map(|key| vec![role.role.to_owned(), needs.clone(), key.clone()]).collect()
}
