//! Bytes by digest, in a folder or an S3-compatible bucket.
//!
//! What is under a digest's place was hashed while it was written to staging and is never written again; whether it
//! counts is decided by a row of the database, never by the bucket (conditional puts cannot be relied on). Refuses
//! bodies over their limit while they stream. Clause: specification, sections 3 and 10.

mod error;
mod layout;
mod read;
mod write;

use std::path::Path;
use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, S3ConditionalPut};
use object_store::local::LocalFileSystem;
use object_store::{ObjectStore, ObjectStoreExt as _};
use retoque_core::digest::Digest;
use secrecy::ExposeSecret as _;

pub use error::{Error, StageError};
pub use layout::Place;
pub use read::{BlobReader, BlobStream, Stored};
pub use write::Staged;

use crate::config::Bucket;

/// The object store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
}

impl Blobs {
    /// Blobs in the folder `root`, which must exist. Every finished write is on disk before it is answered.
    pub fn in_folder(root: &Path) -> Result<Self, Error> {
        let store = LocalFileSystem::new_with_prefix(root).map_err(Error::from_store)?.with_fsync(true);
        Ok(Self { store: Arc::new(store) })
    }

    /// Blobs in a bucket, which must exist.
    pub fn in_bucket(bucket: &Bucket) -> Result<Self, Error> {
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&bucket.name)
            .with_region(&bucket.region)
            .with_allow_http(bucket.endpoint.as_deref().is_some_and(|e| e.starts_with("http:")))
            // Nothing here depends on conditions being honoured.
            .with_conditional_put(S3ConditionalPut::Disabled);
        if let Some(endpoint) = &bucket.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some((id, secret)) = bucket.access_key.as_ref().zip(bucket.secret_key.as_ref()) {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret.expose_secret());
        }
        Ok(Self { store: Arc::new(builder.build().map_err(Error::from_store)?) })
    }

    /// Blobs in any store, for tests that make it fail.
    pub fn over(store: Arc<dyn ObjectStore>) -> Self {
        Self { store }
    }

    /// Writes, reads and deletes a small object, so that a store that cannot be used is noticed at the start.
    pub async fn probe(&self, place: &Place) -> Result<(), Error> {
        let path = place.path();
        self.store.put(&path, "probe".into()).await.map_err(Error::from_store)?;
        let read = self.store.get(&path).await.map_err(Error::from_store)?.bytes().await.map_err(Error::from_store)?;
        self.store.delete(&path).await.map_err(Error::from_store)?;
        if read == "probe" {
            Ok(())
        } else {
            Err(Error::Backend("the store gave other bytes than were written".into()))
        }
    }

    /// The size of the blob of that digest, if it is there.
    pub async fn size(&self, digest: &Digest) -> Result<Option<u64>, Error> {
        match self.store.head(&Place::Blob(*digest).path()).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(other) => Err(Error::from_store(other)),
        }
    }

    /// Removes what is there; that nothing is there is as good.
    pub async fn delete(&self, place: &Place) -> Result<(), Error> {
        match self.store.delete(&place.path()).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(other) => Err(Error::from_store(other)),
        }
    }
}
