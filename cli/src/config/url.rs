//! The address of a registry, in one spelling, and the folder name made from it.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;
use retoque_core::digest::Digest;
use retoque_core::problem::REGISTRY_URL;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Failure;

/// An `https` or `http` address without user, query and fragment, and without a slash at its end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegistryUrl(Url);

impl RegistryUrl {
    /// The address of a resource below the registry; each segment is escaped.
    pub fn join(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Whether the connection stays on this machine, where plain http is safe.
    pub fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Whether the connection is not encrypted.
    pub fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// The name of its folder: readable, and different for every address.
    pub fn folder(&self) -> String {
        folder_name(&self.to_string())
    }
}

/// A name for a folder that belongs to an address or to the origin of a log: readable, within its parent, and different
/// for every text.
pub fn folder_name(text: &str) -> String {
    let readable = text.split_once("://").map_or(text, |(_, rest)| rest);
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
    let readable: String = readable.chars().map(plain).take(60).collect();
    let digest = Digest::of(text.as_bytes()).hex();
    format!("{readable}-{}", &digest[..8])
}

impl FromStr for RegistryUrl {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let refuse = |found: &str| {
            let next = "give an address such as https://registry.example.org";
            Failure::new(REGISTRY_URL, format!("the registry's address {found}"), next)
        };
        let mut url = Url::parse(text).map_err(|_| refuse("is no URL"))?;
        if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none_or(str::is_empty) {
            return Err(refuse("is neither https nor http"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("holds a user name or password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refuse("holds a query or fragment"));
        }
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty();
        }
        Ok(Self(url))
    }
}

impl fmt::Display for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RegistryUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RegistryUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|f: Failure| serde::de::Error::custom(f.message()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_and_no_secrets() {
        let url: RegistryUrl = "HTTPS://R.Example.org:443/base/".parse().unwrap();
        assert_eq!(url.to_string(), "https://r.example.org/base");
        assert_eq!(url.join(&["api", "a/b"]).as_str(), "https://r.example.org/base/api/a%2Fb");
        let root: RegistryUrl = "http://127.0.0.1:8080".parse().unwrap();
        assert_eq!(root.join(&["api"]).as_str(), "http://127.0.0.1:8080/api");
        for bad in ["r.example.org", "ftp://x", "https://u:p@x", "https://x/?q", "https://x/#f", "file:///etc", ""] {
            assert!(bad.parse::<RegistryUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn loopback_is_this_machine_only() {
        let is = |text: &str| text.parse::<RegistryUrl>().unwrap().is_loopback();
        assert!(is("http://localhost:1") && is("http://127.9.0.1") && is("http://[::1]:8080"));
        assert!(!is("http://localhost.evil.org") && !is("http://10.0.0.1") && !is("https://r.example.org"));
    }

    #[test]
    fn folders_differ_and_stay_inside() {
        let folder = |text: &str| text.parse::<RegistryUrl>().unwrap().folder();
        assert_ne!(folder("https://x/a"), folder("https://x_a"));
        assert_ne!(folder("https://x"), folder("http://x"));
        assert!(!folder("https://x/..%2f").contains('/'));
    }
}
