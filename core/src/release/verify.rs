//! The whole verification of a pulled folder. No network, no clock: the caller gives the root and the time.

use super::document::Release;
use super::files::{self, check_names, compare, verify_file};
use super::log::{self, Proven};
use super::report::{self, LogReport, Report, StatusReport};
use super::{ATTESTATION, FolderView, LICENSE, RELEASE, VALIDATION_CASES, document, signed};
use crate::digest::Digest;
use crate::id::{BasePin, PatchName, Version};
use crate::log::policy::Policy;
use crate::log::{Head, VerifiedCheckpoint};
use crate::manifest::{self, FileEntry, Manifest};
use crate::problem::{
    ATTESTATION_MISMATCH, Finding, Findings, NAME_MISMATCH, Place, REGISTRY_MISMATCH, RELEASE_MANIFEST,
};
use crate::sign::provenance::Provenance;
use crate::sign::root::Chain;
use crate::sign::statement::{MANIFEST, Statement};
use crate::sign::{Time, dsse};
use crate::status::Status;

/// What the verifier brings along. None of it comes from the folder.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'a> {
    /// The roots that were pinned, or followed from there.
    pub chain: &'a Chain,
    /// The registry that the root belongs to, when the caller knows.
    pub registry: Option<&'a str>,
    /// The time at which the command began.
    pub now: Time,
    /// Go on with an expired root and only report it.
    pub allow_expired: bool,
    /// Which witnesses count; those of the newest root when the caller has no policy.
    pub policy: Option<&'a Policy>,
    /// A head that was verified before, of the log with that origin: another root for its size is a fork.
    pub known: Option<(&'a str, Head)>,
    /// The newest status that was verified before.
    pub status: Option<&'a Status>,
}

impl<'a> Trust<'a> {
    /// These roots at this time, and nothing else known.
    pub const fn new(chain: &'a Chain, now: Time) -> Self {
        Self { chain, registry: None, now, allow_expired: false, policy: None, known: None, status: None }
    }
}

/// What the caller asked for, so that right bytes under a wrong name are noticed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// The patch.
    pub patch: Option<&'a PatchName>,
    /// The version.
    pub version: Option<&'a Version>,
    /// The manifest digest.
    pub manifest: Option<Digest>,
}

/// A release whose statements are verified. Its files are those of `manifest`.
#[derive(Debug, Clone)]
pub struct VerifiedRelease {
    /// The document.
    pub release: Release,
    /// The manifest that the statements are about.
    pub manifest: Manifest,
    /// What is proven.
    pub report: Report,
    /// The trusted roots and those of the release together: what the caller should keep.
    pub chain: Chain,
    /// The checkpoint that everything is proven in.
    pub checkpoint: VerifiedCheckpoint,
    /// Index of the publication in the log.
    pub index: u64,
    /// Of a private patch: the commitment by which a status names the version.
    pub commitment: Option<Digest>,
}

pub(super) fn place(field: &str) -> Place {
    Place::file(RELEASE).at_field(field)
}

/// Verifies everything: names, statements, and every byte of every file, one after the other.
pub fn verify(
    view: &dyn FolderView,
    trust: &Trust<'_>,
    asked: Asked<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<VerifiedRelease, Findings> {
    let (verified, mut findings) = match open(view, trust, asked) {
        Ok(verified) => (Some(verified), Findings::new()),
        Err(findings) => (None, findings),
    };
    // The files of a manifest that no signature covers prove nothing, so they are only checked behind a good one.
    for entry in verified.iter().flat_map(|v| &v.manifest.files) {
        findings.extend(verify_entry(view, entry, progress));
    }
    match verified {
        Some(verified) if !findings.refused() => Ok(verified),
        _ => Err(findings),
    }
}

fn verify_entry(view: &dyn FolderView, entry: &FileEntry, progress: &mut dyn FnMut(u64)) -> Findings {
    match view.open(&entry.path) {
        Ok((mut reader, _)) => verify_file(entry, &mut reader, progress),
        Err(error) => files::unreadable(&entry.path, &error).into(),
    }
}

/// Verifies everything but the content of the package files: those are `manifest.files`, and [`verify_file`] checks
/// each, on as many threads as the caller likes.
pub fn open(view: &dyn FolderView, trust: &Trust<'_>, asked: Asked<'_>) -> Result<VerifiedRelease, Findings> {
    let mut findings = Findings::new();
    let mut read = |name: &str, most: usize| match files::read(view, name, most) {
        Ok(bytes) => Some(bytes),
        Err(finding) => {
            findings.push(finding);
            None
        }
    };
    let release_bytes = read(RELEASE, document::MAX_BYTES);
    let manifest_bytes = read(MANIFEST, manifest::MAX_BYTES);
    let attestation = read(ATTESTATION, dsse::MAX_BYTES);
    let license = read(LICENSE, 1 << 20);
    let release = release_bytes.and_then(|bytes| match Release::parse(&bytes) {
        Ok(release) => Some(release),
        Err(finding) => {
            findings.push(finding);
            None
        }
    });
    let cases = release.as_ref().map(|release| release.files.validation_cases);
    // A missing file was already named when it was read.
    let mut names = Findings::new();
    for finding in check_names(view, cases.map(|c| c.is_some())).list() {
        if !findings.list().iter().any(|f| f.code == finding.code && f.place.file == finding.place.file) {
            names.push(finding.clone());
        }
    }
    findings.extend(names);
    let Some(release) = release else { return Err(findings) };
    let checked = manifest_bytes.map(|bytes| check_documents(&release, &bytes, trust, asked));
    let (verified, more) = match checked {
        Some(Ok(verified)) => (Some(verified), Findings::new()),
        Some(Err(more)) => (None, more),
        None => (None, Findings::new()),
    };
    findings.extend(more);
    if let Some(finding) = license.and_then(|bytes| compare(LICENSE, Digest::of(&bytes), release.files.license)) {
        findings.push(finding);
    }
    if let Some(Some(digest)) = cases
        && !findings.list().iter().any(|f| f.place.file.as_deref() == Some(VALIDATION_CASES))
    {
        findings.extend(files::verify_digest(view, VALIDATION_CASES, digest, 64 << 20));
    }
    if attestation.is_some_and(|bytes| bytes != release.attestation.to_bytes()) {
        findings.push(Finding::new(
            ATTESTATION_MISMATCH,
            Place::file(ATTESTATION),
            "another attestation than in release.json",
            "the same envelope, byte for byte",
            "do not use this folder; pull the version again",
        ));
    }
    match verified {
        Some(verified) if !findings.refused() => Ok(verified),
        _ => Err(findings),
    }
}

/// Verifies `release.json` and the manifest without a folder: what a registry asks of itself before it publishes.
pub fn check_documents(
    release: &Release,
    manifest_bytes: &[u8],
    trust: &Trust<'_>,
    asked: Asked<'_>,
) -> Result<VerifiedRelease, Findings> {
    let Examined { manifest, chain, signed, proven, root_expired, findings } =
        examine(release, manifest_bytes, trust, asked, Stage::Final)?;
    let Some(proven) = proven else { return Err(findings) };
    let log = LogReport::of(&proven, trust.now);
    let status = trust.status.and_then(|status| StatusReport::of(status, release, &chain, &proven, trust.now));
    let report = Report {
        registry: release.registry.clone(),
        patch: manifest.patch.clone(),
        version: manifest.version.clone(),
        manifest: release.manifest_digest,
        package: signed.package,
        base: BasePin { repo: manifest.base.repo.clone(), commit: manifest.base.commit.clone() },
        evidence: manifest.evidence.state,
        licence: signed.licence.state,
        terms: signed.licence.terms,
        signed: signed.by,
        root_version: chain.newest().version(),
        root_expires: chain.newest().expires(),
        root_expired,
        disclosure: signed.disclosure,
        not_active: report::not_active(&log, status.as_ref()),
        log,
        status,
    };
    let Proven { checkpoint, index, commitment, .. } = proven;
    Ok(VerifiedRelease { release: release.clone(), manifest, report, chain, checkpoint, index, commitment })
}

/// As [`check_documents`], before the proofs are there: every document and its record, with the indexes that the log
/// gave out. What passes here is refused later only for what the log itself did.
pub fn check_draft(
    release: &Release,
    manifest_bytes: &[u8],
    trust: &Trust<'_>,
    asked: Asked<'_>,
) -> Result<(), Findings> {
    examine(release, manifest_bytes, trust, asked, Stage::Draft).map(drop)
}

/// What of a release is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Everything but the proofs.
    Draft,
    /// Everything.
    Final,
}

struct Examined {
    manifest: Manifest,
    chain: Chain,
    signed: signed::Signed,
    proven: Option<Proven>,
    root_expired: bool,
    findings: Findings,
}

fn examine(
    release: &Release,
    manifest_bytes: &[u8],
    trust: &Trust<'_>,
    asked: Asked<'_>,
    stage: Stage,
) -> Result<Examined, Findings> {
    let mut findings = Findings::new();
    let manifest = manifest(release, manifest_bytes, trust, asked, &mut findings)?;
    let chain = trust.chain.join(&release.root_chain).map_err(|mut finding| {
        finding.place = place("root_chain");
        let mut all = std::mem::take(&mut findings);
        all.push(finding);
        all
    })?;
    let expiry = chain.newest().check_expiry(trust.now);
    let root_expired = expiry.is_err();
    let mut logged = log::check(release, &chain, &mut findings);
    if stage == Stage::Final {
        logged.prove(release, &chain, trust, &mut findings);
    }
    let signed = signed::check(release, &manifest, &chain, &logged);
    let signed = signed.map_err(|more| findings.extend(more)).ok();
    // Last, so that what is wrong decides the exit status before what is old.
    if let Err(finding) = expiry
        && !trust.allow_expired
    {
        findings.push(finding);
    }
    match signed {
        Some(signed) if !findings.refused() => {
            Ok(Examined { manifest, chain, signed, proven: logged.proven, root_expired, findings })
        }
        _ => Err(findings),
    }
}

/// The manifest that the release is about; refuses any other, and one that cannot be read.
fn manifest(
    release: &Release,
    manifest_bytes: &[u8],
    trust: &Trust<'_>,
    asked: Asked<'_>,
    findings: &mut Findings,
) -> Result<Manifest, Findings> {
    let found = Digest::of(manifest_bytes);
    if let Some(mut finding) = compare(MANIFEST, found, release.manifest_digest) {
        // Only to name the file that was changed: the attestation says which of the two is the older truth.
        let attested = Statement::<Provenance>::parse_unverified(release.attestation.payload_unverified());
        if attested.is_ok_and(|statement| statement.subject(MANIFEST) == Some(found)) {
            finding.place = place("manifest_digest");
            std::mem::swap(&mut finding.found, &mut finding.expected);
        }
        return Err(finding.into());
    }
    names(release, found, trust, asked, findings);
    let manifest = Manifest::from_bytes(manifest_bytes).map_err(|problems| {
        let text = problems.first_error().map_or_else(String::new, ToString::to_string);
        let next = "do not use this folder, or update this program when the registry is newer";
        let finding = Finding::new(
            RELEASE_MANIFEST,
            Place::file(MANIFEST),
            crate::sign::excerpt(&text),
            "a manifest of a known format",
            next,
        );
        Findings::from(finding)
    })?;
    if (&manifest.patch, &manifest.version) != (&release.patch, &release.version) {
        let found = format!("a manifest of {} {}", manifest.patch, manifest.version);
        findings.push(name_mismatch("patch", found, format!("{} {}", release.patch, release.version)));
    }
    Ok(manifest)
}

fn names(release: &Release, manifest: Digest, trust: &Trust<'_>, asked: Asked<'_>, findings: &mut Findings) {
    if let Some(registry) = trust.registry.filter(|registry| *registry != release.registry) {
        let found = crate::sign::excerpt(&release.registry);
        let next = "verify it with the root of the registry that it came from";
        findings.push(Finding::new(REGISTRY_MISMATCH, place("registry"), found, registry, next));
    }
    if let Some(patch) = asked.patch.filter(|patch| **patch != release.patch) {
        findings.push(name_mismatch("patch", release.patch.to_string(), patch.to_string()));
    }
    if let Some(version) = asked.version.filter(|version| **version != release.version) {
        findings.push(name_mismatch("version", release.version.to_string(), version.to_string()));
    }
    if let Some(digest) = asked.manifest.filter(|digest| *digest != manifest) {
        findings.push(name_mismatch("manifest_digest", manifest.to_string(), digest.to_string()));
    }
}

fn name_mismatch(field: &str, found: String, expected: String) -> Finding {
    let next = "you were given something else than you asked for; do not use it";
    Finding::new(NAME_MISMATCH, place(field), found, expected, next)
}
