//! The whole verification of a bundle in one pass. No network, no clock: the caller gives the roots and the time.
//!
//! Roots, checkpoint, proof, status, release and manifest come first and are verified together; only then is a byte of
//! the other files read, each against its digest, and handed to whoever keeps it.

use std::io::{self, Read};

use super::layout::{CHECKPOINT, CONSISTENCY, Member, ROOTS, STATUS, folder_name};
use super::read::{Content, Reader};
use super::{MAX_ROOTS, parse_consistency};
use crate::canonical;
use crate::digest::{Digest, Hasher};
use crate::json::{self, Limits};
use crate::log::{SignedCheckpoint, VerifiedCheckpoint};
use crate::problem::{
    ATTESTATION_MISMATCH, BUNDLE_ENTRY, BUNDLE_UNREADABLE, DIGEST_MISMATCH, FILE_MISSING, FILE_UNEXPECTED, Finding,
    Findings, LOG_FORK, LOG_ORIGIN_MISMATCH, Place, REGISTRY_MISMATCH, ROOT_INVALID, SIZE_MISMATCH, excerpt,
};
use crate::release::{
    ATTESTATION, Asked, LICENSE, RELEASE, Release, Trust, VALIDATION_CASES, VerifiedRelease, check_documents,
    check_note, verify_file,
};
use crate::sign::root::Chain;
use crate::sign::statement::MANIFEST;
use crate::sign::{Envelope, Role};
use crate::status::Status;

const NEXT: &str = "do not use this file; fetch the bundle again, or pull the version from the registry";

/// What a bundle proves. Whether the version may still be used, and whether that is new enough, is for the caller to
/// say, who may know a newer status.
#[derive(Debug, Clone)]
pub struct VerifiedBundle {
    /// The release, verified with the roots of the bundle.
    pub release: VerifiedRelease,
    /// The trusted roots and those of the bundle together.
    pub chain: Chain,
    /// The newest checkpoint, which continues the one of the release.
    pub checkpoint: VerifiedCheckpoint,
    /// Its note, as it stands in the bundle.
    pub note: String,
    /// The status of that checkpoint's log.
    pub status: Status,
    /// The status, as it stands in the bundle.
    pub envelope: Envelope,
}

/// Takes the files of a bundle while they are verified. Nothing of a file that is handed over is proven before its end.
pub trait Keeper {
    /// Everything signed holds; files come next.
    fn begin(&mut self, release: &VerifiedRelease) -> io::Result<()>;
    /// The next file of the folder.
    fn file(&mut self, name: &str) -> io::Result<()>;
    /// The next bytes of that file.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

impl Keeper for Nothing {
    fn begin(&mut self, _: &VerifiedRelease) -> io::Result<()> {
        Ok(())
    }
    fn file(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// Verifies a bundle to its last byte. `progress` is told how many bytes of files were read.
pub fn verify(
    source: impl Read,
    trust: &Trust<'_>,
    asked: Asked<'_>,
    keeper: &mut dyn Keeper,
    progress: &mut dyn FnMut(u64),
) -> Result<VerifiedBundle, Findings> {
    let mut reader = Reader::new(source);
    let first = First::read(&mut reader)?;
    let bundle = first.verify(trust, asked)?;
    let wanted = folder_name(&bundle.release.manifest.patch.slug, &bundle.release.manifest.version);
    let folder = reader.folder().unwrap_or_default();
    if folder != wanted {
        let place = Place::file(excerpt(folder));
        return Err(Finding::new(BUNDLE_ENTRY, place, "another folder", format!("the folder {wanted}"), NEXT).into());
    }
    let kept = keeper.begin(&bundle.release).and_then(|()| {
        for (name, bytes) in [(RELEASE, &first.release), (MANIFEST, &first.manifest)] {
            keeper.file(name)?;
            keeper.write(bytes)?;
        }
        Ok(())
    });
    kept.map_err(|e| unkept(RELEASE, &e))?;
    let mut files = Files { release: &bundle.release, keeper, progress, cases: false, findings: Findings::new() };
    loop {
        let taken = reader.entry().and_then(|entry| match entry {
            Some((member, content)) => files.take(member, content).map(|()| true),
            None => Ok(false),
        });
        match taken {
            Ok(true) => {}
            Ok(false) => break,
            // What makes the rest unreadable comes after what was found before it.
            Err(finding) => {
                files.findings.push(finding);
                return Err(files.findings);
            }
        }
    }
    files.finish()?;
    Ok(bundle)
}

/// What comes before the files, as it stands in the bundle.
struct First {
    roots: Vec<u8>,
    checkpoint: Vec<u8>,
    consistency: Vec<u8>,
    status: Vec<u8>,
    release: Vec<u8>,
    manifest: Vec<u8>,
}

impl First {
    fn read(reader: &mut Reader<impl Read>) -> Result<Self, Finding> {
        let mut next = |name: &str| match reader.entry()? {
            Some((member, mut content)) if member.name() == name => content.whole(),
            _ => Err(Finding::new(BUNDLE_ENTRY, Place::file(name), "another entry", name, NEXT)),
        };
        Ok(Self {
            roots: next(ROOTS)?,
            checkpoint: next(CHECKPOINT)?,
            consistency: next(CONSISTENCY)?,
            status: next(STATUS)?,
            release: next(RELEASE)?,
            manifest: next(MANIFEST)?,
        })
    }

    /// Verifies all of it together, with the roots that the bundle joins to the trusted ones.
    fn verify(&self, trust: &Trust<'_>, asked: Asked<'_>) -> Result<VerifiedBundle, Findings> {
        let chain = trust.chain.join(&roots(&self.roots)?).map_err(|f| at(ROOTS, f))?;
        let release = Release::parse(&self.release)?;
        let status = Envelope::parse(&self.status).map_err(|f| at(STATUS, f))?;
        let said = Status::verify(&status, |size| chain.keys_at(Role::PlatformStatus, size));
        let said = said.map_err(|f| at(STATUS, f))?.into_inner();
        // The newer of the two says what became of the version.
        let newer = trust.status.filter(|known| known.as_of().issued > said.as_of().issued).unwrap_or(&said);
        let with = Trust { chain: &chain, status: Some(newer), ..*trust };
        let verified = check_documents(&release, &self.manifest, &with, asked)?;
        let mut findings = Findings::new();
        let checkpoint = self.checkpoint(&chain, trust, &verified);
        match &checkpoint {
            Ok(checkpoint) => {
                let as_of = said.as_of();
                let same = as_of.check_log(checkpoint.origin(), checkpoint.head());
                let clock = as_of.check_clock(trust.now);
                same.and(clock).unwrap_or_else(|f| findings.push(at(STATUS, f)));
                if as_of.registry != release.registry {
                    let found = excerpt(&as_of.registry);
                    let place = Place::file(STATUS).at_field("registry");
                    findings.push(Finding::new(REGISTRY_MISMATCH, place, found, release.registry.clone(), NEXT));
                }
            }
            Err(finding) => findings.push(finding.clone()),
        }
        if status.to_bytes() != self.status {
            let expected = "the envelope in its one spelling";
            findings.push(Finding::new(BUNDLE_ENTRY, Place::file(STATUS), "another spelling", expected, NEXT));
        }
        match checkpoint {
            Ok(checkpoint) if !findings.refused() => {
                let note = checkpoint.note().to_string();
                Ok(VerifiedBundle { release: verified, chain, checkpoint, note, status: said, envelope: status })
            }
            _ => Err(findings),
        }
    }

    /// The newest checkpoint: signed, with lines of known keys alone, and a continuation of what the release is proven in.
    fn checkpoint(
        &self,
        chain: &Chain,
        trust: &Trust<'_>,
        release: &VerifiedRelease,
    ) -> Result<VerifiedCheckpoint, Finding> {
        let place = |f| at(CHECKPOINT, f);
        let signed = SignedCheckpoint::parse(&self.checkpoint).map_err(place)?;
        let claimed = signed.claimed();
        let origins = chain.newest().log_origins(&release.release.registry);
        if !origins.iter().any(|origin| origin == claimed.origin()) {
            let found = format!("a checkpoint of {}", excerpt(claimed.origin()));
            let expected = format!("the log {}", origins.join(" or "));
            return Err(Finding::new(LOG_ORIGIN_MISMATCH, Place::file(CHECKPOINT), found, expected, NEXT));
        }
        let keys = chain.keys_at(Role::PlatformLog, claimed.size());
        let checkpoint = signed.verify(claimed.origin(), &keys).map_err(place)?;
        check_note(&checkpoint, chain, trust.policy).map_err(place)?;
        let proof = parse_consistency(&self.consistency)?;
        let older = release.checkpoint.head();
        checkpoint.head().verify_consistency(&older, &proof).map_err(|f| at(CONSISTENCY, f))?;
        if let Some((origin, head)) = trust.known
            && origin == checkpoint.origin()
            && head.size == checkpoint.size()
            && head.root != checkpoint.root()
        {
            let found = format!("root {} for {} leaves", checkpoint.root(), head.size);
            let expected = format!("root {}, as seen before", head.root);
            return Err(Finding::new(LOG_FORK, Place::file(CHECKPOINT), found, expected, NEXT));
        }
        Ok(checkpoint)
    }
}

/// The roots, which have to be canonical JSON.
fn roots(bytes: &[u8]) -> Result<Vec<Envelope>, Finding> {
    let refuse = |found: &str| {
        let expected = "an array of root envelopes as canonical JSON";
        Finding::new(ROOT_INVALID, Place::file(ROOTS), excerpt(found), expected, NEXT)
    };
    let limits = Limits { bytes: MAX_ROOTS, depth: 16 };
    let list: Vec<Envelope> = json::decode(bytes, limits).map_err(|e| refuse(&e.to_string()))?;
    match canonical::to_vec(&list) {
        Ok(same) if same == bytes => Ok(list),
        _ => Err(refuse("another spelling")),
    }
}

/// The files after those that were verified together.
struct Files<'a> {
    release: &'a VerifiedRelease,
    keeper: &'a mut dyn Keeper,
    progress: &'a mut dyn FnMut(u64),
    /// Whether there were validation cases.
    cases: bool,
    findings: Findings,
}

impl Files<'_> {
    /// Reads one file, hands it over, and compares it. Only what makes the rest unreadable is an error.
    fn take(&mut self, member: Member, content: Content<'_, impl Read>) -> Result<(), Finding> {
        let (name, size, release) = (member.name(), content.size(), self.release);
        self.keeper.file(name).map_err(|e| unkept(name, &e))?;
        let mut tee = Tee { content, keeper: &mut *self.keeper, broken: None };
        let files = release.release.files.clone();
        let found = match name {
            LICENSE => digest(name, &mut tee, files.license),
            VALIDATION_CASES => {
                self.cases = true;
                if let Some(expected) = files.validation_cases {
                    digest(name, &mut tee, expected)
                } else {
                    let expected = "no validation cases: they were not published";
                    Finding::new(FILE_UNEXPECTED, Place::file(name), "a file", expected, NEXT).into()
                }
            }
            ATTESTATION => {
                let bytes = release.release.attestation.to_bytes();
                let mut findings = digest(name, &mut tee, Digest::of(&bytes));
                if findings.refused() {
                    let expected = "the same envelope as in release.json, byte for byte";
                    let place = Place::file(name);
                    findings = Finding::new(ATTESTATION_MISMATCH, place, "another attestation", expected, NEXT).into();
                }
                findings
            }
            _ => match release.manifest.files.iter().find(|entry| entry.path == name) {
                // What is longer than it was signed is not read to its end, whatever a header claims.
                Some(entry) if entry.size != size => {
                    let (found, expected) = (format!("{size} bytes"), format!("exactly {} bytes", entry.size));
                    return Err(Finding::new(SIZE_MISMATCH, Place::file(name), found, expected, NEXT));
                }
                Some(entry) => verify_file(entry, &mut tee, self.progress),
                None => Finding::new(FILE_UNEXPECTED, Place::file(name), "a file", "the manifest's files", NEXT).into(),
            },
        };
        if let Some(error) = tee.broken {
            return Err(error);
        }
        self.findings.extend(found);
        Ok(())
    }

    fn finish(mut self) -> Result<(), Findings> {
        if !self.cases && self.release.release.files.validation_cases.is_some() {
            let place = Place::file(VALIDATION_CASES);
            self.findings.push(Finding::new(FILE_MISSING, place, "no such file", "the file", NEXT));
        }
        if self.findings.refused() { Err(self.findings) } else { Ok(()) }
    }
}

/// Passes content on while it is read, and keeps the first thing that went wrong on the way.
struct Tee<'a, 'r, R> {
    content: Content<'r, R>,
    keeper: &'a mut dyn Keeper,
    broken: Option<Finding>,
}

impl<R: Read> Read for Tee<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(buffer).inspect_err(|e| self.broken = Some(self.content.finding(e)))?;
        self.keeper.write(&buffer[..read]).inspect_err(|e| self.broken = Some(unkept("", e)))?;
        Ok(read)
    }
}

fn digest(name: &str, reader: &mut dyn Read, expected: Digest) -> Findings {
    let mut hasher = Hasher::new();
    if io::copy(reader, &mut hasher).is_err() {
        // What broke is kept by the reader.
        return Findings::new();
    }
    let found = hasher.finish();
    if found == expected {
        return Findings::new();
    }
    Finding::new(DIGEST_MISMATCH, Place::file(name), found.to_string(), expected.to_string(), NEXT).into()
}

fn unkept(name: &str, error: &io::Error) -> Finding {
    let place = if name.is_empty() { Place::default() } else { Place::file(name) };
    let next = "check the free space and the permissions of the folder";
    Finding::new(BUNDLE_UNREADABLE, place, error.kind().to_string(), "a folder that can be written", next)
}

fn at(file: &str, finding: Finding) -> Finding {
    Finding { place: Place { file: Some(file.to_owned()), ..finding.place }, ..finding }
}
