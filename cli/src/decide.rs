//! The one way in which a person acts on a version: a decision statement, signed here with the person's own key.
//!
//! The statement names registry, actor, version, manifest digest and the decision before it, so that it can be used
//! for nothing else and only once. Clause: specification, section 6; TRUST, documents that are signed.

use reqwest::Method;
use retoque_core::api::{VersionView, WhoAmI};
use retoque_core::decision::Decision;
use retoque_core::digest::Digest;
use retoque_core::lifecycle::Action;
use retoque_core::manifest::Manifest;
use retoque_core::problem::{DIGEST_MISMATCH, NAME_MISMATCH, SUBJECT_MISMATCH};
use retoque_core::sign::provenance::Provenance;
use retoque_core::sign::statement::{MANIFEST, Statement};
use retoque_core::sign::{Envelope, Role, Time, dsse};

use crate::client::{Connection, Document, MAX_MANIFEST, Sources};
use crate::commands::key::KeyFile;
use crate::context::Context;
use crate::error::Failure;
use crate::head::Asking;
use crate::output::Page;
use crate::receipt::Receipts;
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
    /// When the command began.
    pub now: Time,
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
        Ok(Self { connection, me, version, now: ctx.start })
    }

    /// Where the receipts of this version are kept.
    fn receipts(&self) -> Receipts<'_> {
        let VersionView { patch, summary, .. } = &self.version;
        let (version, manifest) = (&summary.version, summary.digest);
        Receipts { connection: &self.connection, patch, version, manifest, now: self.now }
    }

    /// The version in words, for a question.
    pub fn name(&self) -> String {
        format!("{}@{} ({})", self.version.patch, self.version.summary.version, self.version.summary.digest)
    }

    /// Signs the decision that `fill` completes, hands it in, and keeps the receipt. Returns the version as it stands
    /// then.
    pub fn decide(
        &self,
        action: Action,
        key: &KeyFile,
        ctx: &mut Context,
        fill: impl FnOnce(&mut Decision),
    ) -> Result<VersionView, Failure> {
        self.prove(action, ctx)?;
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
        block_on(async {
            let view = client.call(Method::POST, url, Some(body)).await?;
            self.receipts().of(action.name(), &envelope, ctx).await?;
            Ok(view)
        })
    }
}

impl Situation {
    /// Nobody signs a digest on the registry's word: it is computed here from the manifest, which must be that of the
    /// version. Acts that let a version go on also need the build signature over it, under the pinned root; acts that
    /// stop one must stay possible when a build key was revoked.
    fn prove(&self, action: Action, ctx: &Context) -> Result<(), Failure> {
        let (client, version) = (&self.connection.client, &self.version);
        let digest = version.summary.digest;
        let url = |document: &str| client.version_url(&version.patch, &digest.to_string(), &[document]);
        let sources = Sources::only(client.clone());
        let (trust, manifest, attestation) = block_on(async {
            let trust = Asking::new(&self.connection, &sources, ctx.start, true).ask_roots().await?;
            let manifest = client.bytes(url("manifest"), MAX_MANIFEST).await?;
            Ok((trust, manifest, client.bytes(url("attestation"), dsse::MAX_BYTES).await?))
        })?;
        let report = "do not sign it; report it to the operator of the registry";
        let found = Digest::of(&manifest);
        if found != digest {
            let message = format!("the registry served the manifest {found} as {digest}");
            return Err(Failure::new(DIGEST_MISMATCH, message, report));
        }
        let manifest = Manifest::from_bytes(&manifest).map_err(|f| Failure::findings("the manifest is refused", &f))?;
        if (&manifest.patch, &manifest.version) != (&version.patch, &version.summary.version) {
            let message = format!("the manifest is of {}@{}", manifest.patch, manifest.version);
            return Err(Failure::new(NAME_MISMATCH, message, report));
        }
        if !matches!(action, Action::Submit | Action::Approve | Action::Publish | Action::Restore) {
            return Ok(());
        }
        trust.root().check_expiry(ctx.start)?;
        let keys = trust.root().keys(Role::PlatformBuild);
        let statement = Statement::<Provenance>::verify(&Envelope::parse(&attestation)?, &keys)?;
        match statement.subject(MANIFEST) {
            Some(subject) if subject == digest => Ok(()),
            _ => Err(Failure::new(SUBJECT_MISMATCH, "the build signature is over another manifest", report)),
        }
    }
}

/// What the envelope of a decision says, for reading only: whose signature holds is not asked here.
pub fn statement(envelope: &str) -> Option<Decision> {
    let envelope = Envelope::parse(envelope.as_bytes()).ok()?;
    Some(Statement::<Decision>::parse_unverified(envelope.payload_unverified()).ok()?.into_predicate())
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
    page.field("evidence", summary.evidence);
    page.field("licence", summary.licence);
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
