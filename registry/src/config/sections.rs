//! The settings themselves. A field's default is written as it would be in the file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::load::Reader;
use super::setting::{Bytes, DatabaseUrl, LogFormat, LogLevel, Profile, PublicUrl, StorageKind};
use super::witness::Witnesses;

macro_rules! sections {
    ($($(#[$meta:meta])* $section:literal $type:ident {
        $($(#[$doc:meta])* $field:ident: $kind:ty = $default:literal,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone)]
            pub struct $type { $($(#[$doc])* pub $field: $kind,)* }

            impl $type {
                /// Reads every field, so that every mistake is found, and then all of them.
                pub(super) fn read(reader: &mut Reader) -> Option<Self> {
                    $(let $field = reader.get::<$kind>(concat!($section, ".", stringify!($field)), $default);)*
                    Some(Self { $($field: $field?,)* })
                }
            }
        )*

        /// The name of every setting.
        pub(super) const NAMES: &[&str] = &[$($(concat!($section, ".", stringify!($field))),*),*];
        /// The name of every section.
        pub(super) const SECTIONS: &[&str] = &[$($section),*];
    };
}

sections! {
    /// Where it listens and under which name it speaks.
    "server" Server {
        /// Address and port. TLS is the business of what stands in front.
        listen: SocketAddr = "127.0.0.1:8480",
        /// The address that users type.
        url: PublicUrl = "http://127.0.0.1:8480",
        /// How long requests may go on after the signal to stop.
        drain: Duration = "20s",
    }
    /// The database.
    "database" Database {
        /// `sqlite:PATH` or `postgres://…`.
        url: DatabaseUrl = "sqlite:registry.db",
        /// Most connections to it.
        connections: u32 = "8",
    }
    /// The object store.
    "storage" Storage {
        /// `folder` or `s3`.
        kind: StorageKind = "folder",
        /// The folder.
        folder: PathBuf = "storage",
        /// The bucket.
        bucket: Option<String> = "",
        /// Its region.
        region: String = "us-east-1",
        /// Its endpoint, when it is not Amazon's.
        endpoint: Option<String> = "",
        /// Access key id.
        access_key: Option<String> = "",
        /// Secret access key.
        secret_key: Option<SecretString> = "",
    }
    /// The platform's signing keys, PKCS#8 PEM.
    "keys" Keys {
        /// Signs what was pushed.
        build: PathBuf = "keys/platform-build.pem",
        /// Signs the log and the registration of keys.
        log: PathBuf = "keys/platform-log.pem",
        /// Signs status and licences.
        status: PathBuf = "keys/platform-status.pem",
        /// Its first line opens the three files when they are encrypted.
        passphrase_file: Option<PathBuf> = "",
    }
    /// How much of what.
    "limits" Limits {
        /// Largest package.
        package: Bytes = "4 GiB",
        /// Requests that are worked on at the same time.
        concurrency: u32 = "256",
        /// How long an ordinary request may take.
        request_timeout: Duration = "60s",
        /// How much a client has to send of an upload, or to take of an answer, in a second.
        min_rate: Bytes = "8 KiB",
    }
    /// Which adapters are taken.
    "policy" Policy {
        /// `fixed-profile` or `any-plain-lora`.
        profile: Profile = "fixed-profile",
    }
    /// The signed status of all versions.
    "status" Status {
        /// How long one counts, in hours; at most 24.
        hours: u32 = "24",
    }
    /// What is logged, to standard error, and who cosigns the transparency log.
    "log" Log {
        /// `text` or `json`.
        format: LogFormat = "text",
        /// `error`, `warn`, `info` or `debug`.
        level: LogLevel = "info",
        /// The witnesses that are asked to cosign the transparency log.
        witnesses: Witnesses = "",
    }
}

/// How to reach a bucket.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// Its endpoint, when it is not Amazon's.
    pub endpoint: Option<String>,
    /// Access key id.
    pub access_key: Option<String>,
    /// Secret access key.
    pub secret_key: Option<SecretString>,
}

impl Storage {
    /// The bucket, when one is set.
    pub fn as_bucket(&self) -> Option<Bucket> {
        Some(Bucket {
            name: self.bucket.clone()?,
            region: self.region.clone(),
            endpoint: self.endpoint.clone(),
            access_key: self.access_key.clone(),
            secret_key: self.secret_key.clone(),
        })
    }
}
