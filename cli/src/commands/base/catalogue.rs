//! `base add FILE` and `base list`: which bases a registry supports.

use std::path::PathBuf;

use reqwest::Method;
use retoque_core::api::BaseView;
use retoque_core::base::BaseRecord;

use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::runtime::block_on;

/// Arguments of `base add`.
#[derive(Debug, clap::Args)]
pub struct Add {
    /// The record, as `base record` wrote it
    file: PathBuf,
}

/// Arguments of `base list`.
#[derive(Debug, clap::Args)]
pub struct List {}

/// The most bytes of a record.
const MAX_RECORD: u64 = 8 << 20;

/// Runs `base add`.
pub(super) fn add(args: &Add, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let bytes = files::read(&args.file, MAX_RECORD)?;
    BaseRecord::from_bytes(&bytes)
        .map_err(|f| Failure::findings(format!("{} is no base record", files::shown(&args.file)), &f))?;
    let body = Document { media_type: "application/json", bytes: bytes.into() };
    let client = &connection.client;
    let view: BaseView = block_on(client.call(Method::POST, client.api(&["bases"]), Some(body)))?;
    ctx.report(&view, |page| {
        page.field("base", &view.base);
        page.field("licence", &view.licence);
        page.field("record", view.record);
        page.field("files", view.files);
    })
}

/// Runs `base list`.
pub(super) fn list(_args: &List, ctx: &mut Context) -> Result<(), Failure> {
    let client = Connection::open(ctx)?.client;
    let bases: Vec<BaseView> = block_on(client.list(client.api(&["bases"])))?;
    let rows: Vec<_> = bases.iter().map(|b| vec![b.base.to_string(), b.licence.clone(), b.files.to_string()]).collect();
    ctx.report(&bases, |page| page.table(&["base", "licence", "files"], &rows, "no bases"))
}
