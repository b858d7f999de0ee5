//! Values on their way into and out of rows: the few kinds that both engines share, and the domain types made of them.

use jiff::Timestamp;
use retoque_core::api::{Category, LicensingIntent, TokenScope, Visibility};
use retoque_core::decision::RecordKind;
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{AccountName, Commit, Org, RepoId, Slug, Version};
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_core::permission::{OrgRole, PlatformRole};
use retoque_core::review::Verdict;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;

use super::db::Row;
use super::error::Error;
use super::id::{
    AccountId, BaseId, DecisionId, KeyRowId, OrgId, OutboxId, PatchId, ReviewId, SubmissionId, TokenId, UploadId,
    VersionId,
};

/// A bound parameter. Each kind knows its type even when it is null.
#[derive(Debug, Clone)]
pub(super) enum Arg {
    Text(Option<String>),
    Int(Option<i64>),
    Bytes(Option<Vec<u8>>),
    Bool(bool),
}

/// The parameters of one statement, in order.
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::store::value::Arg::from($value)),*] };
}
pub(super) use args;

/// A value that a column can be read as.
pub(super) trait Column: Sized {
    /// Column `at` of `row`.
    fn column(row: &Row, at: usize) -> Result<Self, Error>;
}

/// Reads the columns of a row from left to right, in the order of the statement.
pub(super) struct Columns<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(super) const fn of(row: &'r Row) -> Self {
        Self { row, next: 0 }
    }

    /// The next column.
    pub(super) fn take<T: Column>(&mut self) -> Result<T, Error> {
        let at = self.next;
        self.next += 1;
        T::column(self.row, at)
    }
}

impl Column for Option<String> {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        row.text(at)
    }
}

impl Column for Option<i64> {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        row.int(at)
    }
}

impl Column for Option<Vec<u8>> {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        row.bytes(at)
    }
}

impl Column for bool {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        row.bool(at)
    }
}

/// The plain forms, for columns that are never null.
macro_rules! not_null {
    ($($type:ty),*) => {$(
        impl Column for $type {
            fn column(row: &Row, at: usize) -> Result<Self, Error> {
                Option::<$type>::column(row, at)?.ok_or_else(|| Error::corrupt("null"))
            }
        }
    )*};
}
not_null!(String, i64, Vec<u8>);

impl Column for u64 {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        Self::try_from(i64::column(row, at)?).map_err(Error::corrupt)
    }
}

impl Column for Option<u64> {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        Option::<i64>::column(row, at)?.map(u64::try_from).transpose().map_err(Error::corrupt)
    }
}

impl Column for Timestamp {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        Self::from_microsecond(i64::column(row, at)?).map_err(Error::corrupt)
    }
}

impl Column for Option<Timestamp> {
    fn column(row: &Row, at: usize) -> Result<Self, Error> {
        Option::<i64>::column(row, at)?.map(Timestamp::from_microsecond).transpose().map_err(Error::corrupt)
    }
}

/// Types that are stored as the text they print and parse.
macro_rules! as_text {
    ($($type:ty),* $(,)?) => {$(
        impl Column for $type {
            fn column(row: &Row, at: usize) -> Result<Self, Error> {
                String::column(row, at)?.parse().map_err(Error::corrupt)
            }
        }
        impl Column for Option<$type> {
            fn column(row: &Row, at: usize) -> Result<Self, Error> {
                Option::<String>::column(row, at)?.map(|text| text.parse()).transpose().map_err(Error::corrupt)
            }
        }
        impl From<&$type> for Arg {
            fn from(value: &$type) -> Self {
                Self::Text(Some(value.to_string()))
            }
        }
        impl From<Option<&$type>> for Arg {
            fn from(value: Option<&$type>) -> Self {
                Self::Text(value.map(ToString::to_string))
            }
        }
    )*};
}
as_text!(
    AccountId,
    OrgId,
    TokenId,
    KeyRowId,
    BaseId,
    PatchId,
    VersionId,
    UploadId,
    DecisionId,
    SubmissionId,
    ReviewId,
    OutboxId,
    Digest,
    AccountName,
    Org,
    Slug,
    Version,
    RepoId,
    Commit,
);

/// Closed lists of words that `serde` already writes and reads; the schema's CHECKs repeat them.
macro_rules! as_word {
    ($($type:ty),* $(,)?) => {$(
        impl Column for $type {
            fn column(row: &Row, at: usize) -> Result<Self, Error> {
                let word = String::column(row, at)?;
                <$type>::deserialize(StrDeserializer::<serde::de::value::Error>::new(&word)).map_err(Error::corrupt)
            }
        }
        impl From<$type> for Arg {
            fn from(value: $type) -> Self {
                Self::from(Some(value))
            }
        }
        impl From<Option<$type>> for Arg {
            fn from(value: Option<$type>) -> Self {
                let word = value.and_then(|v| serde_json::to_value(v).ok());
                Self::Text(word.and_then(|w| w.as_str().map(str::to_owned)))
            }
        }
    )*};
}
as_word!(
    State,
    EvidenceState,
    LicenceState,
    RecordKind,
    Verdict,
    PlatformRole,
    OrgRole,
    Category,
    Visibility,
    LicensingIntent,
    TokenScope,
);

macro_rules! arg_from {
    ($($type:ty => |$value:ident| $arg:expr;)*) => {$(
        impl From<$type> for Arg {
            fn from($value: $type) -> Self {
                $arg
            }
        }
    )*};
}
arg_from! {
    &str => |v| Self::Text(Some(v.to_owned()));
    &String => |v| Self::Text(Some(v.clone()));
    Option<&str> => |v| Self::Text(v.map(str::to_owned));
    i64 => |v| Self::Int(Some(v));
    u32 => |v| Self::Int(Some(i64::from(v)));
    // Sizes stay far below 2^63; a larger one would be refused by the limits long before.
    u64 => |v| Self::Int(Some(i64::try_from(v).unwrap_or(i64::MAX)));
    Option<u64> => |v| Self::Int(v.map(|v| i64::try_from(v).unwrap_or(i64::MAX)));
    bool => |v| Self::Bool(v);
    &[u8] => |v| Self::Bytes(Some(v.to_vec()));
    &Vec<u8> => |v| Self::Bytes(Some(v.clone()));
    Option<&[u8]> => |v| Self::Bytes(v.map(<[u8]>::to_vec));
    Timestamp => |v| Self::Int(Some(v.as_microsecond()));
    Option<Timestamp> => |v| Self::Int(v.map(Timestamp::as_microsecond));
}

/// Declares the statements of one file and their list, so that a test can prepare every one of them on both engines.
macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        $(const $name: &str = $sql;)*
        /// Every statement of this file.
        pub(super) const STATEMENTS: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}
pub(super) use statements;
