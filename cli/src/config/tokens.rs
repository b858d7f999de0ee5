//! `tokens.toml`: one token per registry, readable by its owner alone.

use std::collections::BTreeMap;

use retoque_core::problem::TOKEN_MALFORMED;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::home::{check_private, invalid, toml_fault};
use super::{Home, RegistryUrl};
use crate::error::Failure;

const FILE: &str = "tokens.toml";

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tokens: BTreeMap<String, String>,
}

impl Home {
    /// The stored token of a registry.
    pub fn token(&self, url: &RegistryUrl) -> Result<Option<SecretString>, Failure> {
        let token = self.tokens()?.tokens.remove(&url.to_string()).map(SecretString::from);
        token.map(|token| well_formed(token, FILE)).transpose()
    }

    /// Stores the token of a registry.
    pub fn store_token(&self, url: &RegistryUrl, token: &SecretString) -> Result<(), Failure> {
        let mut file = self.tokens()?;
        file.tokens.insert(url.to_string(), token.expose_secret().to_owned());
        let text = toml::to_string(&file).map_err(|_| invalid(FILE, "cannot be written"))?;
        self.write(FILE, &text)
    }

    /// Forgets the token of a registry; says whether there was one.
    pub fn forget_token(&self, url: &RegistryUrl) -> Result<bool, Failure> {
        let mut file = self.tokens()?;
        if file.tokens.remove(&url.to_string()).is_none() {
            return Ok(false);
        }
        let text = toml::to_string(&file).map_err(|_| invalid(FILE, "cannot be written"))?;
        self.write(FILE, &text).map(|()| true)
    }

    fn tokens(&self) -> Result<File, Failure> {
        let Some(text) = self.text(FILE)? else { return Ok(File::default()) };
        check_private(&self.path(FILE))?;
        toml::from_str(&text).map_err(|e| toml_fault(FILE, &e))
    }
}

/// The token, unless it holds what no token holds and no request can carry. It is not shown; `place` is where it stands.
pub(crate) fn well_formed(token: SecretString, place: &str) -> Result<SecretString, Failure> {
    let text = token.expose_secret();
    let found = if text.is_empty() {
        "nothing"
    } else if text.contains(['\n', '\r']) {
        "a line break"
    } else if text.contains(|c: char| c.is_whitespace()) {
        "a space"
    } else if !text.bytes().all(|b| b.is_ascii_graphic()) {
        "a character that no token has"
    } else {
        return Ok(token);
    };
    let next = "set it to the token alone, which begins with rtq_";
    Err(Failure::new(TOKEN_MALFORMED, format!("the token in {place} holds {found}"), next))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use retoque_core::problem::SECRET_EXPOSED;

    #[test]
    fn what_no_request_can_carry_is_refused_by_name_and_not_shown() {
        for (text, found) in [
            ("rtq_abc\n", "a line break"),
            ("rtq_abc\r\n", "a line break"),
            ("rtq_abc def", "a space"),
            ("rtq_abc\u{fffd}", "a character"),
            ("rtq_\u{7f}abc", "a character"),
            ("", "nothing"),
        ] {
            let failure = well_formed(text.to_owned().into(), "RETOQUE_TOKEN").unwrap_err();
            assert!(failure.is(TOKEN_MALFORMED), "{failure:?}");
            assert!(failure.message().contains("RETOQUE_TOKEN") && failure.message().contains(found), "{failure:?}");
            assert!(!format!("{failure:?}").contains("abc"), "{failure:?}");
        }
        assert!(well_formed("rtq_abc".to_owned().into(), FILE).is_ok());
    }

    #[test]
    fn tokens_are_kept_private() {
        let dir = tempfile::tempdir().unwrap();
        let environment = crate::config::Environment { home: Some(dir.path().into()), ..Default::default() };
        let home = Home::of(&environment).unwrap();
        let (a, b) = ("https://a".parse().unwrap(), "https://b".parse().unwrap());
        home.store_token(&a, &"rtq_1".to_owned().into()).unwrap();
        home.store_token(&b, &"rtq_2".to_owned().into()).unwrap();
        assert_eq!(home.token(&a).unwrap().unwrap().expose_secret(), "rtq_1");
        assert!(home.forget_token(&b).unwrap() && !home.forget_token(&b).unwrap());
        assert!(home.token(&b).unwrap().is_none() && home.token(&a).unwrap().is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = home.path(FILE);
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(home.token(&a).unwrap_err().is(SECRET_EXPOSED));
        }
    }
}
