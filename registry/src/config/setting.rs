//! The kinds of value that a setting can have: how each is written, and what is said when it is not.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

/// A value that can be written as text.
pub(super) trait Setting: Sized {
    /// Reads it; relative paths start at `base`. The error says what was expected.
    fn parse(text: &str, base: &Path) -> Result<Self, String>;

    /// The text as it may be shown.
    fn shown(text: &str) -> String {
        text.to_owned()
    }
}

/// An absent or empty value is none.
impl<T: Setting> Setting for Option<T> {
    fn parse(text: &str, base: &Path) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::parse(text, base).map(Some) }
    }

    fn shown(text: &str) -> String {
        if text.is_empty() { String::new() } else { T::shown(text) }
    }
}

impl Setting for String {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        if text.is_empty() { Err("some text".to_owned()) } else { Ok(text.to_owned()) }
    }
}

impl Setting for SecretString {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        if text.is_empty() { Err("a secret".to_owned()) } else { Ok(text.to_owned().into()) }
    }

    fn shown(_: &str) -> String {
        "(hidden)".to_owned()
    }
}

impl Setting for u32 {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        text.parse().ok().filter(|n| (1..=100_000).contains(n)).ok_or_else(|| "a number from 1 to 100000".to_owned())
    }
}

impl Setting for SocketAddr {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        text.parse().map_err(|_| "an address and port such as `127.0.0.1:8480` or `[::1]:8480`".to_owned())
    }
}

impl Setting for PathBuf {
    fn parse(text: &str, base: &Path) -> Result<Self, String> {
        if text.is_empty() || text.contains('\0') { Err("a path".to_owned()) } else { Ok(base.join(text)) }
    }
}

/// A number of bytes: `1048576`, `512 KiB`, `1 MiB`, `4 GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl Setting for Bytes {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let shift = match unit.trim() {
            "" | "B" => 0,
            "KiB" => 10,
            "MiB" => 20,
            "GiB" => 30,
            _ => 64,
        };
        let bytes =
            number.parse::<u64>().ok().filter(|n| *n > 0).and_then(|n| n.checked_mul(1_u64.checked_shl(shift)?));
        bytes.filter(|n| *n <= 1 << 40).map(Self).ok_or_else(|| "a size such as `4 GiB`, `1 MiB` or `65536`".to_owned())
    }
}

impl Setting for Duration {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let seconds = match unit.trim() {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 0,
        };
        let total =
            number.parse::<u64>().ok().and_then(|n| n.checked_mul(seconds)).filter(|n| (1..=86_400).contains(n));
        total.map(Self::from_secs).ok_or_else(|| "a time such as `30s`, `10m` or `1h`, at most a day".to_owned())
    }
}

/// The address of the registry as its users type it: `http(s)://host[:port]`, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Host and port: what signed documents call the registry.
    pub fn origin(&self) -> &str {
        self.0.split_once("://").map_or(&self.0, |(_, rest)| rest)
    }
}

impl Setting for PublicUrl {
    fn parse(text: &str, _: &Path) -> Result<Self, String> {
        let rule = || "an address such as `https://registry.example`, without a path".to_owned();
        let url: http::Uri = text.parse().map_err(|_| rule())?;
        let plain = url.path() == "/" && url.query().is_none();
        let host = url.authority().filter(|a| !a.as_str().contains('@') && !a.host().is_empty());
        match (url.scheme_str(), host) {
            (Some(scheme @ ("http" | "https")), Some(host)) if plain && !text.contains('#') => {
                Ok(Self(format!("{scheme}://{}", host.as_str().to_ascii_lowercase())))
            }
            _ => Err(rule()),
        }
    }
}

/// `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`; debug output and `config show` hide the password.
#[derive(Clone)]
pub struct DatabaseUrl(SecretString);

impl DatabaseUrl {
    /// The URL with everything in it.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::shown(self.reveal()))
    }
}

impl Setting for DatabaseUrl {
    fn parse(text: &str, base: &Path) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if !path.is_empty() && !path.starts_with(':') && !path.contains('?') {
                return Ok(Self(format!("sqlite:{}", base.join(path).display()).into()));
            }
        } else if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self(text.to_owned().into()));
        }
        Err("`sqlite:PATH` or `postgres://USER@HOST/NAME`".to_owned())
    }

    fn shown(text: &str) -> String {
        // A password may stand before the @ or among the parameters.
        let (address, parameters) = text.split_once('?').map_or((text, None), |(a, p)| (a, Some(p)));
        let mut shown = match address.split_once("://").and_then(|(s, rest)| Some((s, rest.rsplit_once('@')?))) {
            Some((scheme, (user, host))) if user.contains(':') => {
                format!("{scheme}://{}:(hidden)@{host}", user.split(':').next().unwrap_or_default())
            }
            _ => address.to_owned(),
        };
        for (n, parameter) in parameters.into_iter().flat_map(|p| p.split('&')).enumerate() {
            shown.push(if n == 0 { '?' } else { '&' });
            let secret = parameter.to_ascii_lowercase().starts_with("password=");
            shown.push_str(if secret { "password=(hidden)" } else { parameter });
        }
        shown
    }
}

/// A setting that is one of a few words.
macro_rules! words {
    ($($(#[$meta:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type { $($(#[$doc])* $variant,)* }

        impl Setting for $type {
            fn parse(text: &str, _: &Path) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(format!("one of {}", [$(concat!("`", $word, "`")),*].join(", "))),
                }
            }
        }
    )*};
}

words! {
    /// Where blobs are.
    StorageKind {
        /// In a folder of this machine.
        Folder = "folder",
        /// In a bucket.
        S3 = "s3",
    }
    /// Which adapters are taken.
    Profile {
        /// Only those of the fixed training profile.
        FixedProfile = "fixed-profile",
        /// Any plain LoRA.
        AnyPlainLora = "any-plain-lora",
    }
    /// How log lines look.
    LogFormat {
        /// For people.
        Text = "text",
        /// For machines: one JSON object per line.
        Json = "json",
    }
    /// From which importance on a line is written.
    LogLevel {
        /// Only what failed.
        Error = "error",
        /// And what looks wrong.
        Warn = "warn",
        /// And what happened.
        Info = "info",
        /// And how.
        Debug = "debug",
    }
}
