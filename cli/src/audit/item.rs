//! One version: its folder, and what the log, the listing and the status say of it now.

use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use retoque_core::licence::LicenceState;
use retoque_core::problem::{FILE_MISSING, LICENCE_NOT_GRANTED, LOCK_DIGEST};
use retoque_core::release::{Asked, Trust, VerifiedRelease};
use serde::Serialize;

use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Current, Verdict};
use crate::lock::{Locked, check_facts};
use crate::pull::{hold, listing};
use crate::verify;

/// What is to be looked at: a folder, a locked version, or both.
#[derive(Debug, Clone)]
pub struct Item {
    /// The folder.
    pub path: PathBuf,
    /// What is locked for it. Its folder need not be here.
    pub locked: Option<Locked>,
}

/// A version of which everything that is here was found right.
#[derive(Debug)]
pub struct There {
    item: Item,
    verified: Option<Box<VerifiedRelease>>,
}

/// A version that passed.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// The patch.
    pub patch: PatchName,
    /// Its version.
    pub version: Version,
    /// Its manifest digest.
    pub manifest: Digest,
    /// The folder whose bytes were all checked; absent when the version is locked but not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the signed status says of it.
    pub state: Verdict,
    /// Its licence now, by the signed listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<LicenceState>,
}

impl Item {
    /// How it is called in messages.
    pub fn name(&self) -> String {
        match &self.locked {
            Some(locked) => locked.name(),
            None => files::shown(&self.path),
        }
    }

    /// Verifies the folder, without network.
    pub fn look(&self, trust: &Trust<'_>) -> Result<There, Failure> {
        if !self.path.is_dir() {
            if self.locked.is_some() && !self.path.exists() {
                return Ok(There { item: self.clone(), verified: None });
            }
            let next = "name a pulled folder";
            return Err(Failure::new(FILE_MISSING, format!("{}: no such folder", files::shown(&self.path)), next));
        }
        let asked = self.locked.as_ref().map_or_else(Asked::default, |locked| Asked {
            patch: Some(&locked.patch),
            version: Some(&locked.version),
            manifest: Some(locked.manifest),
        });
        let refused = |f| Failure::findings(format!("{} does not verify", files::shown(&self.path)), &f);
        let verified = verify::verify(&self.path, trust, asked, &|_| ()).map_err(refused)?;
        if let Some(locked) = &self.locked {
            check_facts(locked, &verified)?;
        }
        Ok(There { item: self.clone(), verified: Some(Box::new(verified)) })
    }
}

impl There {
    /// How it is called in messages.
    pub fn name(&self) -> String {
        self.item.name()
    }

    /// Holds it against the log, the listing and the status of now. Answers with warnings.
    pub async fn judge(self, asking: &Asking<'_>, current: &mut Current) -> Result<(Audited, Vec<String>), Failure> {
        let (patch, version, manifest, private) = match (&self.verified, &self.item.locked) {
            (Some(verified), _) => {
                let report = &verified.report;
                (report.patch.clone(), report.version.clone(), report.manifest, verified.commitment)
            }
            (None, Some(locked)) => (locked.patch.clone(), locked.version.clone(), locked.manifest, locked.commitment),
            (None, None) => return Err(Failure::new(FILE_MISSING, "nothing to audit", "name a pulled folder")),
        };
        let name = format!("{patch}@{version}");
        let mut warnings = match &self.verified {
            Some(verified) => hold(asking, current, verified).await?,
            None => Verdict::of(&current.head.status, manifest, private).judge(&name)?,
        };
        if self.verified.is_none() {
            warnings.push(format!("{name} is locked but not here; `retoque sync` brings it"));
        }
        // A private patch that the caller may no longer see has no listing for it; the status above speaks all the same.
        let listing = listing(asking, current, &patch).await?;
        let listed = listing.as_ref().and_then(|l| l.versions().iter().find(|listed| listed.version == version));
        let licence = listed.map(|listed| listed.licence);
        if let Some(other) = listed.filter(|listed| listed.manifest != manifest) {
            let message = format!("{name} is here with {manifest}, but the registry lists {}", other.manifest);
            let next = "do not use it: a published version never changes; ask the operator of the registry";
            return Err(Failure::new(LOCK_DIGEST, message, next));
        }
        if licence == Some(LicenceState::Ended) {
            let next = "the licence of earlier pulls stays as it was granted; for new uses take another version";
            return Err(Failure::new(LICENCE_NOT_GRANTED, format!("the licence of {name} has ended"), next));
        }
        match (licence, &self.item.locked) {
            (Some(now), Some(locked)) if now != locked.licence => {
                warnings.push(format!("the licence of {name} is {now}; it was {} when it was locked", locked.licence));
            }
            (None, _) => warnings.push(format!("{name} is in no listing that you can see")),
            _ => {}
        }
        let state = Verdict::of(&current.head.status, manifest, private);
        let place = self.verified.is_some().then(|| files::shown(&self.item.path));
        Ok((Audited { patch, version, manifest, path: place, state, licence }, warnings))
    }
}
