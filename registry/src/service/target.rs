//! Finding a version and being allowed to see it: the first step of everything that is done to one.

use std::str::FromStr;

use retoque_core::api::Visibility as Declared;
use retoque_core::digest::Digest;
use retoque_core::id::{IdError, PatchName, Version};
use retoque_core::permission::{Act, Visibility};

use super::policy::{Subject, authorize};
use super::{Actor, Error};
use crate::store::Tx;
use crate::store::patches::Patch;
use crate::store::versions::VersionRow;

/// How a route names a version: by name, or by manifest digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionRef {
    /// `1.2.0`.
    Name(Version),
    /// `sha256:…`.
    Digest(Digest),
}

/// The text is neither a version nor a digest.
#[derive(Debug, thiserror::Error)]
#[error("{0}, or the manifest digest `sha256:…`")]
pub struct NotAVersionRef(IdError);

impl FromStr for VersionRef {
    type Err = NotAVersionRef;
    fn from_str(text: &str) -> Result<Self, NotAVersionRef> {
        match text.parse() {
            Ok(digest) => Ok(Self::Digest(digest)),
            Err(_) => text.parse().map(Self::Name).map_err(NotAVersionRef),
        }
    }
}

/// A version that the actor may do the act to.
pub(super) struct Target {
    pub(super) patch: Patch,
    pub(super) version: VersionRow,
}

impl Target {
    /// Who can see it.
    pub(super) fn visibility(&self) -> Visibility {
        visibility(&self.patch, &self.version)
    }

    /// Whether only those with rights may see it, so that no shared cache may keep it.
    pub(super) fn is_private(&self) -> bool {
        self.visibility() != Visibility::Public
    }

    /// The gate's view of it.
    pub(super) fn subject(&self) -> Subject<'_> {
        Subject::patch(&self.patch.name.org, self.visibility())
    }
}

/// Who can see a version of a patch.
pub(super) fn visibility(patch: &Patch, version: &VersionRow) -> Visibility {
    Visibility::of(patch.visibility == Declared::Private, version.released)
}

/// The patch, when the actor may do `act` to it.
pub(super) async fn patch(tx: &mut Tx, actor: &Actor, act: Act, name: &PatchName) -> Result<Patch, Error> {
    let patch = tx.patch_by_name(&name.org, &name.slug).await?;
    let patch = patch.ok_or_else(|| Error::not_found(PATCH))?;
    let visibility = Visibility::of(patch.visibility == Declared::Private, patch.released);
    authorize(actor, act, Subject::patch(&patch.name.org, visibility))?;
    Ok(patch)
}

/// The version, when the actor may do `act` to it. What is not there and what is hidden are answered alike.
pub(super) async fn version(
    tx: &mut Tx,
    actor: &Actor,
    act: Act,
    name: &PatchName,
    reference: &VersionRef,
) -> Result<Target, Error> {
    let patch = tx.patch_by_name(&name.org, &name.slug).await?.ok_or_else(|| Error::not_found(PATCH))?;
    let version = match reference {
        VersionRef::Name(version) => tx.version_by_name(patch.id, version).await?,
        VersionRef::Digest(digest) => tx.version_by_digest(patch.id, digest).await?,
    };
    let target = Target { version: version.ok_or_else(|| Error::not_found(PATCH))?, patch };
    authorize(actor, act, target.subject())?;
    Ok(target)
}

/// What a patch or version is called when it is said not to be there.
const PATCH: &str = "such patch or version";
