//! `key root show`: what a root file says and changes, who signed it, and whether that is enough.

use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::sign::root::{Proposal, Root, Standing};
use retoque_core::sign::{KeyId, Role, Time};
use serde::Serialize;

use super::{proposal, trusted};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Page;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The root file
    file: PathBuf,
    /// The root file before it: to see what changes, and whether its keys have signed
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
}

pub(super) fn run(args: &Args, ctx: &mut Context) -> Result<(), Failure> {
    let proposal = proposal(&args.file)?;
    let previous = args.previous.as_ref().map(|path| trusted(path)).transpose()?;
    if let Some(previous) = &previous {
        proposal.check_succession(previous)?;
    }
    Shown::of(&proposal, previous.as_ref(), ctx.start).report(ctx)
}

/// A root file as it is shown.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    version: u64,
    fingerprint: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Digest>,
    expires: String,
    expired: bool,
    roles: Vec<ShownRole>,
    revoked: Vec<ShownRevoked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    witnesses: Vec<String>,
    /// In words, when the root before is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<String>>,
    signatures: Vec<ShownStanding>,
    /// Whether everything that is known to be needed is there.
    complete: bool,
    /// Whether the registry has it now.
    published: bool,
}

#[derive(Debug, Serialize)]
struct ShownRole {
    role: &'static str,
    threshold: u32,
    keys: Vec<ShownKey>,
}

#[derive(Debug, Serialize)]
struct ShownKey {
    keyid: String,
    public: String,
}

#[derive(Debug, Serialize)]
struct ShownRevoked {
    keyid: String,
    from_index: u64,
}

#[derive(Debug, Serialize)]
struct ShownStanding {
    root: u64,
    threshold: u32,
    signed: Vec<String>,
    missing: Vec<String>,
    enough: bool,
}

impl From<Standing> for ShownStanding {
    fn from(standing: Standing) -> Self {
        let ids = |ids: &[KeyId]| ids.iter().map(KeyId::to_string).collect();
        Self {
            root: standing.version,
            threshold: standing.threshold,
            signed: ids(&standing.signed),
            missing: ids(&standing.missing),
            enough: standing.is_met(),
        }
    }
}

impl Shown {
    pub(super) fn of(proposal: &Proposal, previous: Option<&Root>, now: Time) -> Self {
        let root = proposal.root();
        let standing = proposal.standing(previous);
        // Without the root before it nobody can say that its keys have signed.
        let known = previous.is_some() || root.version() == 1;
        Self {
            file: None,
            version: root.version(),
            fingerprint: root.fingerprint(),
            previous: root.previous(),
            expires: root.expires().to_string(),
            expired: root.check_expiry(now).is_err(),
            roles: Role::ALL.into_iter().map(|role| shown_role(root, role)).collect(),
            revoked: (root.revoked().iter())
                .map(|r| ShownRevoked { keyid: r.keyid.to_string(), from_index: r.from_index })
                .collect(),
            origin: root.names_log().then(|| root.log_origin("")),
            witnesses: root.witnesses().into_iter().map(|witness| witness.name).collect(),
            changes: previous.map(|previous| changes(previous, root)),
            complete: known && standing.iter().all(Standing::is_met),
            signatures: standing.into_iter().map(ShownStanding::from).collect(),
            published: false,
        }
    }

    /// The same, naming the file.
    pub(super) fn at(self, path: &Path) -> Self {
        Self { file: Some(files::shown(path)), ..self }
    }

    /// The same, of a root that the registry has.
    pub(super) fn published(self) -> Self {
        Self { published: true, ..self }
    }

    pub(super) fn report(&self, ctx: &mut Context) -> Result<(), Failure> {
        ctx.report(self, |page| self.text(page))
    }

    fn text(&self, page: &mut Page) {
        page.field("root", format!("version {}, fingerprint {}", self.version, self.fingerprint.hex()));
        page.field("expires", format!("{}{}", self.expires, if self.expired { " (EXPIRED)" } else { "" }));
        if let Some(file) = &self.file {
            page.field("file", file);
        }
        if let Some(origin) = &self.origin {
            page.field("log", origin);
        }
        for witness in &self.witnesses {
            page.field("witness", witness);
        }
        for revoked in &self.revoked {
            page.field("revoked", format!("{} from leaf {} on", revoked.keyid, revoked.from_index));
        }
        page.blank();
        let rows: Vec<_> = self.roles.iter().flat_map(ShownRole::rows).collect();
        page.table(&["role", "needs", "key id"], &rows, "no keys");
        if let Some(changes) = &self.changes {
            page.blank();
            page.heading(format!("changes since version {}", self.version - 1));
            if changes.is_empty() {
                page.line("only the expiry");
            }
            for change in changes {
                page.line(change);
            }
        }
        page.blank();
        for standing in &self.signatures {
            let (have, need) = (standing.signed.len(), standing.threshold);
            let enough = if standing.enough { "enough" } else { "not enough yet" };
            page.field("signatures", format!("{have} of {need} root keys of version {}: {enough}", standing.root));
        }
        page.field("complete", if self.complete { "yes" } else { "no" });
        if self.published {
            page.field("published", "yes");
        }
    }
}

impl ShownRole {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(n, key): (usize, &ShownKey)| {
            let (role, needs) = if n == 0 { (self.role, format!("{}", self.threshold)) } else { ("", String::new()) };
            vec![role.to_owned(), needs, key.keyid.clone()]
        };
        self.keys.iter().enumerate().map(row).collect()
    }
}

fn shown_role(root: &Root, role: Role) -> ShownRole {
    let keys = root.members(role).into_iter();
    ShownRole {
        role: role.name(),
        threshold: root.threshold(role),
        keys: keys.map(|key| ShownKey { keyid: key.id().to_string(), public: key.hex() }).collect(),
    }
}

/// What the newer root says otherwise, one thing a line.
fn changes(old: &Root, new: &Root) -> Vec<String> {
    let mut lines = Vec::new();
    for role in Role::ALL {
        let (before, after) = (old.members(role), new.members(role));
        for key in after.iter().filter(|key| !before.contains(key)) {
            lines.push(format!("{role}: key {} comes (public {})", key.id(), key.hex()));
        }
        for key in before.iter().filter(|key| !after.contains(key)) {
            lines.push(format!("{role}: key {} goes", key.id()));
        }
        let (before, after) = (old.threshold(role), new.threshold(role));
        if before != after {
            lines.push(format!("{role}: {after} must sign, before it was {before}"));
        }
    }
    for revoked in new.revoked().iter().filter(|r| old.revoked_from(r.keyid) != Some(r.from_index)) {
        lines.push(format!("key {} is revoked from leaf {} on", revoked.keyid, revoked.from_index));
    }
    if (old.names_log(), old.log_origin("")) != (new.names_log(), new.log_origin("")) {
        lines.push(format!("the log is called {}", new.log_origin("")));
    }
    lines
}
