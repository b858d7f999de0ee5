//! Patches and the search over them.
//!
//! A public patch is found by anyone once a version of it was published; before that, and a private one always, by its
//! org and by those whom the caller lets see everything ([`Viewer`]).

use jiff::Timestamp;
use retoque_core::api::{Category, LicensingIntent, Visibility};
use retoque_core::digest::Digest;
use retoque_core::evaluation::EvidenceState;
use retoque_core::id::{AccountName, BasePin, Commit, Org, PatchName, RepoId, Slug, Version};
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;

use super::db::Tx;
use super::error::Error;
use super::id::{AccountId, BaseId, OrgId, PatchId};
use super::page::{Listing, Page};
use super::value::{Arg, Columns, args, statements};

/// The columns of [`Patch`], in its order.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.org_id, o.name, p.slug, p.title, p.problem, p.success_criterion, p.category, p.base_id, ",
            "b.repo, b.\"commit\", p.visibility, p.licensing, p.created_at, p.created_by, ",
            "EXISTS (SELECT 1 FROM versions v JOIN releases r ON r.version_id = v.id WHERE v.patch_id = p.id) ",
            "FROM patches p ",
            "JOIN orgs o ON o.id = p.org_id JOIN bases b ON b.id = p.base_id ",
            $rest
        )
    };
}

/// The columns of [`Line`], in its order.
macro_rules! select_line {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.org_id, o.name, p.slug, p.title, p.problem, p.success_criterion, p.category, p.base_id, ",
            "b.repo, b.\"commit\", p.visibility, p.licensing, p.created_at, p.created_by, ",
            "EXISTS (SELECT 1 FROM versions v JOIN releases r ON r.version_id = v.id WHERE v.patch_id = p.id), ",
            "a.name, (SELECT COUNT(*) FROM versions v WHERE v.patch_id = p.id), ",
            "(SELECT COUNT(*) FROM versions v JOIN releases r ON r.version_id = v.id WHERE v.patch_id = p.id), ",
            "n.version, n.manifest_digest, n.evidence_state, n.licence_state, n.created_at ",
            "FROM patches p JOIN orgs o ON o.id = p.org_id JOIN bases b ON b.id = p.base_id ",
            "JOIN accounts a ON a.id = p.created_by ",
            "LEFT JOIN versions n ON n.id = (SELECT v.id FROM versions v JOIN releases r ON r.version_id = v.id ",
            "WHERE v.patch_id = p.id AND v.state = 'published' AND v.release_order IS NOT NULL ",
            "ORDER BY v.release_order DESC LIMIT 1) ",
            $rest
        )
    };
}

statements! {
    INSERT_PATCH = "INSERT INTO patches (id, org_id, slug, title, problem, success_criterion, category, base_id, visibility, \
        licensing, search, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    PATCH_BY_ID = select!("WHERE p.id = $1");
    PATCH_BY_NAME = select!("WHERE o.name = $1 AND p.slug = $2");
    LINE = select_line!("WHERE p.id = $1");
    // A filter that is null filters nothing; the casts tell the engine the type of a null.
    SEARCH = select_line!(
        "WHERE o.name || '/' || p.slug > $1 \
        AND ((p.visibility = 'public' AND EXISTS (SELECT 1 FROM versions v JOIN releases r ON r.version_id = v.id \
            WHERE v.patch_id = p.id)) \
        OR $3 OR EXISTS (SELECT 1 FROM memberships m WHERE m.org_id = p.org_id \
            AND m.account_id = CAST($4 AS TEXT))) \
        AND (CAST($5 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($5 AS TEXT) ESCAPE '!') \
        AND (CAST($11 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($11 AS TEXT) ESCAPE '!') \
        AND (CAST($12 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($12 AS TEXT) ESCAPE '!') \
        AND (CAST($13 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($13 AS TEXT) ESCAPE '!') \
        AND (CAST($14 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($14 AS TEXT) ESCAPE '!') \
        AND (CAST($15 AS TEXT) IS NULL OR p.search || ' ' || p.category || ' ' || LOWER(b.repo) \
            LIKE CAST($15 AS TEXT) ESCAPE '!') \
        AND (CAST($6 AS TEXT) IS NULL OR p.category = CAST($6 AS TEXT)) \
        AND (CAST($7 AS TEXT) IS NULL OR b.repo = CAST($7 AS TEXT)) \
        AND (CAST($8 AS TEXT) IS NULL OR b.\"commit\" = CAST($8 AS TEXT)) \
        AND (CAST($9 AS TEXT) IS NULL OR o.name = CAST($9 AS TEXT)) \
        AND (CAST($10 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM versions v WHERE v.patch_id = p.id \
            AND v.state = CAST($10 AS TEXT) AND ($3 OR EXISTS (SELECT 1 FROM releases r WHERE r.version_id = v.id) \
            OR EXISTS (SELECT 1 FROM memberships m WHERE m.org_id = p.org_id AND m.account_id = CAST($4 AS TEXT))))) \
        ORDER BY o.name || '/' || p.slug LIMIT $2"
    );
}

/// A patch, with the names of its org and base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Row id.
    pub id: PatchId,
    /// Its org.
    pub org_id: OrgId,
    /// `org/slug`.
    pub name: PatchName,
    /// Title.
    pub title: String,
    /// The failure it repairs.
    pub problem: String,
    /// How one sees that it is repaired.
    pub success_criterion: String,
    /// Category.
    pub category: Category,
    /// Its base.
    pub base_id: BaseId,
    /// The base's pin.
    pub base: BasePin,
    /// Who may see it.
    pub visibility: Visibility,
    /// Licensing intent.
    pub licensing: LicensingIntent,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who made it.
    pub created_by: AccountId,
    /// Whether any of its versions was ever published. Read only.
    pub released: bool,
}

/// A patch as a list shows it, with what is known of its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The patch.
    pub patch: Patch,
    /// Who made it, by name.
    pub created_by: AccountName,
    /// How many versions it has.
    pub versions: u64,
    /// How many of them were ever published.
    pub released: u64,
    /// The newest that is published, pre-releases left aside.
    pub newest: Option<Newest>,
}

/// The newest published version of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// Its name.
    pub version: Version,
    /// Digest of its manifest.
    pub manifest_digest: Digest,
    /// Evidence state.
    pub evidence_state: EvidenceState,
    /// Licence state.
    pub licence_state: LicenceState,
    /// When it was pushed.
    pub created_at: Timestamp,
}

/// Whose eyes a search has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Viewer {
    /// Sees every patch of this account's orgs.
    pub account: Option<AccountId>,
    /// Sees every patch.
    pub everything: bool,
}

/// How many words one search takes.
pub const MAX_WORDS: usize = 6;

/// What to search for; each filter that is absent filters nothing.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Words that all stand in name, title, problem, category or base, in any order and letter case: at most
    /// [`MAX_WORDS`].
    pub words: Vec<String>,
    /// The category.
    pub category: Option<Category>,
    /// The base repository.
    pub base_repo: Option<RepoId>,
    /// The base commit.
    pub base_commit: Option<Commit>,
    /// The org.
    pub org: Option<Org>,
    /// Has a version in this state that the viewer may see.
    pub state: Option<State>,
}

fn patch(c: &mut Columns<'_>) -> Result<Patch, Error> {
    Ok(Patch {
        id: c.take()?,
        org_id: c.take()?,
        name: PatchName { org: c.take()?, slug: c.take()? },
        title: c.take()?,
        problem: c.take()?,
        success_criterion: c.take()?,
        category: c.take()?,
        base_id: c.take()?,
        base: BasePin { repo: c.take()?, commit: c.take()? },
        visibility: c.take()?,
        licensing: c.take()?,
        created_at: c.take()?,
        created_by: c.take()?,
        released: c.take()?,
    })
}

fn line(c: &mut Columns<'_>) -> Result<Line, Error> {
    let patch = patch(c)?;
    let (created_by, versions, released) = (c.take()?, c.take()?, c.take()?);
    let newest = match c.take::<Option<Version>>()? {
        None => None,
        Some(version) => Some(Newest {
            version,
            manifest_digest: c.take()?,
            evidence_state: c.take()?,
            licence_state: c.take()?,
            created_at: c.take()?,
        }),
    };
    Ok(Line { patch, created_by, versions, released, newest })
}

impl Tx {
    /// Makes a patch; the slug must be free in its org.
    pub async fn insert_patch(&mut self, p: &Patch) -> Result<(), Error> {
        let search = format!("{}\n{}\n{}", p.name, p.title, p.problem).to_lowercase();
        let args = args![
            &p.id,
            &p.org_id,
            &p.name.slug,
            &p.title,
            &p.problem,
            &p.success_criterion,
            p.category,
            &p.base_id,
            p.visibility,
            p.licensing,
            &search,
            p.created_at,
            &p.created_by
        ];
        self.execute(INSERT_PATCH, args).await.map(drop)
    }

    /// The patch of that id.
    pub async fn patch(&mut self, id: PatchId) -> Result<Option<Patch>, Error> {
        self.row(PATCH_BY_ID, args![&id]).await?.map(|row| patch(&mut Columns::of(&row))).transpose()
    }

    /// The patch `org/slug`, private ones too.
    pub async fn patch_by_name(&mut self, org: &Org, slug: &Slug) -> Result<Option<Patch>, Error> {
        self.row(PATCH_BY_NAME, args![org, slug]).await?.map(|row| patch(&mut Columns::of(&row))).transpose()
    }

    /// The patch of that id, as a list shows it.
    pub async fn patch_line(&mut self, id: PatchId) -> Result<Option<Line>, Error> {
        self.row(LINE, args![&id]).await?.map(|row| line(&mut Columns::of(&row))).transpose()
    }

    /// The patches that `viewer` may see and `filter` keeps, by name.
    pub async fn search_patches(
        &mut self,
        viewer: Viewer,
        filter: &Filter,
        page: &Page,
    ) -> Result<Listing<Line>, Error> {
        let words: Vec<String> = filter.words.iter().map(|word| contains(word)).collect();
        let word = |n: usize| words.get(n).map(String::as_str);
        let args: &[Arg] = &[
            page.after_arg(),
            page.limit_arg(),
            viewer.everything.into(),
            viewer.account.as_ref().into(),
            word(0).into(),
            filter.category.into(),
            filter.base_repo.as_ref().into(),
            filter.base_commit.as_ref().into(),
            filter.org.as_ref().into(),
            filter.state.map(State::name).into(),
            word(1).into(),
            word(2).into(),
            word(3).into(),
            word(4).into(),
            word(5).into(),
        ];
        let rows = self.rows(SEARCH, args).await?;
        let items = rows.iter().map(|row| line(&mut Columns::of(row))).collect::<Result<_, _>>()?;
        Ok(page.listing(items, |l: &Line| l.patch.name.to_string()))
    }
}

/// A LIKE pattern that finds `text` anywhere, wildcards taken literally.
fn contains(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
