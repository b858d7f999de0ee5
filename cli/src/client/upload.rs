//! Streaming a file to the registry's staging area.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt as _;
use reqwest::Body;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use retoque_core::api::Upload;
use retoque_core::digest::Digest;
use retoque_core::problem::RESPONSE_INVALID;
use tokio_util::io::ReaderStream;

use super::MAX_JSON;
use super::answer::{Answer, too_slow};
use super::request::{Client, failed};
use super::retry::{Idempotent, wait};
use crate::error::Failure;
use crate::files;
use crate::output::Progress;

impl Client {
    /// Sends a file of known size and digest. A staged upload that nobody names disappears, so trying again is safe.
    pub async fn upload(&self, path: &Path, size: u64, digest: Digest, progress: &Progress) -> Result<Upload, Failure> {
        let (mut tries, begun) = (0, progress.position());
        let answer = loop {
            progress.back_to(begun);
            let outcome = self.attempt_upload(path, size, digest, progress).await;
            tries += 1;
            match wait(&outcome, Idempotent::Yes, tries, &self.pace) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => break outcome?,
            }
        };
        if !answer.status.is_success() {
            return Err(answer.failure());
        }
        let upload: Upload = serde_json::from_slice(&answer.body).map_err(|e| invalid(&e.to_string()))?;
        if (upload.size, upload.sha256) == (size, digest) { Ok(upload) } else { Err(invalid("other bytes arrived")) }
    }

    async fn attempt_upload(
        &self,
        path: &Path,
        size: u64,
        digest: Digest,
        progress: &Progress,
    ) -> Result<Answer, Failure> {
        let file = tokio::fs::File::open(path).await.map_err(|e| files::unreadable(path, &e))?;
        let bar = progress.clone();
        let stream = ReaderStream::with_capacity(file, 1 << 18).inspect_ok(move |chunk| bar.add(chunk.len() as u64));
        let request = self
            .http
            .post(self.api(&["uploads"]))
            .headers(self.headers())
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_LENGTH, size)
            .header("Content-Digest", format!("sha-256=:{}:", STANDARD.encode(digest.as_bytes())))
            .body(Body::wrap_stream(stream));
        // The registry may answer only when everything has arrived; 16 KiB/s is the slowest that is waited for.
        let patience = self.pace.answer + Duration::from_secs(size / (16 << 10));
        let response = tokio::time::timeout(patience, request.send()).await.map_err(|_| too_slow())?;
        Answer::read(response.map_err(failed)?, MAX_JSON, &self.pace).await
    }
}

fn invalid(what: &str) -> Failure {
    Failure::new(RESPONSE_INVALID, format!("the answer to the upload: {what}"), "try again")
}
