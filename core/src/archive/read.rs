//! Reads a package in one forward pass with bounded memory, and proves its structure while reading.
//!
//! Every frame must be the one that the layout gives next, every tar header the one that the writer would have
//! made, every file one of the five in their order, within its limit (checked before it is decoded), and the seek
//! table must say what was read. Content goes to a [`Visitor`] as it passes; nothing is unpacked anywhere. At the
//! end the sizes, digests and pieces are compared with the manifest, which is the last file.
//!
//! Clause: specification, section 2; rules 36 and 38.

use std::io::{self, Read};

use super::fault::{REPACK, finding_of, refuse, refuse_at, shown};
use super::header::{self, BLOCK, Header};
pub use super::layer::check as check_tar_layer;
use super::seek::{Frame, SeekTable, TABLE_MAGIC};
use super::stream::{Frames, Next};
use super::write::Facts;
use super::{FILES, Limits, MANIFEST, PIECE, layer, padding};
use crate::digest::{Digest, Hasher};
use crate::manifest::{FileEntry, Manifest};
use crate::problem::{
    COMPRESSION, EMPTY, Finding, Findings, OUTPUT_LIMIT, PACKAGE_FILE_MISSING, PACKAGE_FILE_TOO_LARGE,
    PACKAGE_FILE_UNKNOWN, PACKAGE_LAYOUT, PACKAGE_MISMATCH, Place, SEEK_TABLE, SKIPPABLE_FRAME, TRAILING_DATA,
    TRUNCATED,
};

/// Looks at the files of a package while they pass.
pub trait Visitor {
    /// Takes one file (each but the manifest), and says what is wrong with it. What is not read is skipped, but
    /// still digested. A read error means that the archive is broken, which is reported without the visitor.
    fn file(&mut self, path: &str, size: u64, content: &mut dyn Read) -> Findings;
}

/// A visitor that looks at nothing.
pub struct NoVisitor;

impl Visitor for NoVisitor {
    fn file(&mut self, _: &str, _: u64, _: &mut dyn Read) -> Findings {
        Findings::new()
    }
}

/// A package whose structure, and whose files against its manifest, were found right.
#[derive(Debug, Clone)]
pub struct Package {
    /// The manifest.
    pub manifest: Manifest,
    /// The manifest as stored: what is digested and signed.
    pub manifest_bytes: Vec<u8>,
    /// The digest that identifies the version.
    pub manifest_digest: Digest,
    /// Digest and size of the archive, every file, and the seek table.
    pub facts: Facts,
}

/// Reads one package.
pub struct PackageReader<'l, R> {
    source: R,
    limits: &'l Limits,
}

impl<'l, R: Read> PackageReader<'l, R> {
    /// A reader of the package that `source` gives.
    pub const fn new(source: R, limits: &'l Limits) -> Self {
        Self { source, limits }
    }

    /// Reads all of it. The second part holds warnings.
    pub fn run(mut self, visitor: &mut dyn Visitor) -> Result<(Package, Findings), Findings> {
        let mut start = Vec::new();
        (&mut self.source).take(6).read_to_end(&mut start).map_err(|e| finding_of(&e))?;
        sniff(&start)?;
        let source = io::Cursor::new(start).chain(self.source);
        let frames = Frames::new(source, self.limits.archive).map_err(|e| finding_of(&e))?;
        let mut findings = Findings::new();
        let mut pass =
            Pass { frames, table: SeekTable::default(), files: Vec::new(), tar: 0, limits: self.limits, broken: None };
        let manifest_bytes = match pass.walk(visitor, &mut findings) {
            Ok(bytes) => bytes,
            Err(error) => {
                let mut all = Findings::from(finding_of(&error));
                all.extend(findings);
                return Err(all);
            }
        };
        let (sha256, size) = pass.frames.finish();
        let facts = Facts { sha256, size, files: pass.files, table: pass.table };
        match Manifest::from_bytes(&manifest_bytes) {
            Ok(manifest) => {
                compare_files(&manifest.files, &facts.files, &mut findings);
                let manifest_digest = Digest::of(&manifest_bytes);
                findings.into_result(Package { manifest, manifest_bytes, manifest_digest, facts })
            }
            Err(more) => {
                findings.extend(more);
                Err(findings)
            }
        }
    }
}

/// Says what else the input is, when its first bytes are not those of a package.
fn sniff(start: &[u8]) -> Result<(), Findings> {
    let next = "make the package with `retoque pack`";
    if start.is_empty() {
        return Err(Finding::new(EMPTY, Place::default(), "no bytes", "a package", next).into());
    }
    if start.starts_with(&super::frame::MAGIC) {
        return Ok(());
    }
    let skippable = start.first_chunk().is_some_and(|m| u32::from_le_bytes(*m) & !0xf == super::frame::SKIPPABLE);
    if skippable {
        return Err(
            Finding::new(SKIPPABLE_FRAME, Place::default(), "a skippable frame", "a frame of content", next).into()
        );
    }
    let found = layer::other_compression(start).unwrap_or("no Zstandard frame");
    Err(Finding::new(COMPRESSION, Place::default().at_byte(0), found, "a package (`.tar.zst`)", next).into())
}

/// One pass over the frames.
struct Pass<'l, R> {
    frames: Frames<R>,
    table: SeekTable,
    files: Vec<FileEntry>,
    /// Bytes of the tar stream so far.
    tar: u64,
    limits: &'l Limits,
    /// Why the content of the current file could not be read.
    broken: Option<Finding>,
}

impl<R: Read> Pass<'_, R> {
    /// Reads every file and the end; gives the bytes of the manifest.
    fn walk(&mut self, visitor: &mut dyn Visitor, findings: &mut Findings) -> io::Result<Vec<u8>> {
        let mut before = 0;
        let mut manifest = Vec::new();
        for path in FILES {
            let at = self.frames.consumed();
            let blocks = self.blocks(before, false)?;
            let size = self.accept(path, &blocks, at)?;
            let mut content = Content {
                pass: self,
                left: size,
                open: false,
                whole: Hasher::new(),
                piece: Hasher::new(),
                pieces: Vec::new(),
                size,
            };
            let said = if path == MANIFEST {
                content.read_to_end(&mut manifest)?;
                Findings::new()
            } else {
                visitor.file(path, size, &mut content)
            };
            io::copy(&mut content, &mut io::sink())?;
            let entry = content.entry(path);
            if let Some(finding) = self.broken.take() {
                return Err(refuse(finding));
            }
            findings.extend(said);
            self.files.push(entry);
            before = padding(size);
        }
        self.end(before)?;
        Ok(manifest)
    }

    /// Opens the next frame, which must have exactly the first or the second of these sizes.
    fn open(&mut self, sizes: [u64; 2]) -> io::Result<()> {
        let at = self.frames.consumed();
        let content = match self.frames.next()? {
            Next::Content(header) => {
                let content = if header.content == Some(sizes[1]) { sizes[1] } else { sizes[0] };
                header.expect(content, at)?;
                content
            }
            Next::End => return Err(refuse_at(TRUNCATED, at, "the end", "more frames", super::fault::FETCH_AGAIN)),
            Next::Skippable { .. } => {
                return Err(refuse_at(SKIPPABLE_FRAME, at, "a skippable frame", "a frame of content", REPACK));
            }
            Next::Other(bytes) => {
                return Err(refuse_at(PACKAGE_LAYOUT, at, shown(&bytes), "a Zstandard frame", REPACK));
            }
        };
        self.tar += content;
        if self.tar > self.limits.tar {
            let found = format!("more than {} bytes of content", self.limits.tar);
            return Err(refuse_at(OUTPUT_LIMIT, at, found, "less", "ask the operator for the limit"));
        }
        Ok(())
    }

    /// Notes the sizes of the frame that was just read.
    fn close(&mut self) -> io::Result<()> {
        let at = self.frames.consumed();
        let wrong = || refuse_at(PACKAGE_LAYOUT, at, "a frame of another size", "the size in its header", REPACK);
        let frame: Frame = self.frames.sizes().ok_or_else(wrong)?;
        if u64::from(frame.compressed) > super::frame::compress_bound(u64::from(frame.content)) {
            return Err(refuse_at(PACKAGE_LAYOUT, at, "a frame larger than its content needs", "less", REPACK));
        }
        self.table.frames.push(frame);
        Ok(())
    }

    /// Reads a frame of tar blocks (one header, or the two blocks of the end), without the padding before them.
    fn blocks(&mut self, before: u64, at_end: bool) -> io::Result<Vec<u8>> {
        let at = self.frames.consumed();
        let (header, end) = (before + BLOCK as u64, before + 2 * BLOCK as u64);
        // Taken at the wrong place too, so that the message can say what stands there.
        self.open(if at_end { [end, header] } else { [header, end] })?;
        let mut bytes = Vec::new();
        self.frames.read_to_end(&mut bytes)?;
        self.close()?;
        let blocks = bytes.split_off(usize::try_from(before).unwrap_or(0).min(bytes.len()));
        if bytes.iter().any(|b| *b != 0) {
            return Err(refuse_at(PACKAGE_LAYOUT, at, "padding that is not zero", "zeros", REPACK));
        }
        Ok(blocks)
    }

    /// The size of the file that the header announces, when it is the file `path` in the one right form.
    fn accept(&self, path: &str, blocks: &[u8], at: u64) -> io::Result<u64> {
        let missing = |found: String| {
            let next = "make the package with `retoque pack`";
            refuse(Finding::new(PACKAGE_FILE_MISSING, Place::file(path).at_byte(at), found, path, next))
        };
        let Some(block) = blocks.as_array::<BLOCK>().filter(|block| **block != [0; BLOCK]) else {
            return Err(missing("the end of the archive".to_owned()));
        };
        let header = Header::parse(block);
        if let Some(finding) = header::faults(block).into_iter().next() {
            return Err(refuse(finding));
        }
        if header.name != path.as_bytes() {
            let name = shown(&header.name);
            if FILES.contains(&name.as_str()) {
                return Err(missing(name));
            }
            return Err(refuse(Finding::new(PACKAGE_FILE_UNKNOWN, header.place(), name, FILES.join(", "), REPACK)));
        }
        // The faults above explain; this comparison is what decides.
        let size = header.size.filter(|size| header::encode(path, *size).as_ref() == Some(block));
        let Some(size) = size else {
            return Err(refuse_at(PACKAGE_LAYOUT, at, "another header", "the packer's own form", REPACK));
        };
        let limit = self.limits.file(path);
        if size > limit {
            return Err(refuse(Finding::new(
                PACKAGE_FILE_TOO_LARGE,
                Place::file(path),
                format!("{size} bytes"),
                format!("at most {limit} bytes"),
                "pack a smaller adapter, or ask the operator for the limit",
            )));
        }
        Ok(size)
    }

    /// Reads the end of the tar stream and the seek table, and sees that nothing follows.
    fn end(&mut self, before: u64) -> io::Result<()> {
        let at = self.frames.consumed();
        let blocks = self.blocks(before, true)?;
        if blocks != [0; 2 * BLOCK] {
            let name = blocks.first_chunk::<BLOCK>().map(|block| shown(&Header::parse(block).name)).unwrap_or_default();
            let place = Place::file(name.clone()).at_byte(at);
            return Err(refuse(Finding::new(PACKAGE_FILE_UNKNOWN, place, name, "the end of the archive", REPACK)));
        }
        let at = self.frames.consumed();
        let wrong = |found: &str| refuse_at(SEEK_TABLE, at, found, "the seek table of these frames", REPACK);
        let table = self.table.encode()?;
        match self.frames.next()? {
            Next::Skippable { magic: TABLE_MAGIC, size } => {
                if self.frames.skippable(size, table.len())? != table[8..] {
                    return Err(wrong("other sizes"));
                }
            }
            Next::End => return Err(wrong("the end")),
            Next::Content(_) => return Err(refuse_at(TRAILING_DATA, at, "another frame", "the seek table", REPACK)),
            Next::Skippable { .. } | Next::Other(_) => return Err(wrong("something else")),
        }
        let at = self.frames.consumed();
        match self.frames.next() {
            Ok(Next::End) => Ok(()),
            _ => Err(refuse_at(TRAILING_DATA, at, "more bytes", "the end after the seek table", REPACK)),
        }
    }
}

/// The content of one file, digested as it passes.
struct Content<'p, 'l, R> {
    pass: &'p mut Pass<'l, R>,
    size: u64,
    left: u64,
    open: bool,
    whole: Hasher,
    piece: Hasher,
    pieces: Vec<Digest>,
}

impl<R: Read> Content<'_, '_, R> {
    fn advance(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 || buf.is_empty() {
            return Ok(0);
        }
        if !self.open {
            self.pass.open([PIECE.min(self.left); 2])?;
            self.open = true;
        }
        let count = self.pass.frames.read(buf)?;
        let read = buf.get(..count).unwrap_or_default();
        self.whole.update(read);
        if self.size > PIECE {
            self.piece.update(read);
        }
        self.left = self.left.saturating_sub(count as u64);
        if count == 0 || self.left == 0 || self.whole.len().is_multiple_of(PIECE) {
            // The content size in the frame header was checked, so the frame ends here or is broken.
            self.pass.close()?;
            self.open = false;
            if self.size > PIECE {
                self.pieces.push(std::mem::take(&mut self.piece).finish());
            }
        }
        Ok(count)
    }

    fn entry(self, path: &str) -> FileEntry {
        FileEntry {
            path: path.to_owned(),
            size: self.size,
            sha256: self.whole.finish(),
            pieces: (self.size > PIECE).then_some(self.pieces),
        }
    }
}

impl<R: Read> Read for Content<'_, '_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(finding) = &self.pass.broken {
            return Err(refuse(finding.clone()));
        }
        self.advance(buf).inspect_err(|error| self.pass.broken = Some(finding_of(error)))
    }
}

/// Compares what the manifest says of the files with what was read.
fn compare_files(said: &[FileEntry], read: &[FileEntry], findings: &mut Findings) {
    let mut differ = |path: &str, field: &str, found: String, expected: String| {
        let place = Place::file(MANIFEST).at_field(format!("files[{path}].{field}"));
        findings.push(Finding::new(PACKAGE_MISMATCH, place, found, expected, REPACK));
    };
    for file in read.iter().filter(|f| f.path != MANIFEST) {
        let Some(entry) = said.iter().find(|s| s.path == file.path) else {
            differ(&file.path, "path", "no entry".to_owned(), "an entry for each file beside the manifest".to_owned());
            continue;
        };
        if entry.size != file.size {
            differ(&file.path, "size", entry.size.to_string(), file.size.to_string());
        }
        if entry.sha256 != file.sha256 {
            differ(&file.path, "sha256", entry.sha256.to_string(), file.sha256.to_string());
        } else if entry.pieces != file.pieces {
            differ(&file.path, "pieces", "other digests".to_owned(), "the digests of the pieces".to_owned());
        }
    }
    for entry in said.iter().filter(|s| read.iter().all(|f| f.path != s.path || f.path == MANIFEST)) {
        differ(&shown(entry.path.as_bytes()), "path", "an entry".to_owned(), "only files of the archive".to_owned());
    }
}
