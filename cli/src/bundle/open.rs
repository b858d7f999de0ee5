//! Verifying a bundle against the roots of this machine and what is remembered of the log.

use std::io::BufReader;
use std::path::Path;

use retoque_core::bundle::{self, Keeper, Reader, VerifiedBundle};
use retoque_core::problem::CHECKPOINT_STALE;
use retoque_core::release::{Asked, RELEASE, Release, Trust};
use retoque_core::sign::Time;

use crate::error::Failure;
use crate::files;
use crate::head::{Authority, Head, Protections, Verdict};
use crate::output::Progress;
use crate::trust_store::{self, Pin};
use crate::verify::Pinned;

/// How a bundle is opened.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// The file.
    pub path: &'a Path,
    /// The roots of its registry.
    pub pinned: &'a Pinned,
    /// What it must be.
    pub asked: Asked<'a>,
    /// The start time of the command.
    pub now: Time,
    /// Whether an expired root is let through.
    pub allow_stale: bool,
    /// How old the newest known head and status may be, in seconds.
    pub max_age: Option<i64>,
}

/// A bundle that was verified to its last byte, and may be used.
#[derive(Debug)]
pub struct Opened {
    /// What it proves.
    pub bundle: VerifiedBundle,
    /// The trusted roots with those of the bundle.
    pub trust: trust_store::Trust,
    /// The newest head that is known: that of the bundle, or the remembered one when its status is newer.
    pub newest: Head,
    /// Whether that is the remembered one.
    pub remembered: bool,
    /// What the newest status says of the version.
    pub verdict: Verdict,
    /// What the user must hear.
    pub warnings: Vec<String>,
}

impl Opening<'_> {
    /// Verifies the bundle in one pass, handing its files to `keeper`, and refuses what must not be used.
    pub fn run(&self, keeper: &mut dyn Keeper, bar: &Progress) -> Result<Opened, Failure> {
        let remembered = self.pinned.head()?;
        let chain = self.pinned.chain.clone();
        let known = self.pinned.known.as_ref();
        let trust = Trust {
            registry: known.map(|known| known.origin.as_str()),
            allow_expired: self.allow_stale,
            policy: known.and_then(|known| known.trust.policy.as_ref()),
            known: remembered.as_ref().map(|head| (head.checkpoint.origin(), head.tree())),
            status: remembered.as_ref().map(|head| &head.status),
            ..Trust::new(&chain, self.now)
        };
        let source = BufReader::with_capacity(1 << 20, files::open(self.path)?);
        let bundle = bundle::verify(source, &trust, self.asked, keeper, &mut |bytes| bar.add(bytes));
        let refused = |f| Failure::findings(format!("{} does not verify", files::shown(self.path)), &f);
        let bundle = bundle.map_err(refused)?;
        let pin = known.map_or_else(
            || Pin {
                version: self.pinned.chain.newest().version(),
                fingerprint: self.pinned.chain.newest().fingerprint(),
                first_use: false,
            },
            |known| known.trust.pin,
        );
        let policy = known.and_then(|known| known.trust.policy.clone());
        let trust = trust_store::Trust { pin, chain: bundle.chain.clone(), policy };
        let authority = Authority::new(&trust, &bundle.release.release.registry);
        let own = Head::verify(&bundle.note, bundle.envelope.clone(), &authority)?;
        let issued = |head: &Head| head.status.as_of().issued;
        let (newest, remembered) = match remembered {
            Some(remembered) if issued(&remembered) > issued(&own) => (remembered, true),
            _ => (own, false),
        };
        let report = &bundle.release.report;
        let verdict = Verdict::of(&newest.status, report.manifest, bundle.release.commitment);
        let mut warnings = verdict.judge(&format!("{}@{}", report.patch, report.version))?;
        if report.root_expired {
            warnings.push(format!("the root expired at {}", report.root_expires));
        }
        if let Some(max_age) = self.max_age {
            newest.check_fresh(self.now, max_age).map_err(|failure| {
                let next = "fetch a newer bundle, or verify it where the registry can be asked";
                if failure.is(CHECKPOINT_STALE) { failure.with_next(next) } else { failure }
            })?;
        }
        Ok(Opened { bundle, trust, newest, remembered, verdict, warnings })
    }
}

impl Opened {
    /// Which protections were active at `now`.
    pub fn protections(&self, now: Time) -> Protections {
        Protections::of(self.trust.root(), Some((&self.newest, false)), Vec::new(), now)
    }
}

/// The registry that a bundle says it is from. Believed by nobody: it only selects among pinned roots.
pub fn claimed_origin(path: &Path) -> Option<String> {
    let mut reader = Reader::new(BufReader::new(files::open(path).ok()?));
    while let Some((member, mut content)) = reader.entry().ok()? {
        if member.name() == RELEASE {
            return Release::parse(&content.whole().ok()?).ok().map(|release| release.registry);
        }
    }
    None
}
