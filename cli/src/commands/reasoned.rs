//! What acts with a reason share: `deprecate`, `restore`, `withdraw`, `takedown`, `review return`, `review revoke`.

use retoque_core::id::Version;
use retoque_core::lifecycle::{Action, Reason, reason_codes};

use super::key::KeyFile;
use crate::context::Context;
use crate::decide::{self, Situation};
use crate::error::Failure;
use crate::reference::ExactReference;

/// Arguments of an act that needs a reason.
#[derive(Debug, clap::Args)]
pub struct Reasoned {
    /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: ExactReference,
    /// Reason code
    #[arg(long, value_name = "CODE")]
    reason: String,
    /// What happened, for people: 10 to 2,000 characters
    #[arg(long)]
    text: String,
    #[command(flatten)]
    key: KeyFile,
}

/// Arguments of an act that may name a replacement.
#[derive(Debug, clap::Args)]
pub struct Replacing {
    #[command(flatten)]
    reasoned: Reasoned,
    /// The version to use instead; nobody is moved to it on their own
    #[arg(long, value_name = "VERSION")]
    replacement: Option<Version>,
}

/// Arguments of an act that cannot be taken back.
#[derive(Debug, clap::Args)]
pub struct Final {
    #[command(flatten)]
    replacing: Replacing,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

/// The reason codes of an action, for its help.
pub fn help(action: Action) -> String {
    format!("Reason codes: {}.", reason_codes(action).join(", "))
}

impl Reasoned {
    /// Acts.
    pub fn run(self, action: Action, ctx: &mut Context) -> Result<(), Failure> {
        Replacing { reasoned: self, replacement: None }.run(action, ctx)
    }

    fn check(&self, action: Action) -> Result<(), Failure> {
        let codes = reason_codes(action);
        if codes.contains(&self.reason.as_str()) {
            return Ok(());
        }
        Err(Failure::usage(
            format!("`{}` is no reason code of this command", self.reason),
            format!("one of: {}", codes.join(", ")),
        ))
    }
}

impl Replacing {
    /// Acts.
    pub fn run(self, action: Action, ctx: &mut Context) -> Result<(), Failure> {
        self.reasoned.check(action)?;
        let situation = Situation::of(&self.reasoned.reference, ctx)?;
        self.act(&situation, action, ctx)
    }

    fn act(self, situation: &Situation, action: Action, ctx: &mut Context) -> Result<(), Failure> {
        let Self { reasoned: Reasoned { reason, text, key, .. }, replacement } = self;
        let view = situation.decide(action, &key, ctx, |decision| {
            decision.reason = Some(Reason { code: reason, text });
            decision.replacement = replacement;
        })?;
        decide::report(&view, ctx)
    }
}

impl Final {
    /// Asks, then acts.
    pub fn run(self, action: Action, ctx: &mut Context) -> Result<(), Failure> {
        self.replacing.reasoned.check(action)?;
        let situation = Situation::of(&self.replacing.reasoned.reference, ctx)?;
        if !self.yes {
            ctx.confirm(&format!("{action} {}? This cannot be taken back.", situation.name()), "--yes")?;
        }
        self.replacing.act(&situation, action, ctx)
    }
}
