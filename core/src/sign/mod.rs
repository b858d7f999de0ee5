//! Who said what: Ed25519 keys, DSSE envelopes, in-toto statements and the root of trust.
//!
//! Trust only ever comes from a [`root::Root`] that was pinned before, never from the document that is
//! checked. [`Verified`] values are made by verification alone. Clause: specification, section 8.

pub mod dsse;
pub mod key;
pub mod provenance;
pub mod registration;
pub mod root;
mod sealed;
pub mod statement;
pub mod time;
mod verified;

pub use dsse::Envelope;
pub use key::{KeyId, PublicKey, SecretKey, Signer};
pub use root::{Chain, Role, Root};
pub use sealed::{MIN_PASSPHRASE, is_encrypted};
pub use time::{Time, TimeError};
pub use verified::{KeySet, Verified};

pub(crate) use crate::problem::excerpt;
