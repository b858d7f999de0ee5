//! The resources, one per file. Each file names its routes; nothing else does.

mod accounts;
mod bases;
mod decisions;
mod files;
mod keys;
mod log;
mod members;
mod orgs;
mod patches;
mod proofs;
mod root;
mod status;
mod suites;
mod tokens;
mod uploads;
mod versions;
mod whoami;

use axum::Router;
use retoque_core::id::PatchName;
use serde::Deserialize;

use super::extract::Name;
use super::problem::Refusal;
use super::{Limits, Shared};
use crate::service::page::Window;
use crate::service::target::VersionRef;

pub(super) use log::log;
pub(super) use root::trust;

/// Routes that answer within the time limit of a plain request.
pub(super) fn quick() -> Router<Shared> {
    Router::new()
        .merge(accounts::routes())
        .merge(decisions::quick())
        .merge(versions::quick())
        .merge(bases::routes())
        .merge(keys::routes())
        .merge(members::routes())
        .merge(orgs::routes())
        .merge(patches::routes())
        .merge(proofs::routes())
        .merge(root::routes())
        .merge(status::routes())
        .merge(suites::routes())
        .merge(tokens::routes())
        .merge(whoami::routes())
}

/// Routes that move or check whole packages; they have limits of their own.
pub(super) fn slow(limits: &Limits) -> Router<Shared> {
    Router::new().merge(decisions::slow()).merge(files::slow()).merge(uploads::slow(limits)).merge(versions::slow())
}

/// One version of a patch.
const ONE_VERSION: &str = "/patches/{org}/{slug}/versions/{version}";

/// Its name, out of the path.
type AtVersion = Name<(PatchName, VersionRef)>;

/// Whose things a list is about; absent: one's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfAccount {
    account: Option<String>,
}

/// The query of a plain list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paged {
    cursor: Option<String>,
    limit: Option<String>,
}

impl Paged {
    fn window(&self) -> Result<Window, Refusal> {
        Ok(Window::parse(self.cursor.as_deref(), self.limit.as_deref())?)
    }
}
