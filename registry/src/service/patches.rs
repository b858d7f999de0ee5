//! Patches: made by the publishers of an org, found by whoever may see them.

use retoque_core::api::{Category, NewPatch, Page, PatchView, VersionSummary, Visibility as Declared};
use retoque_core::id::{BasePin, PatchName, RepoId};
use retoque_core::lifecycle::State;
use retoque_core::patch::Draft;
use retoque_core::permission::{Act, Visibility};
use retoque_core::problem::{
    BASE_UNSUPPORTED, FIELD_INVALID, Finding, Findings, NAME_INVALID, Place, QUERY_INVALID, quote,
};
use serde::Deserialize;
use serde::de::value::{Error as SerdeError, StrDeserializer};

use super::page::{Window, page};
use super::policy::{self, Subject, token_missing};
use super::{Actor, Error, Service, orgs, target};
use crate::store::Tx;
use crate::store::id::PatchId;
use crate::store::patches::{Filter, Line, MAX_WORDS, Newest, Patch, Viewer};

/// Makes a patch. Every field that breaks a rule is named, an unsupported base too.
pub async fn create(service: &Service, actor: &Actor, mut draft: Draft) -> Result<PatchView, Error> {
    let account = actor.account_id()?;
    if let Some(name) = &draft.name {
        policy::authorize(actor, Act::CreatePatch, Subject::org(&name.org))?;
    }
    let mut tx = service.store.read().await?;
    let mut base = None;
    if let Some(pin) = &draft.base {
        base = tx.base_by_pin(pin).await?;
        if base.is_none() {
            draft.findings.push(unsupported(pin));
        }
    }
    drop(tx);
    let new = draft.finish()?;
    let base = base.ok_or_else(|| Error::internal("a draft without a base and without a finding"))?;
    let (id, now) = (PatchId::mint(&service.chance)?, service.chance.now());
    let (new, base) = (&new, &base);
    service
        .store
        .write(|mut tx| async move {
            let row = Patch {
                id,
                org_id: orgs::find(&mut tx, &new.name.org).await?.id,
                name: new.name.clone(),
                title: new.title.clone(),
                problem: new.problem.clone(),
                success_criterion: new.success_criterion.clone(),
                category: new.category,
                base_id: base.id,
                base: base.pin.clone(),
                visibility: new.visibility,
                licensing: new.licensing,
                created_at: now,
                created_by: account,
                released: false,
            };
            tx.insert_patch(&row).await?;
            let made = line(&mut tx, id).await?;
            Ok::<_, Error>(tx.done(view(actor, made)))
        })
        .await
}

/// One patch.
pub async fn show(service: &Service, actor: &Actor, name: &PatchName) -> Result<PatchView, Error> {
    let mut tx = service.store.read().await?;
    let row = target::patch(&mut tx, actor, Act::ReadPatch, name).await?;
    Ok(view(actor, line(&mut tx, row.id).await?))
}

async fn line(tx: &mut Tx, id: PatchId) -> Result<Line, Error> {
    tx.patch_line(id).await?.ok_or_else(|| Error::internal("a lost patch"))
}

/// What to look for; what is absent filters nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Words that all stand in name, title, problem, category or base.
    pub q: Option<String>,
    /// A category.
    pub category: Option<String>,
    /// `owner/name` or `owner/name@commit`.
    pub base: Option<String>,
    /// An org.
    pub org: Option<String>,
    /// A state that one of the versions is in.
    pub state: Option<String>,
    /// Where the page begins.
    pub cursor: Option<String>,
    /// How long it is.
    pub limit: Option<String>,
}

/// The patches that the actor may see and the query keeps, by name.
pub async fn search(service: &Service, actor: &Actor, query: &Query) -> Result<Page<PatchView>, Error> {
    let (filter, window) = parse(query)?;
    let viewer = viewer(actor, &filter)?;
    let mut tx = service.store.read().await?;
    let found = page(tx.search_patches(viewer, &filter, &window.rows()).await?, Ok)?;
    let mut items = Vec::with_capacity(found.items.len());
    for line in found.items {
        // The search shows nobody more than the gate: both must agree on each row.
        if policy::allows(actor, Act::ReadPatch, Subject::patch(&line.patch.name.org, visibility(&line.patch))) {
            items.push(view(actor, line));
        }
    }
    Ok(Page { items, next: found.next })
}

/// Whose eyes the search has; refuses to look for states that they cannot see.
fn viewer(actor: &Actor, filter: &Filter) -> Result<Viewer, Error> {
    let viewer = policy::viewer(actor, filter.org.as_ref());
    // That a public patch has a version which is not published yet is known to its org alone.
    let hidden = matches!(filter.state, Some(State::Candidate | State::Submitted | State::Approved));
    let in_org = || filter.org.as_ref().is_some_and(|org| policy::sees_private(actor, org));
    if hidden && !viewer.everything && !in_org() {
        if actor.signed_in().is_none() {
            return Err(token_missing());
        }
        let next = "name one of your orgs with `org=`";
        let (found, expected) = ("a state that is known to the org alone", "`org=` with an org of yours");
        return Err(Error::refuse(QUERY_INVALID, Place::field("state"), found, expected, next));
    }
    Ok(viewer)
}

fn parse(query: &Query) -> Result<(Filter, Window), Findings> {
    let mut findings = Findings::new();
    let mut refuse = |code, field: &str, text: &str, expected: String| {
        let next = "correct the parameter, or leave it out";
        findings.push(Finding::new(code, Place::field(field), quote(text), expected, next));
    };
    let mut filter = Filter {
        words: query.q.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        ..Filter::default()
    };
    if filter.words.len() > MAX_WORDS {
        refuse(FIELD_INVALID, "q", &format!("{} words", filter.words.len()), format!("at most {MAX_WORDS} words"));
    }
    if query.q.as_ref().is_some_and(|text| text.chars().count() > 200) {
        refuse(FIELD_INVALID, "q", "a longer text", "at most 200 characters".to_owned());
    }
    if let Some(text) = &query.category {
        let parsed = Category::deserialize(StrDeserializer::<SerdeError>::new(text));
        filter.category = parsed.map_err(|rule| refuse(FIELD_INVALID, "category", text, rule.to_string())).ok();
    }
    if let Some(text) = &query.base {
        match (text.parse::<BasePin>(), text.parse::<RepoId>()) {
            (Ok(pin), _) => (filter.base_repo, filter.base_commit) = (Some(pin.repo), Some(pin.commit)),
            (_, Ok(repo)) => filter.base_repo = Some(repo),
            (Err(rule), Err(_)) => refuse(NAME_INVALID, "base", text, rule.to_string()),
        }
    }
    if let Some(text) = &query.org {
        filter.org = text
            .parse()
            .map_err(|rule: retoque_core::id::IdError| refuse(NAME_INVALID, "org", text, rule.to_string()))
            .ok();
    }
    if let Some(text) = &query.state {
        filter.state = State::from_name(text);
        if filter.state.is_none() {
            refuse(FIELD_INVALID, "state", text, State::ALL.map(State::name).join(", "));
        }
    }
    let window = Window::parse(query.cursor.as_deref(), query.limit.as_deref()).map_err(|f| findings.extend(f)).ok();
    findings.into_result(()).map(|_| (filter, window.unwrap_or_default()))
}

/// Who can see the patch itself.
fn visibility(patch: &Patch) -> Visibility {
    Visibility::of(patch.visibility == Declared::Private, patch.released)
}

/// What the actor sees of a patch.
fn view(actor: &Actor, line: Line) -> PatchView {
    let row = line.patch;
    // What was never published is for those alone who see what is private.
    let counted = policy::allows(actor, Act::ReadVersion, Subject::patch(&row.name.org, Visibility::Private));
    PatchView {
        patch: NewPatch {
            name: row.name,
            title: row.title,
            problem: row.problem,
            success_criterion: row.success_criterion,
            category: row.category,
            base: row.base,
            visibility: row.visibility,
            licensing: row.licensing,
        },
        created_by: line.created_by,
        created: row.created_at,
        newest: line.newest.map(summary),
        versions: if counted { line.versions } else { line.released },
    }
}

/// The line of a published version, which has no notice.
fn summary(newest: Newest) -> VersionSummary {
    VersionSummary {
        version: newest.version,
        digest: newest.manifest_digest,
        state: State::Published,
        evidence: newest.evidence_state,
        licence: newest.licence_state,
        created: newest.created_at,
        notice: None,
    }
}

fn unsupported(pin: &BasePin) -> Finding {
    Finding::new(
        BASE_UNSUPPORTED,
        Place::field("base"),
        pin.to_string(),
        "one of the supported revisions",
        "choose one of `GET /api/v1/bases`, or ask the operator to add this one",
    )
}
