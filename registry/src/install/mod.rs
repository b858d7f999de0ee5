//! `init`: a whole installation in one folder, or nothing.
//!
//! Settings, database with schema, storage, the keys of every role, the first root (two of three signatures), the first
//! operator with a registered key and a token. Refuses a folder that holds something and a database that holds an
//! installation. Instead of new keys it takes a first root that a ceremony made ([`ceremony`]). Clause: specification, sections 10 and 11.

mod ceremony;
pub(crate) mod folder;
mod rows;
mod trust;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use retoque_core::digest::Digest;
use retoque_core::id::AccountName;
use retoque_core::problem::{Finding, Findings, INTERNAL, NAME_INVALID, Place};

use crate::args::Init;
use crate::clock::Chance;
use crate::config::{self, Config, Sources};
use crate::token::TokenText;

use folder::Folder;
use trust::Trust;

/// What was made.
#[derive(Debug)]
pub struct Made {
    /// Where.
    pub dir: PathBuf,
    /// Fingerprint of the root: what clients pin.
    pub fingerprint: Digest,
    /// The address that signed documents name.
    pub origin: String,
    /// The operator's token, also written to `operator.token`.
    pub token: TokenText,
    /// Whether the root keys and the operator's key lie in the folder and have to leave it.
    pub has_root_keys: bool,
}

/// Makes an installation.
pub async fn init(args: &Init, chance: &Chance) -> Result<Made, Findings> {
    let mut findings = Findings::new();
    let operator = args.operator.parse::<AccountName>().map_err(|e| {
        let place = Place::field("operator");
        let next = "choose another name with --operator";
        findings.push(Finding::new(NAME_INVALID, place, "another text", e.to_string(), next));
    });
    let reviewers = trust::public_keys(&args.reviewer_key, "reviewer-key").map_err(|f| findings.extend(f));
    let (Ok(operator), Ok(reviewers)) = (operator, reviewers) else { return Err(findings) };

    let suffix = hex::encode(chance.bytes::<4>().map_err(|e| internal(&e))?);
    let folder = Folder::begin(&args.dir, &suffix)?;
    folder.private(config::FILE, settings(args).as_bytes())?;
    // Read back as `serve` will read it, but without this process's variables: the folder must stand by itself.
    let sources = Sources { file: Some(folder.path(config::FILE)), ..Sources::default() };
    let config = Config::load(&sources)?;
    folder.folder("storage")?;
    if args.database.is_none() {
        // Made here, so that the engine does not make it readable for others.
        folder.private("registry.db", b"")?;
    }
    let trust = match ceremony::trust(&args.ceremony, chance)? {
        Some(trust) => trust,
        None => Trust::make(chance, reviewers)?,
    };
    trust.write(&folder)?;
    let token = rows::write(&config, &trust, &operator, chance).await?;
    folder.private("operator.token", format!("{}\n", token.reveal()).as_bytes())?;
    folder.finish()?;
    Ok(Made {
        dir: args.dir.clone(),
        fingerprint: trust.root.fingerprint(),
        origin: config.server.url.as_str().to_owned(),
        token,
        has_root_keys: args.ceremony.root.is_none(),
    })
}

/// Where to listen: as told, else where an address on this machine leads. Any other address belongs to a proxy.
fn listen(args: &Init) -> SocketAddr {
    let usual = SocketAddr::from(([127, 0, 0, 1], 8480));
    let named = || {
        let host = args.url.strip_prefix("http://")?.trim_end_matches('/').replacen("localhost", "127.0.0.1", 1);
        host.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback())
    };
    args.listen.or_else(named).unwrap_or(usual)
}

/// The settings file: what was chosen; everything else keeps its default.
fn settings(args: &Init) -> String {
    let text = |value: &str| toml::Value::from(value).to_string();
    let passphrase = args.ceremony.passphrase_file.as_ref();
    let passphrase = passphrase.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()));
    let passphrase = passphrase.map(|file| file.display().to_string());
    format!(
        "# Settings of this registry. Relative paths start at this file's folder.\n\
        # `retoque-registry config show --dir DIR` prints every setting, its value and where it comes from.\n\n\
        [server]\nlisten = {}\nurl = {}\n\n[database]\nurl = {}\n\n[storage]\nkind = \"folder\"\nfolder = \"storage\"\n\n\
        [keys]\nbuild = \"keys/platform-build.pem\"\nlog = \"keys/platform-log.pem\"\n\
        status = \"keys/platform-status.pem\"\n{}",
        text(&listen(args).to_string()),
        text(&args.url),
        text(args.database.as_deref().unwrap_or("sqlite:registry.db")),
        passphrase.map_or_else(String::new, |file| format!("passphrase_file = {}\n", text(&file))),
    )
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dir = self.dir.display();
        writeln!(f, "Made a registry in {dir}:\n")?;
        writeln!(f, "  config.toml            settings; paths in it start at this folder")?;
        writeln!(f, "  registry.db, storage/  database and packages, when they are not elsewhere")?;
        writeln!(f, "  keys/platform-*.pem    the service's signing keys: only the service needs them")?;
        if self.has_root_keys {
            writeln!(
                f,
                "  keys/root-*.pem        MOVE OFFLINE, each to another place: two of three can replace every key"
            )?;
            writeln!(f, "  keys/operator.pem      MOVE to the operator's machine: signs deprecations and withdrawals")?;
        }
        writeln!(f, "  operator.token         the operator's token: hand it over, then delete the file")?;
        writeln!(f, "  root.json              the root of trust: give it to clients\n")?;
        writeln!(f, "root fingerprint  {}", self.fingerprint.hex())?;
        writeln!(f, "origin            {}\n", self.origin)?;
        writeln!(f, "next: retoque-registry serve --dir {dir}")?;
        writeln!(f, "then: retoque trust add {} --fingerprint {}", self.origin, self.fingerprint.hex())
    }
}

/// A fault that no input causes.
pub(crate) fn internal(error: &dyn fmt::Display) -> Findings {
    let next = "report it with this message";
    Finding::new(INTERNAL, Place::default(), error.to_string(), "a working machine", next).into()
}
