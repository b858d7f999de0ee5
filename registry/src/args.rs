//! The command line of `retoque-registry`: shapes only.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A registry of adapter patches: stores, checks, signs, reviews and serves immutable packages.
#[derive(Debug, Parser)]
#[command(name = "retoque-registry", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make an installation: settings, database, keys, root of trust, first operator
    Init(Init),
    /// Run the service until SIGTERM or SIGINT
    Serve(Serve),
    /// Bring the database's schema up to date
    Migrate(Where),
    /// Look at everything that is stored: objects, signatures, the log; changes nothing
    Fsck(Where),
    /// Remove what nobody needs: abandoned uploads and objects that no version names, older than a day
    Gc(Gc),
    /// Look at the settings
    #[command(subcommand)]
    Config(Config),
    /// Replace the keys that this service signs with
    #[command(subcommand)]
    Key(Key),
    /// Change the root of trust with the offline keys
    #[command(subcommand)]
    Root(Root),
    /// Cosign the checkpoints of other people's logs
    #[command(subcommand)]
    Witness(Witness),
}

/// Which installation.
#[derive(Debug, Clone, Args)]
pub struct Where {
    /// The settings file; without it and --dir, variables alone
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    pub config: Option<PathBuf>,
    /// The folder that `init` made
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Override one setting; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
}

/// `gc`.
#[derive(Debug, Clone, Args)]
pub struct Gc {
    /// Only print what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Which installation
    #[command(flatten)]
    pub installation: Where,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a setting is NAME=VALUE, such as log.level=debug")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// `init`.
#[derive(Debug, Clone, Args)]
pub struct Init {
    /// A folder that does not exist yet, or is empty
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// The address that users type; signed documents name it, so it stays
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8480")]
    pub url: String,
    /// Address and port to listen on [default: those of a --url on this machine, else 127.0.0.1:8480]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Use this database instead of a file in DIR
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// Name of the first operator
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub operator: String,
    /// Public key (64 hex digits) of a reviewer, to stand in the first root; may be repeated
    #[arg(long, value_name = "HEX")]
    pub reviewer_key: Vec<String>,
    /// Print the operator's token as well
    #[arg(long)]
    pub print_token: bool,
    /// A root that was made elsewhere.
    #[command(flatten)]
    pub ceremony: Ceremony,
}

/// A first root from a ceremony, with the keys that it names, instead of new ones.
#[derive(Debug, Clone, Default, Args)]
pub struct Ceremony {
    /// First root that `retoque key root` made and enough keys have signed, instead of new keys
    #[arg(long, value_name = "FILE", requires_all = ["platform_keys", "operator_key"], conflicts_with = "reviewer_key")]
    pub root: Option<PathBuf>,
    /// Folder with platform-build.pem, platform-log.pem and platform-status.pem, which ROOT names
    #[arg(long, value_name = "DIR", requires = "root")]
    pub platform_keys: Option<PathBuf>,
    /// Public key (64 hex digits) of the first operator, which ROOT names
    #[arg(long, value_name = "HEX", requires = "root")]
    pub operator_key: Option<String>,
    /// File whose first line opens the platform's keys when they are encrypted; it stays where it is
    #[arg(long, value_name = "FILE", requires = "root")]
    pub passphrase_file: Option<PathBuf>,
}

/// `serve`.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Which installation.
    #[command(flatten)]
    pub installation: Where,
    /// Listen here instead; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

/// `config`.
#[derive(Debug, Clone, Subcommand)]
pub enum Config {
    /// Report every mistake in the settings
    Check(Where),
    /// Print every setting, where it comes from, and its value without secrets
    Show {
        /// Which installation.
        #[command(flatten)]
        installation: Where,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// `key`.
#[derive(Debug, Clone, Subcommand)]
pub enum Key {
    /// Make the mounted key of a role the installation's own; the newest root must name it
    Adopt(Adopt),
}

/// `key adopt`.
#[derive(Debug, Clone, Args)]
pub struct Adopt {
    /// Which installation.
    #[command(flatten)]
    pub installation: Where,
    /// `platform-build`, `platform-log` or `platform-status`
    #[arg(long, value_name = "ROLE")]
    pub role: String,
}

/// `root`.
#[derive(Debug, Clone, Subcommand)]
pub enum Root {
    /// Print version, expiry, fingerprint and keys of the newest root
    Show(Where),
    /// Sign the next root, in which KEY stands in the role
    Add(RootChange),
    /// Sign the next root, in which KEY no longer stands in the role
    Remove(RootChange),
}

/// A change of the root.
#[derive(Debug, Clone, Args)]
pub struct RootChange {
    /// Which installation.
    #[command(flatten)]
    pub installation: Where,
    /// `review` or `operate`
    #[arg(long, value_name = "ROLE")]
    pub role: String,
    /// Public key of the person, 64 hex digits
    #[arg(long, value_name = "HEX")]
    pub key: String,
    /// Private key files of the root role, as many as its threshold asks for
    #[arg(long = "signer", value_name = "PEM", required = true)]
    pub signers: Vec<PathBuf>,
    /// File whose first line opens the key files when they are encrypted
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Confirm that so many signed documents of the log become worthless
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub orphans: u64,
}

/// `witness`.
#[derive(Debug, Clone, Subcommand)]
pub enum Witness {
    /// Make the folder of a new witness with its key, and print the verifier key
    Init {
        /// A folder that does not exist yet, or is empty
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// The name it cosigns under, such as `witness.example/w1`
        #[arg(long, value_name = "NAME")]
        name: String,
        /// Verifier key of a log to watch; may be repeated, and added to the file `logs` later
        #[arg(long = "log", value_name = "VKEY")]
        logs: Vec<String>,
    },
    /// Take checkpoints until SIGTERM or SIGINT
    Serve {
        /// The folder that `witness init` made
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// Address and port to listen on; port 0 takes a free one
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8481")]
        listen: SocketAddr,
    },
    /// Print the verifier key, and what was cosigned last of each log; not while it serves
    Show {
        /// The folder that `witness init` made
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
    },
}
