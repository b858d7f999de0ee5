//! Making a bundle: a proven folder, and what the registry signs now.
//!
//! The version has to be one that may be pulled at this moment. Its files come from a pulled folder beside the bundle when
//! one is there and proven, else from the registry. The bundle is verified as a whole before it gets its name.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use retoque_core::bundle::{
    self, CHECKPOINT, CONSISTENCY, Member, Nothing, ROOTS, STATUS, Writer, file_name, folder_name, write_consistency,
};
use retoque_core::canonical;
use retoque_core::problem::{BUNDLE_UNREADABLE, INTERNAL};
use retoque_core::release::{Trust, VALIDATION_CASES, VerifiedRelease, known_note};
use tempfile::NamedTempFile;

use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Asking, Current, tiles};
use crate::output::Progress;
use crate::pull::{Existing, Request, Staged, Version, existing, hold, resolve};
use crate::reference::Reference;
use crate::runtime::block_on;
use crate::verify::DiskFolder;

/// A bundle that was made.
#[derive(Debug)]
pub struct Made {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub verified: VerifiedRelease,
    /// The head whose checkpoint and status it holds.
    pub current: Current,
    /// How many bytes it has.
    pub bytes: u64,
}

/// Makes the bundle of the version that the reference means.
pub fn create(
    asking: &Asking<'_>,
    (reference, degraded): (&Reference, bool),
    out: Option<&Path>,
    ctx: &mut Context,
) -> Result<Made, Failure> {
    let (mut current, resolved) = block_on(async {
        let mut current = asking.ask().await?;
        let resolved = resolve(asking, &mut current, reference, degraded).await?;
        Ok((current, resolved))
    })?;
    current.stale.iter().chain(&resolved.warnings).for_each(|warning| ctx.warn(warning));
    let version = resolved.version;
    let roots = current.trust.clone();
    let request = Request { sources: asking.sources, version: &version, trust: asking.trust(&roots, None)? };
    let (verified, manifest) = block_on(request.documents())?;
    let held = block_on(hold(asking, &mut current, &verified))?;
    held.iter().filter(|warning| !resolved.warnings.contains(warning)).for_each(|warning| ctx.warn(warning));
    let (slug, number) = (&verified.manifest.patch.slug, &verified.manifest.version);
    let out = out.map_or_else(|| PathBuf::from(file_name(slug, number)), Path::to_owned);
    let target = out.with_file_name(folder_name(slug, number));
    let work = Work { asking, version: &version, current: &current, out: &out };
    let there = existing(&target, &request.trust, version.asked(), &Progress::hidden());
    let (verified, bytes) = if let Ok(Existing::Proven(proven)) = there {
        let bytes = work.write(&target, &proven, ctx)?;
        (*proven, bytes)
    } else {
        let bar = ctx.progress("fetching", verified.manifest.files.iter().map(|f| f.size).sum());
        let staged = block_on(request.stage(&target, verified, &manifest, false, &bar));
        bar.done();
        let staged: Staged = staged?;
        let bytes = work.write(staged.folder(), staged.verified(), ctx)?;
        (staged.discard()?, bytes)
    };
    Ok(Made { path: out, verified, current, bytes })
}

/// What a bundle is made with.
struct Work<'a> {
    asking: &'a Asking<'a>,
    version: &'a Version,
    current: &'a Current,
    out: &'a Path,
}

impl Work<'_> {
    /// Writes the bundle beside its place, verifies it, and gives it its name.
    fn write(&self, folder: &Path, verified: &VerifiedRelease, ctx: &Context) -> Result<u64, Failure> {
        let beside = self.beside(verified)?;
        let unwritable = |e: &std::io::Error| files::unwritable(self.out, e);
        let parent = self.out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".retoque-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o644));
        }
        let file = builder.tempfile_in(parent).map_err(|e| unwritable(&e))?;
        let bar = ctx.progress("bundling", verified.manifest.files.iter().map(|f| f.size).sum());
        self.entries(&file, folder, verified, &beside, &bar)?;
        bar.done();
        let bytes = file.as_file().metadata().map_err(|e| unwritable(&e))?.len();
        self.check(&file)?;
        file.as_file().sync_all().map_err(|e| unwritable(&e))?;
        file.persist(self.out).map_err(|e| unwritable(&e.error))?;
        files::sync_folder(self.out);
        Ok(bytes)
    }

    fn entries(
        &self,
        file: &NamedTempFile,
        folder: &Path,
        verified: &VerifiedRelease,
        beside: &[(&str, Vec<u8>)],
        bar: &Progress,
    ) -> Result<(), Failure> {
        let disk = DiskFolder::new(folder);
        let name = folder_name(&verified.manifest.patch.slug, &verified.manifest.version);
        let mut writer = Writer::new(BufWriter::with_capacity(1 << 20, file.as_file()), name);
        for member in Member::all() {
            let name = member.name();
            if let Some((_, bytes)) = beside.iter().find(|(beside, _)| *beside == name) {
                writer.add(name, bytes.len() as u64, &mut bytes.as_slice())?;
            } else if name != VALIDATION_CASES || verified.release.files.validation_cases.is_some() {
                let (content, size) = disk.file(name).map_err(|e| files::unreadable(&folder.join(name), &e))?;
                writer.add(name, size, &mut Counted(content, bar))?;
            }
        }
        let flushed = writer.finish()?.flush();
        flushed.map_err(|e| files::unwritable(self.out, &e))
    }

    /// What stands beside the folder.
    fn beside(&self, verified: &VerifiedRelease) -> Result<[(&'static str, Vec<u8>); 4], Failure> {
        let head = &self.current.head;
        let chain = self.current.trust.chain.join(&verified.release.root_chain)?;
        let policy = self.current.trust.policy.as_ref();
        let checkpoint = &head.checkpoint;
        let note = known_note(checkpoint.note(), checkpoint.origin(), checkpoint.size(), &chain, policy)?;
        let tiles = tiles(self.asking.connection, self.asking.sources.clone());
        let proof = block_on(tiles.consistency(verified.checkpoint.head(), head.tree()))?;
        let roots = canonical::to_vec(&chain.envelopes())
            .map_err(|e| Failure::new(INTERNAL, format!("roots that cannot be written: {e}"), ""))?;
        Ok([
            (ROOTS, roots),
            (CHECKPOINT, note.to_string().into_bytes()),
            (CONSISTENCY, write_consistency(&proof).into_bytes()),
            (STATUS, head.envelope.to_bytes()),
        ])
    }

    /// What was written is what a stranger with the same roots takes.
    fn check(&self, file: &NamedTempFile) -> Result<(), Failure> {
        let trust = Trust { allow_expired: true, ..self.asking.trust(&self.current.trust, None)? };
        let again = File::open(file.path()).map_err(|e| files::unreadable(file.path(), &e))?;
        let source = BufReader::with_capacity(1 << 20, again);
        match bundle::verify(source, &trust, self.version.asked(), &mut Nothing, &mut |_| ()) {
            Ok(_) => Ok(()),
            Err(f) if f.has(BUNDLE_UNREADABLE) => Err(Failure::findings("the bundle cannot be read again", &f)),
            Err(f) => Err(Failure::findings("the bundle that was written does not verify", &f)),
        }
    }
}

/// A file that moves the bar while it is read.
struct Counted<'a>(File, &'a Progress);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.add(read as u64);
        Ok(read)
    }
}
