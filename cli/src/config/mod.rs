//! Settings: the environment, the folder of the configuration and what it holds.
//!
//! The folder (`RETOQUE_HOME`, mode 0700) holds `config.toml` (the known registries), `tokens.toml` (mode 0600),
//! `trust/<registry>/` (roots) and `keys/<account>.pem` (mode 0600). Secrets that others on the machine could
//! read are refused. The only module that reads environment variables. Clauses: specification, sections 8 and 9.

mod environment;
mod home;
pub mod keys;
mod registries;
mod tokens;
mod url;

pub use environment::Environment;
pub use home::Home;
pub use registries::{Registries, Registry};
pub(crate) use tokens::well_formed;
pub use url::{RegistryUrl, folder_name};
