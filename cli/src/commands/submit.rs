//! `submit REF`: asks for review, with the declarations of the org (admin of the org).
//!
//! Every declaration is made on purpose: by a flag, in a file, or as the answer to a question. None has a default.

use std::path::{Path, PathBuf};

use retoque_core::decision::{Declarations, Offer};
use retoque_core::json::{self, Limits};
use retoque_core::lifecycle::Action;
use retoque_core::problem::{CONFIRMATION_NEEDED, FIELD_INVALID};

use super::key::KeyFile;
use crate::context::Context;
use crate::decide::{self, Situation};
use crate::error::Failure;
use crate::files;
use crate::reference::ExactReference;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The version: `org/slug@1.2.0` or `org/slug@sha256:…`
    #[arg(value_name = "REF")]
    reference: ExactReference,
    #[command(flatten)]
    declared: Declared,
    /// Read all declarations from this TOML or JSON file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset_rights", "base_licence_compliance",
        "publish_cases", "keep_cases", "attribution", "licence", "price", "wallet"])]
    declarations: Option<PathBuf>,
    #[command(flatten)]
    key: KeyFile,
    /// Do not ask
    #[arg(long, short = 'y')]
    yes: bool,
}

#[derive(Debug, clap::Args)]
struct Declared {
    /// The org has the rights in the dataset
    #[arg(long)]
    dataset_rights: bool,
    /// The adapter complies with the licence of the base
    #[arg(long)]
    base_licence_compliance: bool,
    /// The validation cases may be shown publicly
    #[arg(long, conflicts_with = "keep_cases")]
    publish_cases: bool,
    /// The validation cases may not be shown publicly
    #[arg(long)]
    keep_cases: bool,
    /// Third-party attribution, or `None`
    #[arg(long)]
    attribution: Option<String>,
    /// Free of charge, under this SPDX licence identifier or `proprietary`
    #[arg(long, value_name = "SPDX", conflicts_with = "price")]
    licence: Option<String>,
    /// For money: the price in US dollars
    #[arg(long, value_name = "USD", requires = "wallet")]
    price: Option<String>,
    /// For money: where it goes, `0x` and 40 hex digits
    #[arg(long, value_name = "ADDRESS", requires = "price")]
    wallet: Option<String>,
}

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let declarations = match &args.declarations {
        Some(path) => read(path)?,
        None => asked(args.declared, ctx)?,
    };
    let offer = declarations.offer.check();
    if offer.refused() {
        return Err(Failure::findings("the offer is refused", &offer));
    }
    let situation = Situation::of(&args.reference, ctx)?;
    if !args.yes {
        let text = serde_json::to_string_pretty(&declarations).unwrap_or_default();
        for line in text.lines() {
            ctx.note(line);
        }
        ctx.confirm(&format!("submit {} with these declarations, signed by you?", situation.name()), "--yes")?;
    }
    let view =
        situation.decide(Action::Submit, &args.key, ctx, |decision| decision.declarations = Some(declarations))?;
    decide::report(&view, ctx)
}

fn read(path: &Path) -> Result<Declarations, Failure> {
    let bytes = files::read(path, 64 << 10)?;
    let refuse = |what: String| {
        let next = "it holds dataset_rights, base_licence_compliance, publish_validation_cases, \
                    third_party_attribution and offer";
        Failure::new(FIELD_INVALID, format!("{}: {what}", files::shown(path)), next)
    };
    if bytes.trim_ascii_start().starts_with(b"{") {
        return json::decode(&bytes, Limits::DOCUMENT).map_err(|e| refuse(e.to_string()));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| refuse("not UTF-8".to_owned()))?;
    toml::from_str(text).map_err(|e| refuse(e.message().to_owned()))
}

/// What the flags leave open is asked; without a terminal, all missing flags are named at once.
fn asked(declared: Declared, ctx: &mut Context) -> Result<Declarations, Failure> {
    let missing = missing(&declared);
    if !missing.is_empty() && !ctx.interactive() {
        let message = format!("declarations are missing: {}", missing.join(", "));
        return Err(Failure::new(CONFIRMATION_NEEDED, message, "give these flags, or --declarations FILE"));
    }
    let mut yes = |given: bool, question: &str| -> Result<bool, Failure> {
        if given {
            return Ok(true);
        }
        let answer = ctx.ask(&format!("{question} [y/N] "))?.unwrap_or_default();
        Ok(matches!(answer.as_str(), "y" | "Y" | "yes"))
    };
    // Nothing is submitted without these two, so a no ends the questions.
    let needed = |yes: bool| {
        let refused = || Failure::new(CONFIRMATION_NEEDED, "nothing was submitted: this must be declared", "");
        yes.then_some(true).ok_or_else(refused)
    };
    let dataset_rights = needed(yes(declared.dataset_rights, "Has the org the rights in the dataset?")?)?;
    let base_licence_compliance =
        needed(yes(declared.base_licence_compliance, "Does the adapter comply with the licence of the base?")?)?;
    let publish_validation_cases =
        !declared.keep_cases && yes(declared.publish_cases, "May the validation cases be shown publicly?")?;
    let third_party_attribution = match declared.attribution {
        Some(text) => text,
        None => ctx.ask("Third-party attribution (or None): ")?.unwrap_or_default(),
    };
    let offer = match (declared.licence, declared.price, declared.wallet) {
        (_, Some(price_usd), Some(payout_wallet)) => Offer::Paid { price_usd, payout_wallet },
        (Some(licence), _, _) => Offer::Free { licence },
        _ => Offer::Free {
            licence: ctx.ask("Free of charge under (SPDX identifier or proprietary): ")?.unwrap_or_default(),
        },
    };
    Ok(Declarations {
        dataset_rights,
        base_licence_compliance,
        publish_validation_cases,
        third_party_attribution,
        offer,
    })
}

fn missing(declared: &Declared) -> Vec<&'static str> {
    [
        ("--dataset-rights", declared.dataset_rights),
        ("--base-licence-compliance", declared.base_licence_compliance),
        ("--publish-cases or --keep-cases", declared.publish_cases || declared.keep_cases),
        ("--attribution", declared.attribution.is_some()),
        ("--licence, or --price and --wallet", declared.licence.is_some() || declared.price.is_some()),
    ]
    .into_iter()
    .filter_map(|(flag, given)| (!given).then_some(flag))
    .collect()
}
