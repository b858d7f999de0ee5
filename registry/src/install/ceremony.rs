//! A first root that was made in a ceremony, so that no root key was ever on the machine of the service.
//!
//! Refuses a root that clients would not follow from version 1 on, keys that it does not name, and an operator whose key
//! does not stand in it.

use std::path::Path;

use retoque_core::problem::{
    FIELD_INVALID, Finding, Findings, PLATFORM_KEY_MISMATCH, PLATFORM_KEY_UNREADABLE, Place, ROOT_VERSION,
};
use retoque_core::sign::{Chain, Envelope, KeyId, PublicKey, Role, Root};
use zeroize::Zeroizing;

use super::trust::{self, Trust};
use crate::args::Ceremony;
use crate::clock::Chance;
use crate::config;
use crate::keys::PlatformKeys;

/// Everything that is signed with and trusted, when a root is given.
pub(super) fn trust(given: &Ceremony, chance: &Chance) -> Result<Option<Trust>, Findings> {
    let (Some(file), Some(dir), Some(operator)) = (&given.root, &given.platform_keys, &given.operator_key) else {
        return Ok(None);
    };
    let root = first(file, chance)?;
    let operator = PublicKey::from_hex(operator).map_err(|f| Finding { place: Place::field("operator-key"), ..f })?;
    let files = ["build", "log", "status"].map(|role| dir.join(format!("platform-{role}.pem")));
    let [build, log, status] = files.clone();
    let platform =
        PlatformKeys::load(&config::Keys { build, log, status, passphrase_file: given.passphrase_file.clone() })?;
    let mut findings = Findings::new();
    let chain = Chain::pinned(root.clone());
    let mut stands = |role: Role, key: KeyId, code, field: &str| {
        if !chain.accepts(role, 0, &[key]) {
            let (found, expected) = (format!("key {key}"), format!("a key that the root lets sign alone for {role}"));
            let next = "compare with `retoque key root show FILE`";
            findings.push(Finding::new(code, Place::field(field), found, expected, next));
        }
    };
    for (role, key) in platform.signers() {
        stands(role, key, PLATFORM_KEY_MISMATCH, role.name());
    }
    stands(Role::Operate, operator.id(), FIELD_INVALID, "operator-key");
    findings.into_result(())?;
    let names = ["platform-build", "platform-log", "platform-status"];
    let files = names.into_iter().zip(&files).map(|(name, path)| Ok((name.to_owned(), pem(path)?)));
    Ok(Some(Trust { root, platform, operator, files: files.collect::<Result<_, Findings>>()? }))
}

/// The root, if a chain can begin with it.
fn first(file: &Path, chance: &Chance) -> Result<Root, Findings> {
    let place = Place::file(file.file_name().unwrap_or_default().to_string_lossy().into_owned()).at_field("root");
    let placed = |finding: Finding| Findings::from(Finding { place: place.clone(), ..finding });
    let bytes = std::fs::read(file).map_err(|e| unreadable(&place, &e))?;
    let root = Root::trust(&bytes, None).map_err(placed)?;
    if root.version() != 1 {
        let (found, next) = (format!("root version {}", root.version()), "give the root that `key root create` made");
        return Err(placed(Finding::new(ROOT_VERSION, Place::default(), found, "version 1", next)));
    }
    let envelope = Envelope::parse(bytes.trim_ascii_end()).map_err(placed)?;
    Chain::pinned(root.clone()).join(&[envelope]).map_err(placed)?;
    root.check_expiry(trust::now(chance)?).map_err(placed)?;
    Ok(root)
}

/// The key file as it is, encrypted or not.
fn pem(path: &Path) -> Result<Zeroizing<String>, Findings> {
    let place = Place::file(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    std::fs::read_to_string(path).map(Zeroizing::new).map_err(|e| unreadable(&place, &e))
}

fn unreadable(place: &Place, error: &std::io::Error) -> Findings {
    let next = "check the path and its permissions";
    Finding::new(PLATFORM_KEY_UNREADABLE, place.clone(), error.kind().to_string(), "a file that can be read", next)
        .into()
}
