//! What a new root says otherwise than the one before it, as it is typed: `--add review=HEX` and the like.

use std::str::FromStr;

use retoque_core::log::{Algorithm, VerifierKey};
use retoque_core::sign::root::{Revoked, RootBuilder};
use retoque_core::sign::{KeyId, PublicKey, Role};

use crate::error::Failure;

/// The changes that both a first and a next root can have.
#[derive(Debug, clap::Args)]
pub(super) struct Change {
    /// Give a role a key: ROLE=PUBLIC, such as review=<64 hex digits>; repeat it for more
    #[arg(long, value_name = "ROLE=HEX")]
    add: Vec<Pair<RoleName, PublicHex>>,
    /// How many keys of a role must sign: ROLE=N
    #[arg(long, value_name = "ROLE=N")]
    threshold: Vec<Pair<RoleName, u32>>,
    /// Name the log [default: the registry's address without its scheme]
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
    /// A witness of the log: its verifier key, and its address after an @
    #[arg(long, value_name = "VKEY[@URL]")]
    witness: Vec<WitnessArg>,
}

/// The changes that need a root before.
#[derive(Debug, clap::Args)]
pub(super) struct Leaving {
    /// Take a key out of a role: ROLE=KEYID. Outside of the role root it needs a --revoke too
    #[arg(long, value_name = "ROLE=KEYID")]
    remove: Vec<Pair<RoleName, KeyId>>,
    /// The first leaf of the log at which signatures of a key do not count: KEYID@INDEX
    #[arg(long, value_name = "KEYID@INDEX")]
    revoke: Vec<RevokedArg>,
    /// What the log was called until now, when no root has named it
    #[arg(long, value_name = "NAME", requires = "origin")]
    former: Option<String>,
}

impl Change {
    pub(super) fn is_empty(&self) -> bool {
        self.add.is_empty() && self.threshold.is_empty() && self.origin.is_none() && self.witness.is_empty()
    }

    /// Applies them. `former` is what the log was called before.
    pub(super) fn apply(&self, mut builder: RootBuilder, former: Option<String>) -> RootBuilder {
        for Pair(RoleName(role), PublicHex(key)) in &self.add {
            builder = builder.add(*role, key.clone());
        }
        for WitnessArg { key, name, url } in &self.witness {
            builder = builder.witness(key.clone(), name.clone(), url.clone());
        }
        for Pair(RoleName(role), n) in &self.threshold {
            builder = builder.threshold(*role, *n);
        }
        match &self.origin {
            Some(origin) => builder.origin(origin.clone(), former),
            None => builder,
        }
    }
}

impl Leaving {
    pub(super) fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.revoke.is_empty()
    }

    pub(super) fn former(&self) -> Option<String> {
        self.former.clone()
    }

    /// Applies them. Refuses a key that does not stand in the role: it is a slip of the pen.
    pub(super) fn apply(
        &self,
        mut builder: RootBuilder,
        stands: impl Fn(Role, KeyId) -> bool,
    ) -> Result<RootBuilder, Failure> {
        for Pair(RoleName(role), key) in &self.remove {
            if !stands(*role, *key) {
                let next = "see `retoque key root show FILE` for the keys of each role";
                return Err(Failure::usage(
                    format!("--remove {role}={key}: that key does not stand in the role"),
                    next,
                ));
            }
            builder = builder.remove(*role, *key);
        }
        for RevokedArg(revoked) in &self.revoke {
            builder = builder.revoke(revoked.clone());
        }
        Ok(builder)
    }
}

/// Two values with an equals sign between them.
#[derive(Debug, Clone)]
struct Pair<A, B>(A, B);

impl<A: FromStr, B: FromStr> FromStr for Pair<A, B>
where
    A::Err: ToString,
    B::Err: ToString,
{
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (a, b) = text.split_once('=').ok_or("an equals sign is missing")?;
        Ok(Self(a.parse().map_err(|e: A::Err| e.to_string())?, b.parse().map_err(|e: B::Err| e.to_string())?))
    }
}

#[derive(Debug, Clone)]
struct RoleName(Role);

impl FromStr for RoleName {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Role::ALL.map(Role::name).join(", ");
        Role::from_name(text).map(Self).ok_or_else(|| format!("no such role; the roles are {}", names()))
    }
}

#[derive(Debug, Clone)]
struct PublicHex(PublicKey);

impl FromStr for PublicHex {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        PublicKey::from_hex(text).map(Self).map_err(|finding| format!("not a public key: {}", finding.expected))
    }
}

#[derive(Debug, Clone)]
struct RevokedArg(Revoked);

impl FromStr for RevokedArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (keyid, index) = text.split_once('@').ok_or("@ and the index of a leaf are missing")?;
        let keyid = keyid.parse().map_err(|_| "a key id is 64 lower-case hex digits")?;
        let from_index = index.parse().map_err(|_| "the index of a leaf is a whole number")?;
        Ok(Self(Revoked { keyid, from_index }))
    }
}

#[derive(Debug, Clone)]
struct WitnessArg {
    key: PublicKey,
    name: String,
    url: Option<String>,
}

impl FromStr for WitnessArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        // The key is base64, so the first @ behind the last plus sign of the name begins the address.
        let (vkey, url) = match text.find("@http") {
            Some(at) => (&text[..at], Some(text[at + 1..].to_owned())),
            None => (text, None),
        };
        let vkey: VerifierKey = vkey.parse().map_err(|_| "not a verifier key (`name+hash+key`)")?;
        if vkey.algorithm() != Algorithm::Cosignature {
            return Err("the verifier key of a log; a witness has a key for cosignatures".to_owned());
        }
        Ok(Self { key: vkey.key().clone(), name: vkey.name().to_owned(), url })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_strictly() {
        let id = "ab".repeat(32);
        let revoked: RevokedArg = format!("{id}@17").parse().unwrap();
        assert_eq!((revoked.0.keyid.to_string(), revoked.0.from_index), (id.clone(), 17));
        for bad in [id.clone(), format!("{id}@"), format!("{id}@-1"), format!("{}@1", &id[1..])] {
            assert!(bad.parse::<RevokedArg>().is_err(), "{bad}");
        }
        let pair: Pair<RoleName, u32> = "review=2".parse().unwrap();
        assert_eq!((pair.0.0, pair.1), (Role::Review, 2));
        for bad in ["review", "reviews=2", "review=x", "=2"] {
            assert!(bad.parse::<Pair<RoleName, u32>>().is_err(), "{bad}");
        }
        assert!(format!("review={id}").parse::<Pair<RoleName, KeyId>>().is_ok());
        assert!("w+00000000+AAAA".parse::<WitnessArg>().is_err());
    }
}
