//! `verify PATH`: proves a pulled folder or a bundle, and with `--base` or `--hf-cache` the base on this machine. No network, ever.
//!
//! What is remembered of the log says whether the version was stopped since; with `--max-age` that must not be older.
//! Prints which protections were active. Every kind of fault is named apart; nothing is accepted in part.
//! Clause: specification, section 8.

pub(super) mod bundle;

use std::path::{Path, PathBuf};

use retoque_core::digest::Digest;
use retoque_core::id::{PatchName, Version};
use retoque_core::manifest::BaseSection;
use retoque_core::problem::{CHECKPOINT_STALE, INPUT_UNREADABLE};
use retoque_core::release::{Asked, Report, Trust, VerifiedRelease};
use serde::Serialize;

use crate::base_proof::{self, Proof};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::head::{Head, Protections, Verdict};
use crate::log::Fork;
use crate::output::Page;
use crate::reference::{Reference, Selector};
use crate::snapshot::Location;
use crate::trust_store::Pin;
use crate::verify::{self, Pinned, pinned};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The pulled folder, or a bundle
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
    /// Refuse it unless the remembered log head and status are at most this old: `24h`, `7d`, `30m`
    #[arg(long, value_name = "TIME", value_parser = span, conflicts_with = "allow_stale")]
    max_age: Option<i64>,
}

/// Seconds.
pub(super) fn span(text: &str) -> Result<i64, String> {
    let unit = |suffix: char| match suffix {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(3600),
        'd' => Some(86_400),
        _ => None,
    };
    let parsed = text.chars().last().and_then(unit).and_then(|unit| {
        let number: u32 = text[..text.len() - 1].parse().ok()?;
        Some(i64::from(number) * unit)
    });
    parsed.ok_or_else(|| "a number and `s`, `m`, `h` or `d`, such as `24h`".to_owned())
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
    /// What the newest known status says of the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Verdict>,
    /// Which protections were active.
    pub protections: Protections,
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
    if args.path.is_file() {
        return bundle::run(&args, ctx);
    }
    if !args.path.is_dir() {
        let message = format!("{}: neither a folder nor a file", files::shown(&args.path));
        return Err(Failure::new(INPUT_UNREADABLE, message, "name a pulled folder or a bundle"));
    }
    let pinned = pinned(&args.path, args.root.as_deref(), ctx)?;
    let head = pinned.head()?;
    let trust = Trust {
        registry: pinned.known.as_ref().map(|known| known.origin.as_str()),
        allow_expired: args.allow_stale,
        policy: pinned.known.as_ref().and_then(|known| known.trust.policy.as_ref()),
        status: head.as_ref().map(|head| &head.status),
        ..Trust::new(&pinned.chain, ctx.start)
    };
    let wanted = args.expected.as_ref().map(Wanted::of);
    let asked = wanted.as_ref().map_or_else(Asked::default, Wanted::asked);
    let bar = ctx.progress("verifying", size_of(&args.path));
    let verified = verify::verify(&args.path, &trust, asked, &|bytes| bar.add(bytes));
    bar.done();
    let refused = |f| Failure::findings(format!("{} does not verify", files::shown(&args.path)), &f);
    let verified = verified.map_err(refused)?;
    let base_proof = prove_base(&args, &verified.manifest.base, ctx)?;
    let known = known(&args, &pinned, head.as_ref(), &verified, ctx)?;
    for warning in &known.warnings {
        ctx.warn(warning);
    }
    if verified.report.root_expired {
        ctx.warn(format!("the root expired at {}", verified.report.root_expires));
    }
    let shown = Verified {
        path: files::shown(&args.path),
        report: verified.report,
        root_pinned: how(pinned.pin()),
        base_proof,
        state: known.verdict,
        protections: known.protections,
    };
    ctx.report(&shown, |page| text(page, &shown))
}

/// Proves the base on this machine, when that was asked for.
fn prove_base(args: &Args, base: &BaseSection, ctx: &Context) -> Result<Option<Proof>, Failure> {
    let Some(location) = location(args, ctx)? else { return Ok(None) };
    let bar = ctx.progress("hashing base", base_proof::total(base));
    let proof = base_proof::prove(base, &location, &|bytes| bar.add(bytes));
    bar.done();
    let refused = |f| Failure::findings(format!("the base is not {}@{}", base.repo, base.commit), &f);
    proof.map(Some).map_err(refused)
}

/// What is remembered of the log, held against a proven folder.
struct Remembered {
    verdict: Option<Verdict>,
    warnings: Vec<String>,
    protections: Protections,
}

/// Refuses another history than the remembered one, a version that the remembered status stops, and with `--max-age` a
/// memory that is too old.
fn known(
    args: &Args,
    pinned: &Pinned,
    head: Option<&Head>,
    verified: &VerifiedRelease,
    ctx: &Context,
) -> Result<Remembered, Failure> {
    let tree = verified.checkpoint.head();
    if let (Some(head), Some(known)) = (head, &pinned.known)
        && verified.checkpoint.origin() == head.checkpoint.origin()
        && tree.size == head.tree().size
        && tree.root != head.tree().root
    {
        let note = verified.checkpoint.note().to_string();
        let fork = Fork { one: (head.tree(), head.note.clone()), other: (tree, note) };
        return Err(fork.report(&known.store.folder()));
    }
    let report = &verified.report;
    let verdict = head.map(|head| Verdict::of(&head.status, report.manifest, verified.commitment));
    let name = format!("{}@{}", report.patch, report.version);
    let warnings = verdict.as_ref().map_or_else(|| Ok(Vec::new()), |verdict| verdict.judge(&name))?;
    match (head, args.max_age) {
        (Some(head), Some(max_age)) => head.check_fresh(ctx.start, max_age)?,
        (None, Some(_)) => {
            let next = "pull the version again, or run `retoque log watch --once`: that remembers the newest head";
            return Err(Failure::new(CHECKPOINT_STALE, "no head of the registry's log is remembered here", next));
        }
        (_, None) => {}
    }
    let protections = Protections::of(pinned.chain.newest(), head.map(|head| (head, false)), Vec::new(), ctx.start);
    Ok(Remembered { verdict, warnings, protections })
}

/// How the root came to be trusted.
pub(super) fn how(pin: Option<&Pin>) -> String {
    match pin {
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
    for line in shown.protections.log_lines() {
        page.line(line);
    }
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
