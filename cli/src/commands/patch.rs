//! `patch create FILE`: declares what a patch repairs, on which base, for whom.

use std::path::PathBuf;

use reqwest::Method;
use retoque_core::api::{NewPatch, PatchView};
use retoque_core::patch::Draft;
use retoque_core::problem::FIELD_INVALID;

use crate::client::{Connection, Document};
use crate::context::Context;
use crate::error::Failure;
use crate::files;
use crate::output::Page;
use crate::runtime::block_on;

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make a patch from a TOML or JSON file
    #[command(after_long_help = EXAMPLE)]
    Create {
        /// The file: name, title, problem, success criterion, category, base, visibility, licensing
        file: PathBuf,
    },
}

const EXAMPLE: &str = r#"An example of the file:

  name = "acme/tiny-desk"
  title = "Valid JSON from support tickets"
  problem = "The base writes explanations around the JSON object that the desk needs."
  success_criterion = "The answer is the object alone in 95 of 100 tickets."
  category = "structured-output"    # domain-extraction, code-repair, classification, style
  base = "Qwen/Qwen2.5-0.5B-Instruct@7ae557604adf67be50417f59c2c2f167def9a775"
  visibility = "public"             # private
  licensing = "free"                # paid"#;

/// Runs the command.
pub fn run(args: Args, ctx: &mut Context) -> Result<(), Failure> {
    let What::Create { file } = args.what;
    let patch = read(&file)?;
    let client = Connection::open(ctx)?.client;
    let body = Document::json(&patch)?;
    let view: PatchView = block_on(client.call(Method::POST, client.api(&["patches"]), Some(body)))?;
    ctx.report(&view, |page| text(page, &view))
}

fn read(file: &std::path::Path) -> Result<NewPatch, Failure> {
    let bytes = files::read(file, 64 << 10)?;
    let refuse = |what: String| {
        let message = format!("{}: {what}", files::shown(file));
        Failure::new(FIELD_INVALID, message, "see the example in `retoque patch create --help`")
    };
    let json = if bytes.trim_ascii_start().starts_with(b"{") {
        bytes
    } else {
        let text = std::str::from_utf8(&bytes).map_err(|_| refuse("not UTF-8".into()))?;
        let value: serde_json::Value = toml::from_str(text).map_err(|e| refuse(e.message().to_owned()))?;
        serde_json::to_vec(&value).map_err(|e| refuse(e.to_string()))?
    };
    // The registry's own reading of a declaration, so that every fault is named before anything is sent.
    let draft = Draft::read(&json).and_then(Draft::finish);
    draft.map_err(|findings| Failure::findings(files::shown(file), &findings))
}

/// What is known of a patch.
pub(super) fn text(page: &mut Page, view: &PatchView) {
    let patch = &view.patch;
    page.heading(format!("{} — {}", patch.name, patch.title));
    page.field("problem", &patch.problem);
    page.field("success", &patch.success_criterion);
    page.field("category", word(&patch.category));
    page.field("base", &patch.base);
    page.field("visibility", word(&patch.visibility));
    page.field("licensing", word(&patch.licensing));
    page.field("created", format!("{} by {}", view.created, view.created_by));
    page.field("versions", view.versions);
    if let Some(newest) = &view.newest {
        page.field("newest", format!("{} ({}, {})", newest.version, newest.state, newest.evidence));
    }
}

fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_a_patch_in_both_forms_and_mistakes_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("patch");
        let toml = EXAMPLE.split_once("\n\n").unwrap().1;
        std::fs::write(&file, toml).unwrap();
        let patch = read(&file).unwrap();
        std::fs::write(&file, serde_json::to_vec(&patch).unwrap()).unwrap();
        assert_eq!(read(&file).unwrap(), patch);
        std::fs::write(&file, format!("{toml}\nrevision = \"main\"\n")).unwrap();
        let refused = read(&file).unwrap_err();
        assert!(refused.list().iter().any(|f| f.found.contains("revision")), "{refused:?}");
    }
}
