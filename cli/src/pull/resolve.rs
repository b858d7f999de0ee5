//! From a reference to one version that may be pulled now.
//!
//! A range is resolved here, over the listing that the registry signed for the same log as the head: nobody can leave
//! out a version or invent one without the log telling. A digest needs no listing. What is unsigned only explains a
//! refusal. Clause: specification, section 7.

use retoque_core::api::VersionView;
use retoque_core::id::PatchName;
use retoque_core::lifecycle::State;
use retoque_core::problem::{NAME_MISMATCH, NO_VERSION, NOT_PUBLISHED, STATUS_MISMATCH};
use retoque_core::sign::{Envelope, Role, dsse};
use retoque_core::status::Listing;

use super::Version;
use crate::client::Client;
use crate::error::Failure;
use crate::head::{Asking, Authority, Current, Verdict};
use crate::reference::{Reference, Selector};

/// How often head and listing are asked for again when they are not of one moment.
const TRIES: u32 = 3;

/// One version, and what the user must hear about it.
#[derive(Debug)]
pub struct Resolved {
    /// The version.
    pub version: Version,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Which version the reference means, as of the head. A head that the registry has moved on from is asked for again.
/// Versions that are not served are refused.
pub async fn resolve(
    asking: &Asking<'_>,
    current: &mut Current,
    reference: &Reference,
    allow_degraded: bool,
) -> Result<Resolved, Failure> {
    let patch = reference.patch.clone();
    if let Selector::Digest(digest) = reference.selector {
        let name = reference.to_string();
        let warnings = Verdict::of(&current.head.status, digest, None).judge(&name)?;
        return Ok(Resolved { version: Version { patch, number: None, digest }, warnings });
    }
    let Some(listing) = listing(asking, current, &reference.patch).await? else {
        return Err(unlisted(asking.sources.registry(), reference).await);
    };
    let chosen = match &reference.selector {
        Selector::Exact(version) => listing.versions().iter().find(|listed| listed.version == *version),
        _ => Some(reference.choose(listing.versions(), allow_degraded)?),
    };
    let Some(chosen) = chosen else {
        return Err(unlisted(asking.sources.registry(), reference).await);
    };
    let name = format!("{patch}@{}", chosen.version);
    let warnings = Verdict::of(&current.head.status, chosen.manifest, chosen.commitment).judge(&name)?;
    let version = Version { patch, number: Some(chosen.version.clone()), digest: chosen.manifest };
    Ok(Resolved { version, warnings })
}

/// The signed listing of the patch, of the same moment as the head; nothing when the patch is not for the caller to see.
pub async fn listing(
    asking: &Asking<'_>,
    current: &mut Current,
    patch: &PatchName,
) -> Result<Option<Listing>, Failure> {
    let mut tries = 0;
    loop {
        let (trust, head) = (&current.trust, &current.head);
        let authority = &Authority::new(trust, asking.connection.origin()?);
        let get = |client: Client| async move {
            let url = client.api(&["patches", patch.org.as_str(), patch.slug.as_str(), "listing"]);
            let bytes = client.bytes(url, dsse::MAX_BYTES).await.map_err(|f| f.during("the listing"))?;
            let keys = |size| authority.keys(Role::PlatformStatus, size);
            let listing = Listing::verify(&Envelope::parse(&bytes)?, keys)?;
            if listing.patch() != patch {
                let message = format!("the listing is of {}", listing.patch());
                return Err(Failure::new(NAME_MISMATCH, message, "report it to the operator of the registry"));
            }
            let apart = |f| Failure::findings("listing and status are not of one moment", &f);
            listing.check_against(&head.status).map_err(apart)?;
            Ok(listing.into_inner())
        };
        match asking.sources.first("the listing", get).await {
            Ok(listing) => return Ok(Some(listing)),
            Err(failure) if failure.exit_status() == 6 => return Ok(None),
            Err(failure) if !failure.is(STATUS_MISMATCH) || tries >= TRIES => return Err(failure),
            // Something was decided between the two answers.
            Err(_) => *current = asking.ask().await?,
        }
        tries += 1;
    }
}

/// Why there is no such published version, as far as the registry says.
async fn unlisted(registry: &Client, reference: &Reference) -> Failure {
    let none = || {
        let next = "check the name, or log in";
        Failure::new(NO_VERSION, format!("no published version for {reference}"), next)
    };
    let Some(exact) = reference.exact() else {
        return match registry.versions(&reference.patch).await.map(|list| reference.choose(&list, true).map(drop)) {
            Err(failure) | Ok(Err(failure)) => failure,
            Ok(Ok(())) => none(),
        };
    };
    match registry.version(&reference.patch, &exact).await {
        Ok(VersionView { patch, summary, .. }) => match summary.state {
            state @ (State::Candidate | State::Submitted | State::Approved) => {
                let message = format!("{patch}@{} is {state}, not published", summary.version);
                Failure::new(NOT_PUBLISHED, message, "pull a published version, or wait")
            }
            _ => none(),
        },
        Err(failure) => failure,
    }
}
