//! The one way in which a person acts on a version: a decision statement, signed here with the person's own key.
//!
//! The statement names registry, actor, version, manifest digest and the decision before it, so that it can be used
//! for nothing else and only once. Clause: specification, section 6; TRUST, documents that are signed.

use reqwest::Method;
use retoque_core::api::{VersionView, WhoAmI};
use retoque_core::decision::Decision;
use retoque_core::lifecycle::Action;

use crate::client::{Connection, Document};
use crate::commands::key::KeyFile;
use crate::context::Context;
use crate::error::Failure;
use crate::output::Page;
use crate::reference::ExactReference;
use crate::runtime::block_on;

/// What is known before somebody decides.
#[derive(Debug)]
pub struct Situation {
    /// The registry.
    pub connection: Connection,
    /// Who acts.
    pub me: WhoAmI,
    /// The version as it stands.
    pub version: VersionView,
}

impl Situation {
    /// Asks the registry.
    pub fn of(reference: &ExactReference, ctx: &Context) -> Result<Self, Failure> {
        let connection = Connection::open(ctx)?;
        let client = &connection.client;
        let (me, version) = block_on(async {
            let me = client.whoami().await?;
            Ok((me, client.version(reference.patch(), &reference.version()).await?))
        })?;
        Ok(Self { connection, me, version })
    }

    /// The version in words, for a question.
    pub fn name(&self) -> String {
        format!("{}@{} ({})", self.version.patch, self.version.summary.version, self.version.summary.digest)
    }

    /// Signs the decision that `fill` completes, and hands it in. Returns the version as it stands then.
    pub fn decide(
        &self,
        action: Action,
        key: &KeyFile,
        ctx: &Context,
        fill: impl FnOnce(&mut Decision),
    ) -> Result<VersionView, Failure> {
        let account = &self.me.account;
        let key = key.read(&self.connection.home, &account.name)?;
        let VersionView { patch, summary, head, .. } = &self.version;
        let subject = (patch.clone(), summary.version.clone());
        let origin = self.connection.origin()?;
        let mut decision = Decision::new(origin, action, account.name.clone(), subject, *head, ctx.start);
        if matches!(action, Action::Return | Action::Approve | Action::Revoke) {
            decision.disclosure.clone_from(&account.disclosure);
        }
        fill(&mut decision);
        let envelope = decision.sign(summary.digest, &key)?;
        let body = Document { media_type: "application/json", bytes: envelope.to_bytes().into() };
        let client = &self.connection.client;
        let url = client.version_url(patch, &summary.version.to_string(), &["decisions"]);
        block_on(client.call(Method::POST, url, Some(body)))
    }
}

/// Prints where a version stands.
pub fn report(view: &VersionView, ctx: &mut Context) -> Result<(), Failure> {
    ctx.report(view, |page| text(page, view))
}

/// Where a version stands.
pub fn text(page: &mut Page, view: &VersionView) {
    let summary = &view.summary;
    page.heading(format!("{} {}", view.patch, summary.version));
    page.field("state", summary.state);
    page.field("digest", summary.digest);
    page.field("base", &view.base);
    page.field("evidence", &summary.evidence);
    page.field("licence", &summary.licence);
    page.field("package", format!("{} ({} bytes)", view.package_sha256, view.package_size));
    page.field("pushed", format!("{} by {}", summary.created, view.pushed_by));
    if let Some(notice) = &summary.notice {
        page.field("reason", format!("{}: {}", notice.code, notice.text));
        if let Some(replacement) = &notice.replacement {
            page.field("replacement", format!("{}@{replacement}", view.patch));
        }
    }
    if !view.allowed_actions.is_empty() {
        let actions: Vec<_> = view.allowed_actions.iter().map(|action| action.name()).collect();
        page.field("you may", actions.join(", "));
    }
    for warning in &view.warnings {
        page.field("warning", format!("{} [{}]", warning.found, warning.code));
    }
}
