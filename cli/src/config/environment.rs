//! The environment variables that count.

use std::env;
use std::path::PathBuf;

use secrecy::SecretString;

/// What the environment says. Empty variables count as absent.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `RETOQUE_REGISTRY`: the registry to talk to.
    pub registry: Option<String>,
    /// `RETOQUE_TOKEN`: used instead of a stored token.
    pub token: Option<SecretString>,
    /// `RETOQUE_PASSPHRASE`: opens encrypted private keys; `--passphrase-file` wins over it.
    pub passphrase: Option<SecretString>,
    /// The folder of the configuration: `RETOQUE_HOME`, else `$XDG_CONFIG_HOME/retoque`, else `~/.config/retoque`.
    pub home: Option<PathBuf>,
    /// The Hugging Face cache: `HF_HUB_CACHE`, else `$HF_HOME/hub`, else `$XDG_CACHE_HOME/huggingface/hub`, else
    /// `~/.cache/huggingface/hub`.
    pub hf_cache: Option<PathBuf>,
    /// `NO_COLOR` is set.
    pub no_color: bool,
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the only place that reads environment variables")]
    pub fn of_process() -> Self {
        let path = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        // What is not UTF-8 is kept as something that is refused later by name, not taken for absent.
        let text = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(|v| v.to_string_lossy().into_owned());
        let user = path("HOME");
        Self {
            registry: text("RETOQUE_REGISTRY"),
            token: text("RETOQUE_TOKEN").map(SecretString::from),
            passphrase: text("RETOQUE_PASSPHRASE").map(SecretString::from),
            home: path("RETOQUE_HOME")
                .or_else(|| path("XDG_CONFIG_HOME").map(|p| p.join("retoque")))
                .or_else(|| user.as_ref().map(|p| p.join(".config/retoque"))),
            hf_cache: path("HF_HUB_CACHE")
                .or_else(|| path("HF_HOME").map(|p| p.join("hub")))
                .or_else(|| path("XDG_CACHE_HOME").map(|p| p.join("huggingface/hub")))
                .or_else(|| user.as_ref().map(|p| p.join(".cache/huggingface/hub"))),
            no_color: env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()),
        }
    }
}
