//! Making a lock: one proven version for each entry.
//!
//! A locked version that its entry still admits stays, unless the user asks to move it. What is chosen anew comes from the
//! signed listing, and its signed documents are verified before anything of it is written down. A version that was
//! withdrawn since is refused with its reason, and the replacement that its operator names is shown, not taken.

use retoque_core::id::{PatchName, Version};
use retoque_core::problem::{Code, Finding, Findings, LOCK_DIGEST, LOCK_SELECTION, NO_VERSION, Place, WANTS_INVALID};
use serde::Serialize;

use super::place::WANTS;
use super::{Lock, Locked, Position, Want, Wants, stays};
use crate::error::Failure;
use crate::head::{Asking, Current, Verdict};
use crate::pull::{self, Request, hold, resolve};
use crate::reference::{Reference, Selector};

/// Which locked versions may move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Upgrade {
    /// Only those that their entry no longer admits.
    #[default]
    None,
    /// All of them.
    All,
    /// Those of these patches; a reference that names a version names the one to move to.
    These(Vec<Reference>),
}

/// What became of one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The patch.
    pub patch: PatchName,
    /// What was locked before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Version>,
    /// What is locked now; nothing when the entry is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Version>,
}

/// A new lock.
#[derive(Debug, Clone)]
pub struct Renewed {
    /// The lock.
    pub lock: Lock,
    /// What became of each entry, by name.
    pub steps: Vec<Step>,
    /// What the user must hear.
    pub warnings: Vec<String>,
}

/// What a lock is made from.
#[derive(Debug)]
pub struct Renewal<'a> {
    /// The registry.
    pub asking: &'a Asking<'a>,
    /// The entries.
    pub wants: &'a Wants,
    /// The lock so far.
    pub old: Option<&'a Lock>,
    /// What may move.
    pub upgrade: &'a Upgrade,
}

impl Renewal<'_> {
    /// Makes the lock. All entries that cannot be locked are reported together.
    pub async fn run(&self, current: &mut Current) -> Result<Renewed, Failure> {
        self.check_selection()?;
        let (mut list, mut warnings, mut findings) = (Vec::new(), Vec::new(), Findings::new());
        let mut refused = Vec::new();
        for want in &self.wants.list {
            match self.entry(want, current).await {
                Ok((locked, said)) => {
                    warnings.extend(said);
                    list.push(locked);
                }
                Err(failure) if failure.exit_status() == 7 => return Err(failure),
                Err(failure) => {
                    findings.push(at_line(want, &failure));
                    refused.push(failure);
                }
            }
        }
        match refused.len() {
            0 => {}
            1 => return Err(refused.remove(0)),
            n => return Err(Failure::findings(format!("{n} entries of {WANTS} cannot be locked"), &findings)),
        }
        let lock = Lock { registry: self.asking.connection.origin()?.to_owned(), list };
        let steps = steps(self.old, &lock);
        Ok(Renewed { lock, steps, warnings })
    }

    /// Refuses to move what no entry names, and a move to a version that the entry does not admit.
    fn check_selection(&self) -> Result<(), Failure> {
        let Upgrade::These(references) = self.upgrade else { return Ok(()) };
        for reference in references {
            let next = format!("name a patch of {WANTS}, or change its entry first");
            let Some(want) = self.wants.get(&reference.patch) else {
                let message = format!("{} is no entry of {WANTS}", reference.patch);
                return Err(Failure::new(LOCK_SELECTION, message, next));
            };
            if let Selector::Exact(version) = &reference.selector
                && !want.admits_version(version)
            {
                let message = format!("{reference} is not what line {} of {WANTS} wants", want.line);
                return Err(Failure::new(LOCK_SELECTION, message, next));
            }
        }
        Ok(())
    }

    async fn entry(&self, want: &Want, current: &mut Current) -> Result<(Locked, Vec<String>), Failure> {
        let old = self.old.and_then(|lock| lock.get(&want.patch)).filter(|locked| stays(want, locked));
        let asked = match self.upgrade {
            Upgrade::None => None,
            Upgrade::All => Some(want.reference()),
            Upgrade::These(list) => list.iter().find(|reference| reference.patch == want.patch).map(|reference| {
                if reference.selector == Selector::Newest { want.reference() } else { reference.clone() }
            }),
        };
        match (old, asked) {
            (Some(locked), None) => Self::keep(locked, current),
            (Some(locked), Some(reference)) => {
                let exactly = reference.exact().is_some();
                let (chosen, mut said) = self.choose(want, &reference, current).await?;
                if chosen.version < locked.version && !exactly {
                    said = vec![format!(
                        "{}: the newest published version is {}, before the locked {}, which stays",
                        want.patch, chosen.version, locked.version
                    )];
                    return Self::keep(locked, current).map(|(kept, more)| (kept, [said, more].concat()));
                }
                // The same version is not locked anew: what was known when it was chosen stays written.
                let same = chosen.manifest == locked.manifest;
                Ok((if same { locked.clone() } else { chosen }, said))
            }
            (None, reference) => {
                let reference = reference.unwrap_or_else(|| want.reference());
                self.choose(want, &reference, current).await
            }
        }
    }

    /// What is locked stays, if it is still served.
    fn keep(locked: &Locked, current: &Current) -> Result<(Locked, Vec<String>), Failure> {
        let verdict = Verdict::of(&current.head.status, locked.manifest, locked.commitment);
        let warnings = verdict.judge(&locked.name())?;
        Ok((locked.clone(), warnings))
    }

    /// The version that the reference means, proven.
    async fn choose(
        &self,
        want: &Want,
        reference: &Reference,
        current: &mut Current,
    ) -> Result<(Locked, Vec<String>), Failure> {
        // A range with a digest means the version with that digest, and the range is checked against it.
        let reference = match (&reference.selector, want.digest) {
            (Selector::Range(_) | Selector::Newest, Some(digest)) => {
                &Reference { patch: want.patch.clone(), selector: Selector::Digest(digest) }
            }
            _ => reference,
        };
        let resolved = resolve(self.asking, current, reference, want.allow_degraded).await?;
        let mut warnings = resolved.warnings;
        let version = resolved.version;
        if let Some(wanted) = want.digest.filter(|wanted| *wanted != version.digest) {
            let number = version.number.as_ref().map_or_else(String::new, ToString::to_string);
            let message = format!("{}@{number} has the digest {}, not {wanted}", want.patch, version.digest);
            let next = "a published version never changes: find out where the digest in patches.toml comes from";
            return Err(Failure::new(LOCK_DIGEST, message, next));
        }
        let trust = current.trust.clone();
        let request =
            Request { sources: self.asking.sources, version: &version, trust: self.asking.trust(&trust, None)? };
        let (verified, _) = request.documents().await?;
        warnings.extend(
            hold(self.asking, current, &verified)
                .await?
                .into_iter()
                .filter(|w| !warnings.contains(w))
                .collect::<Vec<_>>(),
        );
        let report = &verified.report;
        if !want.admits(&report.version, report.manifest) {
            let message = format!("{} is version {}, which the entry does not admit", version.digest, report.version);
            return Err(Failure::new(WANTS_INVALID, message, "correct version or digest of the entry"));
        }
        Ok((locked(&version, &verified, current), warnings))
    }
}

/// What is written down of a proven version.
fn locked(version: &pull::Version, verified: &retoque_core::release::VerifiedRelease, current: &Current) -> Locked {
    let report = &verified.report;
    let commitment = verified.commitment;
    let (tree, checkpoint) = (current.head.tree(), &current.head.checkpoint);
    Locked {
        patch: version.patch.clone(),
        version: report.version.clone(),
        manifest: report.manifest,
        base: report.base.clone(),
        evidence: report.evidence,
        licence: report.licence,
        state: Verdict::of(&current.head.status, report.manifest, commitment).state,
        commitment,
        log: Position { origin: checkpoint.origin().to_owned(), size: tree.size, root: tree.root },
    }
}

/// The refusal of one entry, with its line.
fn at_line(want: &Want, failure: &Failure) -> Finding {
    let code = Code::from_name(failure.code()).unwrap_or(NO_VERSION);
    let place = Place::file(WANTS).at_line(want.line);
    Finding::new(code, place, failure.message(), "a version that can be locked", failure.next())
}

/// What changed, by name.
fn steps(old: Option<&Lock>, new: &Lock) -> Vec<Step> {
    let gone = old.iter().flat_map(|lock| &lock.list).filter(|locked| new.get(&locked.patch).is_none());
    let mut steps: Vec<Step> = gone
        .map(|locked| Step { patch: locked.patch.clone(), from: Some(locked.version.clone()), to: None })
        .chain(new.list.iter().map(|locked| Step {
            patch: locked.patch.clone(),
            from: old.and_then(|lock| lock.get(&locked.patch)).map(|locked| locked.version.clone()),
            to: Some(locked.version.clone()),
        }))
        .collect();
    steps.sort_by(|a, b| a.patch.cmp(&b.patch));
    steps
}

impl Step {
    /// The step as a line of text.
    pub fn line(&self) -> String {
        let patch = &self.patch;
        match (&self.from, &self.to) {
            (None, Some(to)) => format!("locked   {patch} {to}"),
            (Some(from), Some(to)) if from == to => format!("kept     {patch} {to}"),
            (Some(from), Some(to)) => format!("moved    {patch} {from} -> {to}"),
            (Some(from), None) => format!("removed  {patch} {from}"),
            (None, None) => format!("removed  {patch}"),
        }
    }
}
