//! What the signed status says of one version.

use retoque_core::digest::Digest;
use retoque_core::id::Version;
use retoque_core::lifecycle::{State, check_served};
use retoque_core::sign::Time;
use retoque_core::status::Status;
use serde::Serialize;

use crate::error::Failure;

/// The state of a published version, and why it is no longer as it was at publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// `published`, `deprecated`, `withdrawn` or `taken-down`.
    pub state: State,
    /// Reason code and text of the decision, of public patches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The version that the decision names instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Version>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

impl Verdict {
    /// What `status` says of the version with this manifest; a private one is named by the commitment of its
    /// publication, which its release opens.
    pub fn of(status: &Status, manifest: Digest, commitment: Option<Digest>) -> Self {
        if let Some(said) = status.version(manifest) {
            return Self {
                state: said.state,
                reason: Some(format!("{}: {}", said.code, said.text)),
                replacement: said.replacement.clone(),
                since: Some(said.since),
            };
        }
        let private = commitment.and_then(|commitment| status.private_version(commitment));
        Self { state: private.unwrap_or(State::Published), reason: None, replacement: None, since: None }
    }

    /// The warnings about using `name`, or the refusal to.
    pub fn judge(&self, name: &str) -> Result<Vec<String>, Failure> {
        let why = self.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
        let patch = name.split('@').next().unwrap_or_default();
        let instead = (self.replacement.as_ref())
            .map(|version| format!("the operator names {patch}@{version} instead; nothing moves to it on its own"));
        if let Err(refused) = check_served(self.state) {
            let failure = Failure::from(refused).restated(format!("{name} is {}{why}", self.state));
            return Err(instead.into_iter().fold(failure, Failure::with_next));
        }
        if self.state != State::Deprecated {
            return Ok(Vec::new());
        }
        Ok(std::iter::once(format!("{name} is DEPRECATED{why}")).chain(instead).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn verdict(state: State) -> Verdict {
        let (reason, replacement) = (Some("security: Leaks a row.".into()), Some("1.3.0".parse().unwrap()));
        Verdict { state, reason, replacement, since: None }
    }

    #[test]
    fn each_state_has_its_answer() {
        let name = "acme/tiny-desk@1.2.0";
        assert_eq!(verdict(State::Published).judge(name).unwrap(), Vec::<String>::new());
        let warnings = verdict(State::Deprecated).judge(name).unwrap();
        assert!(warnings[0].contains("Leaks a row.") && warnings[1].contains("acme/tiny-desk@1.3.0"), "{warnings:?}");
        for state in [State::Withdrawn, State::TakenDown] {
            let failure = verdict(state).judge(name).unwrap_err();
            assert_eq!(failure.exit_status(), 4);
            assert!(failure.message().contains("Leaks a row.") && failure.next().contains("1.3.0"), "{failure:?}");
        }
    }
}
