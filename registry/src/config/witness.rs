//! The witnesses that this registry asks to cosign its log: pairs of verifier key and address.

use std::path::Path;

use retoque_core::log::{Algorithm, VerifierKey};

use super::setting::Setting;

/// The most witnesses that are asked.
const MOST: usize = 32;

/// A witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// How it cosigns.
    pub key: VerifierKey,
    /// What stands before `/add-checkpoint`, without a slash at its end.
    pub url: String,
}

/// The witnesses, in the order of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Witnesses(pub Vec<Witness>);

/// `KEY URL KEY URL …`, separated by white space; in the file a list of `"KEY URL"`.
impl Setting for Witnesses {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        const RULE: &str =
            "pairs of a witness's verifier key and its address, such as `name+hash+key https://w.example`";
        let items: Vec<&str> = text.split_ascii_whitespace().collect();
        let (pairs, rest) = items.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > MOST {
            return Err(RULE.to_owned());
        }
        let mut list: Vec<Witness> = Vec::new();
        for [key, url] in pairs {
            let key: VerifierKey = key.parse().map_err(|_| RULE.to_owned())?;
            if key.algorithm() != Algorithm::Cosignature || list.iter().any(|known| known.key.key() == key.key()) {
                return Err("keys of witnesses, each once; the key of a log is none".to_owned());
            }
            list.push(Witness { key, url: address(url).ok_or_else(|| RULE.to_owned())? });
        }
        Ok(Self(list))
    }
}

fn address(text: &str) -> Option<String> {
    let url: http::Uri = text.parse().ok()?;
    let known = matches!(url.scheme_str(), Some("http" | "https"));
    let host = url.authority().is_some_and(|a| !a.as_str().contains('@') && !a.host().is_empty());
    let plain = url.query().is_none() && !text.contains('#');
    (known && host && plain).then(|| text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use retoque_core::sign::{SecretKey, Signer as _};

    use super::*;

    fn key(n: u8) -> VerifierKey {
        let secret = SecretKey::from_seed(&[n; 32]).unwrap();
        VerifierKey::cosigner(&format!("w{n}.example"), secret.public().clone()).unwrap()
    }

    #[test]
    fn pairs_of_key_and_address() {
        let read = |text: &str| Witnesses::parse(text, Path::new("")).map(|list| list.0);
        assert_eq!(read(""), Ok(Vec::new()));
        let two = read(&format!("{} https://w.example/a/\n{}  http://127.0.0.1:8481", key(1), key(2))).unwrap();
        assert_eq!((two[0].url.as_str(), two[1].url.as_str()), ("https://w.example/a", "http://127.0.0.1:8481"));
        let log = VerifierKey::log("log.example", key(1).key().clone()).unwrap();
        for bad in [
            key(1).to_string(),
            format!("https://w.example {}", key(1)),
            format!("{} w.example", key(1)),
            format!("{} ftp://w.example", key(1)),
            format!("{} https://me@w.example", key(1)),
            format!("{} https://w.example?x", key(1)),
            format!("{log} https://w.example"),
            format!("{0} https://a.example {0} https://b.example", key(1)),
        ] {
            assert!(read(&bad).is_err(), "{bad}");
        }
    }
}
