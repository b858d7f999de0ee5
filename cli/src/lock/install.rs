//! Bringing exactly the locked versions to this machine.
//!
//! First everything is looked at: what is there and proven, what is missing, what is in the way. Then everything that is
//! signed about what is missing is fetched and held against the log and the lock. Then the files come, into folders
//! beside their targets. Only when all of them are complete and proven does each get its name: a refusal or a broken
//! line on the way leaves every target as it was, and the next run goes on from what has come.

use std::path::{Path, PathBuf};

use retoque_core::problem::{FOLDER_OCCUPIED, Finding, Findings, LOCK_FACTS, Place, WANTS_INVALID};
use retoque_core::release::{Asked, Trust, VerifiedRelease};
use serde::Serialize;

use super::place::{LOCK, WANTS};
use super::{Lock, Locked, Project, Wants};
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Current, Verdict};
use crate::output::Progress;
use crate::pull::{self, Existing, Request, existing, hold};
use crate::verify;

/// One locked version and its folder.
#[derive(Debug)]
pub struct Site<'a> {
    /// What is locked.
    pub locked: &'a Locked,
    /// Where it goes.
    pub target: PathBuf,
    /// What is there.
    pub there: There,
}

/// What is at a target.
#[derive(Debug)]
pub enum There {
    /// The version, proven.
    Proven(Box<VerifiedRelease>),
    /// The version, but damaged.
    Damaged(Findings),
    /// Another version of the same patch, whole and proven: it may be replaced.
    Other,
    /// Nothing.
    Nothing,
}

/// What was done about one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// It was there; every byte was checked.
    AlreadyThere,
    /// Installed where nothing was.
    Installed,
    /// Damaged parts were fetched again.
    Repaired,
    /// Put in the place of another version.
    Replaced,
}

impl Lock {
    /// The folders of all locked versions. Two that are one, or one within the other, are refused.
    pub fn sites<'a>(&'a self, project: &Project, wants: &Wants) -> Result<Vec<(&'a Locked, PathBuf)>, Failure> {
        let target = |locked: &Locked| project.target(wants.get(&locked.patch), locked);
        let sites: Vec<_> = self.list.iter().map(|locked| (locked, target(locked))).collect();
        for (n, (a, at)) in sites.iter().enumerate() {
            if let Some((b, _)) = sites[..n].iter().find(|(_, other)| at.starts_with(other) || other.starts_with(at)) {
                let message = format!("{} and {} would share the folder {}", a.patch, b.patch, files::shown(at));
                return Err(Failure::new(WANTS_INVALID, message, format!("give one of them another `dir` in {WANTS}")));
            }
        }
        Ok(sites)
    }
}

impl<'a> Site<'a> {
    /// Looks at the target, without network.
    pub fn look(locked: &'a Locked, target: PathBuf, trust: &Trust<'_>, bar: &Progress) -> Result<Self, Failure> {
        let there = match existing(&target, trust, asked(locked), bar) {
            Ok(Existing::Proven(verified)) => There::Proven(verified),
            Ok(Existing::Damaged(findings)) => There::Damaged(findings),
            Ok(Existing::Nothing) => There::Nothing,
            Err(failure) if failure.is(FOLDER_OCCUPIED) && is_other_version(locked, &target, trust) => There::Other,
            Err(failure) => return Err(failure),
        };
        Ok(Self { locked, target, there })
    }

    /// What is proven about it, if it is there.
    pub fn proven(&self) -> Option<&VerifiedRelease> {
        match &self.there {
            There::Proven(verified) => Some(verified),
            _ => None,
        }
    }

    /// What will have been done about it.
    pub const fn done(&self) -> Done {
        match self.there {
            There::Proven(_) => Done::AlreadyThere,
            There::Damaged(_) => Done::Repaired,
            There::Other => Done::Replaced,
            There::Nothing => Done::Installed,
        }
    }
}

/// Where another version of the same patch stands whole, nothing is lost that cannot be pulled again.
fn is_other_version(locked: &Locked, target: &Path, trust: &Trust<'_>) -> bool {
    let patch = Asked { patch: Some(&locked.patch), ..Asked::default() };
    // A link is somebody's own arrangement, whatever it leads to.
    std::fs::symlink_metadata(target).is_ok_and(|there| there.is_dir())
        && verify::verify(target, &Trust { allow_expired: true, ..*trust }, patch, &|_| ()).is_ok()
}

const fn asked(locked: &Locked) -> Asked<'_> {
    Asked { patch: Some(&locked.patch), version: Some(&locked.version), manifest: Some(locked.manifest) }
}

/// Refuses a lock that says something else of the version than what is signed about it.
pub fn check_facts(locked: &Locked, verified: &VerifiedRelease) -> Result<(), Failure> {
    let (report, mut findings) = (&verified.report, Findings::new());
    let mut compare = |field: &str, said: String, signed: String| {
        if said != signed {
            let next = format!("take back what was edited in {LOCK}, or make it anew with `retoque lock`");
            let place = Place::file(LOCK).at_field(format!("{}.{field}", locked.patch));
            findings.push(Finding::new(LOCK_FACTS, place, said, format!("what is signed: {signed}"), next));
        }
    };
    compare("base", locked.base.to_string(), report.base.to_string());
    compare("evidence", locked.evidence.to_string(), report.evidence.to_string());
    compare("licence", locked.licence.to_string(), report.licence.to_string());
    if findings.refused() {
        let message = format!("{LOCK} says of {} what is not signed", locked.name());
        return Err(Failure::findings(message, &findings));
    }
    Ok(())
}

/// A version of which everything signed is here and holds.
pub struct Prepared<'a> {
    /// The version and its folder.
    pub site: &'a Site<'a>,
    version: pull::Version,
    verified: VerifiedRelease,
    manifest: Vec<u8>,
}

impl<'a> Prepared<'a> {
    /// Fetches and proves what is signed. Answers with the warnings.
    pub async fn fetch(
        site: &'a Site<'a>,
        asking: &Asking<'_>,
        current: &mut Current,
    ) -> Result<(Self, Vec<String>), Failure> {
        let locked = site.locked;
        let number = Some(locked.version.clone());
        let version = pull::Version { patch: locked.patch.clone(), number, digest: locked.manifest };
        // Said before anything is asked for that a registry no longer gives.
        Verdict::of(&current.head.status, locked.manifest, locked.commitment).judge(&locked.name())?;
        let roots = current.trust.clone();
        let request = Request { sources: asking.sources, version: &version, trust: asking.trust(&roots, None)? };
        let (verified, manifest) = request.documents().await.map_err(|f| f.during(locked.name()))?;
        check_facts(locked, &verified)?;
        let warnings = hold(asking, current, &verified).await?;
        Ok((Self { site, version, verified, manifest }, warnings))
    }

    /// How many bytes its files have.
    pub fn size(&self) -> u64 {
        self.verified.manifest.files.iter().map(|file| file.size).sum()
    }

    /// Fetches its files beside the target.
    pub async fn stage(self, asking: &Asking<'_>, current: &Current, bar: &Progress) -> Result<pull::Staged, Failure> {
        let request =
            Request { sources: asking.sources, version: &self.version, trust: asking.trust(&current.trust, None)? };
        let replace = matches!(self.site.there, There::Damaged(_) | There::Other);
        let staged = request.stage(&self.site.target, self.verified, &self.manifest, replace, bar).await;
        staged.map_err(|f| f.during(self.site.locked.name()))
    }
}

/// Whether the version that is there is still served, by its own commitment; with the warnings.
pub fn judge(verified: &VerifiedRelease, current: &Current) -> Result<Vec<String>, Failure> {
    let name = format!("{}@{}", verified.report.patch, verified.report.version);
    Verdict::of(&current.head.status, verified.report.manifest, verified.commitment).judge(&name)
}
