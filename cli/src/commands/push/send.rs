//! Sends the checked files and makes the version.

use std::collections::BTreeMap;

use reqwest::Method;
use retoque_core::api::{Push, VersionView};
use retoque_core::digest::Digest;

use super::check::Checked;
use crate::client::{Client, Document};
use crate::error::Failure;
use crate::output::Progress;

/// Uploads one file after the other, then names them all.
pub(super) async fn run(
    client: &Client,
    checked: &Checked,
    acknowledgement: Option<Digest>,
    bar: &Progress,
) -> Result<VersionView, Failure> {
    let (mut package, mut record) = (String::new(), BTreeMap::new());
    for file in &checked.files {
        let upload = client.upload(&file.path, file.size, file.sha256, bar).await?.upload;
        match file.name {
            Some(name) => drop(record.insert(name.to_owned(), upload)),
            None => package = upload,
        }
    }
    let body = Document::json(&Push { package, record, manifest: Some(checked.manifest_digest), acknowledgement })?;
    let manifest = &checked.manifest;
    let url = client.version_url(&manifest.patch, &manifest.version.to_string(), &[]);
    // The registry reads and checks everything before it answers.
    client.patient().call(Method::PUT, url, Some(body)).await
}
