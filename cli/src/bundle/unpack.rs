//! Unpacking a bundle while it is verified, into a folder beside the target that gets its name at the end.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use retoque_core::bundle::{Keeper, folder_name};
use retoque_core::release::{Asked, Trust, VerifiedRelease};

use super::Opened;
use crate::error::Failure;
use crate::output::Progress;
use crate::pull::{Existing, Staging, existing};
use crate::verify;

/// Takes the files of a bundle.
#[derive(Debug)]
pub struct Unpack<'a> {
    dir: Option<&'a Path>,
    target: PathBuf,
    staging: Option<Staging>,
    file: Option<File>,
    /// Why the folder could not be made, with its hint.
    failure: Option<Failure>,
}

impl<'a> Unpack<'a> {
    /// Into this folder [default: `./SLUG-VERSION`].
    pub const fn to(dir: Option<&'a Path>) -> Self {
        Self { dir, target: PathBuf::new(), staging: None, file: None, failure: None }
    }

    /// Removes what was unpacked of a bundle that is refused. Answers the failure to report: when the folder could not be
    /// made, why.
    pub fn abandon(self, refused: Failure) -> Failure {
        if let Some(failure) = self.failure {
            return failure;
        }
        match self.staging.map(Staging::discard) {
            Some(Err(failure)) => failure,
            Some(Ok(())) | None => refused,
        }
    }

    /// Proves the folder again from the disk and gives it its name. Answers where it is, and whether it was there before.
    pub fn install(mut self, opened: &Opened, trust: &Trust<'_>) -> Result<(PathBuf, bool), Failure> {
        self.file = None;
        let Some(staging) = self.staging else {
            return Err(Failure::usage("the bundle held no folder", "fetch the bundle again"));
        };
        let report = &opened.bundle.release.report;
        let asked =
            Asked { patch: Some(&report.patch), version: Some(&report.version), manifest: Some(report.manifest) };
        let replace = match existing(&self.target, trust, asked, &Progress::hidden()) {
            Ok(Existing::Proven(_)) => {
                staging.discard()?;
                return Ok((self.target, true));
            }
            Ok(Existing::Damaged(_)) => true,
            Ok(Existing::Nothing) => false,
            Err(failure) => {
                staging.discard()?;
                return Err(failure);
            }
        };
        let proven = verify::verify(staging.folder(), trust, asked, &|_| ());
        proven.map_err(|f| Failure::findings("what was written does not verify", &f))?;
        staging.finish(&self.target, replace)?;
        Ok((self.target, false))
    }
}

impl Keeper for Unpack<'_> {
    fn begin(&mut self, release: &VerifiedRelease) -> io::Result<()> {
        let default = || PathBuf::from(folder_name(&release.manifest.patch.slug, &release.manifest.version));
        self.target = self.dir.map_or_else(default, Path::to_owned);
        let staging = Staging::open(&self.target, release.release.manifest_digest);
        match staging.and_then(|staging| staging.tidy(release).map(|()| staging)) {
            Ok(staging) => self.staging = Some(staging),
            Err(failure) => {
                self.failure = Some(failure);
                return Err(io::ErrorKind::PermissionDenied.into());
            }
        }
        Ok(())
    }

    fn file(&mut self, name: &str) -> io::Result<()> {
        let Some(staging) = &self.staging else { return Err(io::ErrorKind::NotFound.into()) };
        self.file = Some(File::create(staging.path(name))?);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.as_mut().map_or_else(|| Err(io::ErrorKind::NotFound.into()), |file| file.write_all(bytes))
    }
}
