//! `verify PATH`: proves a pulled folder, and with `--base` or `--hf-cache` the base on this machine. No network, ever.
//!
//! Prints which protections were active. Every kind of fault is named apart; nothing is accepted in part.
//! Clause: specification, section 8.

use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use retoque_core::problem::INPUT_UNREADABLE;
use retoque_core::release::{Asked, Report, Trust};
use retoque_core::sign::root::Chain;
use serde::Serialize;

use crate::base_proof::{self, Proof};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Page;
use crate::reference::{Reference, Selector};
use crate::snapshot::Location;
use crate::verify::{self, Pinned, pinned};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The pulled folder
    path: PathBuf,
    /// Also prove that this folder holds the pinned base
    #[arg(long, value_name = "DIR", conflicts_with = "hf_cache")]
    base: Option<PathBuf>,
    /// Also prove that the Hugging Face cache holds the pinned base [default DIR: the cache of this user]
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "the flag alone and the flag with a folder are different")]
    hf_cache: Option<Option<PathBuf>>,
    /// Nothing is asked over the network (always so; the flag states it)
    #[arg(long)]
    offline: bool,
    /// Refuse it unless it is this version: `org/slug@1.2.0`, `org/slug@sha256:…` or `org/slug`
    #[arg(long = "is", value_name = "REF")]
    expected: Option<Reference>,
    /// Verify with this root file instead of the pinned root
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
    /// Go on with a root that has expired, with a warning
    #[arg(long)]
    allow_stale: bool,
}

/// What was proven, for `--json` and as text.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// Where.
    pub path: String,
    /// What is proven about the folder.
    #[serde(flatten)]
    pub report: Report,
    /// How the root was pinned.
    pub root_pinned: String,
    /// What is proven about the base on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_proof: Option<Proof>,
    /// Whether the current status (deprecated, withdrawn) is known.
    pub status: &'static str,
}

/// What a reference asks for, part by part.
pub(super) struct Wanted {
    patch: PatchName,
    version: Option<Version>,
    manifest: Option<Digest>,
}

impl Wanted {
    /// The parts of a reference. A range asks for no exact version.
    pub(super) fn of(reference: &Reference) -> Self {
        let (version, manifest) = match &reference.selector {
            Selector::Exact(version) => (Some(version.clone()), None),
            Selector::Digest(digest) => (None, Some(*digest)),
            Selector::Newest | Selector::Range(_) => (None, None),
        };
        Self { patch: reference.patch.clone(), version, manifest }
    }

    /// As the verification takes it.
    pub(super) const fn asked(&self) -> Asked<'_> {
        Asked { patch: Some(&self.patch), version: self.version.as_ref(), manifest: self.manifest }
    }
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    if !args.path.is_dir() {
        let message = format!("{}: not a folder", files::shown(&args.path));
        return Err(Failure::new(
            INPUT_UNREADABLE,
            message,
            "name a pulled folder; for a package there is `retoque inspect`",
        ));
    }
    let pinned = pinned(&args.path, args.root.as_deref(), ctx)?;
    let chain = Chain::pinned(pinned.root.clone());
    let trust =
        Trust { registry: pinned.origin.as_deref(), allow_expired: args.allow_stale, ..Trust::new(&chain, ctx.start) };
    let wanted = args.expected.as_ref().map(Wanted::of);
    let asked = wanted.as_ref().map_or_else(Asked::default, Wanted::asked);
    let bar = ctx.progress("verifying", size_of(&args.path));
    let verified = verify::verify(&args.path, &trust, asked, &|bytes| bar.add(bytes));
    bar.done();
    let refused = |f| Failure::findings(format!("{} does not verify", files::shown(&args.path)), &f);
    let verified = verified.map_err(refused)?;
    let base_proof = match location(&args, ctx)? {
        None => None,
        Some(location) => {
            let base = &verified.manifest.base;
            let bar = ctx.progress("hashing base", base_proof::total(base));
            let proof = base_proof::prove(base, &location, &|bytes| bar.add(bytes));
            bar.done();
            let refused = |f| Failure::findings(format!("the base is not {}@{}", base.repo, base.commit), &f);
            Some(proof.map_err(refused)?)
        }
    };
    if verified.report.root_expired {
        ctx.warn(format!("the root expired at {}", verified.report.root_expires));
    }
    let shown = Verified {
        path: files::shown(&args.path),
        report: verified.report,
        root_pinned: how(&pinned),
        base_proof,
        status: "unknown: nothing was asked over the network",
    };
    ctx.report(&shown, |page| text(page, &shown))
}

/// How the root came to be trusted.
pub(super) fn how(pinned: &Pinned) -> String {
    match &pinned.pin {
        None => "given as a file".to_owned(),
        Some(pin) if pin.first_use => format!("root {} taken from the registry on first use", pin.version),
        Some(pin) => format!("root {} pinned by file or fingerprint", pin.version),
    }
}

/// The summary: what is proven, and what is not.
pub(super) fn text(page: &mut Page, shown: &Verified) {
    page.heading(format!("verified: {}", shown.path));
    for line in shown.report.lines() {
        page.line(line);
    }
    page.line(format!("trust: {}", shown.root_pinned));
    match &shown.base_proof {
        Some(proof) => {
            page.line(format!("base proven: {} files, {} bytes hashed", proof.files, proof.bytes));
            if !proof.absent.is_empty() {
                page.line(format!("not there and not loaded: {}", proof.absent.join(", ")));
            }
        }
        None => page.line("base NOT proven: add --base DIR or --hf-cache"),
    }
    page.line(format!("status {}", shown.status));
}

fn location(args: &Args, ctx: &Context) -> Result<Option<Location>, Failure> {
    match (&args.base, &args.hf_cache) {
        (Some(folder), _) => Ok(Some(Location::Folder(folder.clone()))),
        (None, Some(Some(cache))) => Ok(Some(Location::Cache(cache.clone()))),
        (None, Some(None)) => ctx.environment.hf_cache.clone().map(Location::Cache).map(Some).ok_or_else(|| {
            Failure::usage("it is not known where the Hugging Face cache is", "name it: --hf-cache DIR")
        }),
        (None, None) => Ok(None),
    }
}

/// For the progress bar alone: what the folder holds, whatever it is.
fn size_of(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file).map(|m| m.len()).sum()
}
