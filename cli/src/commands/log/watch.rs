//! `log watch`: each look is a command of its own, with its own start time.
//!
//! What the network does not give is asked for again; what does not verify ends the command. Under `--json` each look
//! that finds something new prints one document on one line.

use std::time::Duration;

use retoque_core::decision::{Record, VersionRecord};
use retoque_core::log::Bundle;
use retoque_core::sign::Time;
use serde::Serialize;

use super::Watch;
use crate::client::{Connection, Sources};
use crate::clock;
use crate::context::Context;
use crate::error::Failure;
use crate::head::{Asking, Authority, Current, tiles};
use crate::log::{Entries, Other};
use crate::output::{clean, written};
use crate::runtime::block_on;

/// One entry of the log.
#[derive(Serialize)]
struct Line {
    index: u64,
    /// `published`, …, `key-registered`, `root-changed`; `private` when only a commitment is shown.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
}

/// What one look found.
#[derive(Serialize)]
struct Look {
    size: u64,
    root: String,
    entries: Vec<Line>,
    compared: Vec<Other>,
}

pub(super) fn run(args: &Watch, ctx: &mut Context) -> Result<(), Failure> {
    let connection = Connection::open(ctx)?;
    let mut seen = remembered(&connection)?;
    let mut now = ctx.start;
    loop {
        match look(args, &connection, now, seen, ctx) {
            Ok(size) => seen = Some(size),
            Err(failure) if !args.once && [7, 8].contains(&failure.exit_status()) => {
                ctx.warn(format!("{} [{}]", failure.message(), failure.code()));
            }
            Err(failure) => return Err(failure),
        }
        if args.once {
            return Ok(());
        }
        let pause = Duration::from_secs(args.interval.into());
        block_on(async {
            tokio::time::sleep(pause).await;
            Ok(())
        })?;
        now = clock::now()?;
    }
}

/// The size of the log that was remembered when the command began.
fn remembered(connection: &Connection) -> Result<Option<u64>, Failure> {
    let store = connection.trust_store();
    let trust = store.load()?;
    let origin = Authority::new(&trust, connection.origin()?).origin();
    Ok(store.state(&origin).log()?.map(|log| log.size))
}

fn look(
    args: &Watch,
    connection: &Connection,
    now: Time,
    seen: Option<u64>,
    ctx: &mut Context,
) -> Result<u64, Failure> {
    let sources = Sources::only(connection.client.clone());
    let (current, entries, compared) = block_on(async {
        let current = Asking::new(connection, &sources, now, args.allow_stale).ask().await?;
        let from = seen.unwrap_or_else(|| current.head.checkpoint.size());
        let entries = entries(connection, &sources, &current, from).await?;
        let authority = Authority::new(&current.trust, connection.origin()?);
        let folder = args.proof.clone().unwrap_or_else(|| connection.trust_store().folder());
        let mut compared = Vec::new();
        for place in &args.compare {
            compared.push(Other::compare(place, connection, &authority, &current.head, &folder).await?);
        }
        Ok((current, entries, compared))
    })?;
    for text in &current.stale {
        ctx.warn(text);
    }
    let (size, root) = (current.head.checkpoint.size(), current.head.checkpoint.root().hex());
    let look = Look { size, root, entries, compared };
    if args.once {
        ctx.report(&look, |page| lines(&look).into_iter().for_each(|line| page.line(line)))?;
    } else if seen != Some(size) {
        let text = if ctx.global.json {
            serde_json::to_string(&look).unwrap_or_default()
        } else {
            lines(&look).iter().map(|line| clean(line)).collect::<Vec<_>>().join("\n")
        };
        written(writeln!(ctx.stdout(), "{text}").and_then(|()| ctx.stdout().flush()))?;
    }
    Ok(size)
}

fn lines(look: &Look) -> Vec<String> {
    let entry = |line: &Line| {
        let part = |text: &Option<String>, before: &str| {
            text.as_ref().map_or_else(String::new, |text| format!("{before}{text}"))
        };
        let time = line.time.map(|time| time.to_string());
        let (version, by, time) = (part(&line.version, " "), part(&line.by, " by "), part(&time, " at "));
        format!("log[{}] {}{version}{by}{time}", line.index, line.kind)
    };
    let head = format!("{} entries, root {}", look.size, look.root);
    let compared = look.compared.iter().map(Other::line);
    look.entries.iter().map(entry).chain([head]).chain(compared).collect()
}

/// The entries from `from` on.
async fn entries(
    connection: &Connection,
    sources: &Sources,
    current: &Current,
    from: u64,
) -> Result<Vec<Line>, Failure> {
    let tiles = tiles(connection, sources.clone());
    let tree = current.head.tree();
    let mut entries = Entries::of(&tiles, tree);
    let mut lines = Vec::new();
    let first = from / u64::from(retoque_core::log::tile::FULL);
    for bundle in (first..).map_while(|index| Bundle::in_tree(tree.size, index)) {
        let (leaves, _) = entries.read(bundle).await?;
        let all = (bundle.first()..).zip(leaves);
        lines.extend(all.filter(|(index, _)| *index >= from).map(|(index, leaf)| line(index, &leaf)));
    }
    Ok(lines)
}

fn line(index: u64, leaf: &[u8]) -> Line {
    let bare = |kind| Line { index, kind, version: None, by: None, time: None };
    match Record::parse(leaf) {
        Ok(Record::Version(VersionRecord { kind, patch, version, actor, time, .. })) => Line {
            version: Some(format!("{patch}@{version}")),
            by: Some(actor.to_string()),
            time: Some(time),
            ..bare(kind.name())
        },
        Ok(Record::Key(record)) => {
            Line { by: Some(record.account.to_string()), time: Some(record.time), ..bare("key-registered") }
        }
        Ok(Record::Root(record)) => {
            Line { version: Some(record.root.to_string()), time: Some(record.time), ..bare("root-changed") }
        }
        Err(_) if leaf.starts_with(b"{\"commitment\"") => bare("private"),
        Err(_) => bare("unreadable"),
    }
}
