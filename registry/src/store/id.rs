//! Row ids: one type per table, so that no id is ever passed for another.

use std::fmt;

use uuid::Uuid;

use crate::clock::{Chance, NoEntropy};

macro_rules! ids {
    ($($name:ident, $meaning:literal;)*) => {$(
        #[doc = $meaning]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id.
            pub fn mint(chance: &Chance) -> Result<Self, NoEntropy> {
                chance.uuid().map(Self)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::try_parse(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0.hyphenated(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

ids! {
    AccountId, "An account.";
    OrgId, "An org.";
    TokenId, "A token; never its secret.";
    KeyRowId, "A registered key; the key itself is named by its keyid.";
    BaseId, "A supported base.";
    PatchId, "A patch.";
    VersionId, "A version.";
    UploadId, "An upload that waits in staging.";
    DecisionId, "A decision.";
    SubmissionId, "A submission.";
    ReviewId, "A review.";
    OutboxId, "A task of the outbox.";
}
