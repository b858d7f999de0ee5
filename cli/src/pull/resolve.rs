//! From a reference to one version that may be pulled now.

use retoque_core::api::VersionView;
use retoque_core::evaluation::EvidenceState;
use retoque_core::lifecycle::{State, check_served};
use retoque_core::problem::NOT_PUBLISHED;

use crate::client::Client;
use crate::error::Failure;
use crate::reference::Reference;

/// One version, and what the user must hear about it.
#[derive(Debug)]
pub struct Resolved {
    /// The version.
    pub version: VersionView,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Asks the registry which version the reference means, and refuses those that are not served.
pub async fn resolve(client: &Client, reference: &Reference, allow_degraded: bool) -> Result<Resolved, Failure> {
    let at = if let Some(exact) = reference.exact() {
        exact
    } else {
        let listing = client.versions(&reference.patch).await?;
        reference.choose(&listing, allow_degraded)?.version.to_string()
    };
    let version = client.version(&reference.patch, &at).await?;
    let warnings = judge(&version)?;
    Ok(Resolved { version, warnings })
}

fn judge(version: &VersionView) -> Result<Vec<String>, Failure> {
    let summary = &version.summary;
    let name = format!("{}@{}", version.patch, summary.version);
    let why = summary.notice.as_ref().map_or_else(String::new, |n| format!(" ({}: {})", n.code, n.text));
    let replacement = summary.notice.as_ref().and_then(|n| n.replacement.as_ref());
    let instead = replacement
        .map(|v| format!("the operator names {}@{v} instead; nothing moves to it on its own", version.patch));
    let mut warnings = Vec::new();
    match summary.state {
        State::Published => {}
        State::Deprecated => {
            warnings.push(format!("{name} is DEPRECATED{why}"));
            warnings.extend(instead);
        }
        state @ (State::Withdrawn | State::TakenDown) => {
            let refused = check_served(state).err().map(Failure::from);
            let failure =
                refused.unwrap_or_else(|| not_published(&name, state)).restated(format!("{name} is {state}{why}"));
            return Err(match instead {
                Some(instead) => failure.with_next(instead),
                None => failure,
            });
        }
        state @ (State::Candidate | State::Submitted | State::Approved) => return Err(not_published(&name, state)),
    }
    if summary.evidence == EvidenceState::Degraded {
        warnings.push(format!("the evidence of {name} is DEGRADED: it does not help, or it harms elsewhere"));
    }
    Ok(warnings)
}

fn not_published(name: &str, state: State) -> Failure {
    Failure::new(NOT_PUBLISHED, format!("{name} is {state}, not published"), "pull a published version, or wait")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::api::{Notice, VersionSummary};
    use retoque_core::digest::Digest;
    use retoque_core::licence::LicenceState;

    fn version(state: State, evidence: &str) -> VersionView {
        let notice = Notice {
            code: "security".into(),
            text: "Leaks a row.".into(),
            replacement: Some("1.3.0".into()),
            since: "2026-01-01T00:00:00Z".parse().unwrap(),
        };
        VersionView {
            patch: "acme/tiny-desk".parse().unwrap(),
            summary: VersionSummary {
                version: "1.2.0".parse().unwrap(),
                digest: Digest::of(b"m"),
                state,
                evidence: evidence.parse().unwrap(),
                licence: LicenceState::None,
                created: notice.since,
                notice: Some(notice),
            },
            base: format!("acme/base@{}", "7".repeat(40)).parse().unwrap(),
            package_sha256: Digest::of(b"p"),
            package_size: 1,
            pushed_by: "builder".parse().unwrap(),
            head: Digest::of(b"h"),
            allowed_actions: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn each_state_has_its_answer() {
        assert_eq!(judge(&version(State::Published, "EXPERIMENTAL")).unwrap(), Vec::<String>::new());
        assert_eq!(judge(&version(State::Published, "DEGRADED")).unwrap().len(), 1);
        let warnings = judge(&version(State::Deprecated, "EXPERIMENTAL")).unwrap();
        assert!(warnings[0].contains("Leaks a row.") && warnings[1].contains("1.3.0"), "{warnings:?}");
        for state in [State::Withdrawn, State::TakenDown] {
            let failure = judge(&version(state, "EXPERIMENTAL")).unwrap_err();
            assert_eq!(failure.exit_status(), 4);
            assert!(failure.message().contains("Leaks a row.") && failure.next().contains("1.3.0"), "{failure:?}");
        }
        assert_eq!(judge(&version(State::Approved, "EXPERIMENTAL")).unwrap_err().exit_status(), 4);
    }
}
