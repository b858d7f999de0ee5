//! `show REF`: a patch with its versions, or one version with its evidence and licence.
//!
//! What is shown is the registry's word; `pull` and `verify` prove it.

use retoque_core::api::{LicenceView, PatchView, VersionSummary, VersionView};
use retoque_core::digest::Digest;
use retoque_core::manifest::Manifest;
use retoque_core::problem::DIGEST_MISMATCH;
use serde::Serialize;

use super::{patch, review};
use crate::client::{Client, Connection, MAX_MANIFEST};
use crate::context::Context;
use crate::decide;
use crate::error::Failure;
use crate::reference::{Reference, Selector};
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A patch (`org/slug`) or one of its versions (`org/slug@1.2.0`, `@^1.2`, `@sha256:…`)
    #[arg(value_name = "REF")]
    reference: Reference,
}

#[derive(Serialize)]
struct ShownPatch {
    #[serde(flatten)]
    patch: PatchView,
    listing: Vec<VersionSummary>,
}

#[derive(Serialize)]
struct ShownVersion {
    #[serde(flatten)]
    version: VersionView,
    manifest: Manifest,
    licence_records: LicenceView,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    if args.reference.selector == Selector::Newest {
        whole(&args.reference, &client, ctx)
    } else {
        one(&args.reference, &client, ctx)
    }
}

fn whole(reference: &Reference, client: &Client, ctx: &mut Context) -> Result<(), Failure> {
    let name = &reference.patch;
    let shown = block_on(async {
        let patch = client.get(client.api(&["patches", name.org.as_str(), name.slug.as_str()])).await?;
        Ok(ShownPatch { patch, listing: client.versions(name).await? })
    })?;
    let row = |v: &VersionSummary| {
        let why = v.notice.as_ref().map(|n| format!("{}: {}", n.code, n.text)).unwrap_or_default();
        vec![
            v.version.to_string(),
            v.state.to_string(),
            v.evidence.to_string(),
            v.licence.to_string(),
            v.digest.to_string(),
            why,
        ]
    };
    let rows: Vec<_> = shown.listing.iter().map(row).collect();
    ctx.report(&shown, |page| {
        patch::text(page, &shown.patch);
        page.blank();
        page.table(&["version", "state", "evidence", "licence", "digest", ""], &rows, "no versions");
    })
}

fn one(reference: &Reference, client: &Client, ctx: &mut Context) -> Result<(), Failure> {
    let shown = block_on(async {
        let at = client.locate(reference).await?;
        let version = client.version(&reference.patch, &at).await?;
        let bytes = client.bytes(client.version_url(&reference.patch, &at, &["manifest"]), MAX_MANIFEST).await?;
        let digest = Digest::of(&bytes);
        if digest != version.summary.digest {
            let message = format!("the registry served the manifest {digest} as {}", version.summary.digest);
            return Err(Failure::new(DIGEST_MISMATCH, message, "report it to the operator of the registry"));
        }
        let manifest = Manifest::from_bytes(&bytes).map_err(|f| Failure::findings("the manifest is refused", &f))?;
        let licence_records = client.get(client.version_url(&reference.patch, &at, &["licence"])).await?;
        Ok(ShownVersion { version, manifest, licence_records })
    })?;
    ctx.report(&shown, |page| {
        decide::text(page, &shown.version);
        let adapter = &shown.manifest.adapter;
        page.field("base licence", &shown.licence_records.base_licence);
        page.field(
            "adapter",
            format!(
                "rank {}, alpha {}, {} in {} layers",
                adapter.rank,
                adapter.alpha,
                adapter.modules.join(", "),
                adapter.layers.len()
            ),
        );
        page.blank();
        review::counts(page, &shown.manifest.evidence);
    })
}
