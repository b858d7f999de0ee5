//! What each command does: call, print, and turn a refusal into an exit status (specification, section 9).

use std::path::Path;
use std::process::ExitCode;

use axum::Router;
use retoque_core::problem::{Findings, Kind, Severity};

use crate::adopt::told;
use crate::app::{App, database_refused, log_failed};
use crate::args::{self, Command, Where};
use crate::clock::Chance;
use crate::config::{self, Config, Sources};
use crate::service::{collect, inspect};
use crate::{adopt, install, jobs, log, logging, root, serve, witness};

/// Runs one command.
pub(crate) async fn run(command: Command, router: fn(&App) -> Router) -> ExitCode {
    let result = match command {
        Command::Init(args) => init(&args).await,
        Command::Serve(args) => run_service(&args, router).await,
        Command::Migrate(place) => migrate(&place).await,
        Command::Fsck(place) => fsck(&place).await,
        Command::Gc(args) => gc(&args).await,
        Command::Config(args::Config::Check(place)) => check(&place),
        Command::Config(args::Config::Show { installation, json }) => show(&installation, json),
        Command::Key(args::Key::Adopt(wanted)) => {
            adopt::adopt(&settings(&wanted.installation), &wanted).await.map(|text| print(&text))
        }
        Command::Root(args::Root::Show(place)) => root::show(&settings(&place)).await.map(|text| print(&text)),
        Command::Root(args::Root::Add(change)) => {
            root::change(&settings(&change.installation), &change, root::Change::Add).await.map(|text| print(&text))
        }
        Command::Root(args::Root::Remove(change)) => {
            root::change(&settings(&change.installation), &change, root::Change::Remove).await.map(|text| print(&text))
        }
        Command::Witness(args) => watch(args).await,
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(findings) => refuse(&findings),
    }
}

async fn init(args: &args::Init) -> Result<(), Findings> {
    let made = install::init(args, &Chance::system()).await?;
    print(&made.to_string());
    if args.print_token {
        print(&format!("token             {}\n", made.token.reveal()));
    }
    Ok(())
}

async fn run_service(args: &args::Serve, router: fn(&App) -> Router) -> Result<(), Findings> {
    let mut sources = settings(&args.installation);
    sources.flags.extend(args.listen.map(|address| ("server.listen".to_owned(), address.to_string())));
    let config = Config::load(&sources)?;
    logging::start(&config.log);
    let address = config.server.listen;
    let waits = serve::Waits {
        head: config.limits.request_timeout,
        drain: config.server.drain,
        min_rate: config.limits.min_rate.0,
    };
    // The socket first: a second service on the same installation ends here, before it touches anything.
    let listener = serve::listen(address).await?;
    let app = App::open(config, Chance::system()).await?;
    jobs::warn(&app.service()).await;
    if let Ok(address) = listener.local_addr() {
        print(&format!("listening on http://{address}\n"));
    }
    let jobs = tokio::spawn(jobs::run(app.service()));
    let served = serve::serve(listener, router(&app), waits, serve::signal()).await;
    jobs.abort();
    app.close().await;
    served.map_err(|error| install::internal(&error))
}

async fn migrate(place: &Where) -> Result<(), Findings> {
    let config = Config::load(&settings(place))?;
    let store = crate::store::Store::migrate(config.database.url.reveal(), 2).await.map_err(database_refused)?;
    let built = log::sequence::build(&store, Chance::system().now()).await;
    store.close().await;
    match built.map_err(log_failed)? {
        0 => {}
        leaves => print(&format!("built the tree of the log over {leaves} leaves\n")),
    }
    print(&format!("the database has schema {}\n", crate::store::newest_schema()));
    Ok(())
}

async fn fsck(place: &Where) -> Result<(), Findings> {
    let app = App::open(Config::load(&settings(place))?, Chance::system()).await?;
    let report = inspect::run(&app.service()).await.map_err(told);
    app.close().await;
    let inspect::Report { versions, objects, bytes, documents, findings } = report?;
    print(&format!(
        "read {objects} objects of {versions} versions and the suites, {bytes} bytes; verified {documents} documents\n"
    ));
    findings.into_result(()).map(|((), _)| print("no faults\n"))
}

async fn gc(args: &args::Gc) -> Result<(), Findings> {
    let app = App::open(Config::load(&settings(&args.installation))?, Chance::system()).await?;
    let found = collect::run(&app.service(), args.dry_run).await.map_err(told);
    app.close().await;
    let found = found?;
    let verb = if args.dry_run { "would remove" } else { "removed" };
    for (place, size) in &found {
        print(&format!("{verb} {place} ({size} bytes)\n"));
    }
    let bytes: u64 = found.iter().map(|(_, size)| size).sum();
    print(&format!("{verb} {} objects, {bytes} bytes\n", found.len()));
    Ok(())
}

async fn watch(args: args::Witness) -> Result<(), Findings> {
    match args {
        args::Witness::Init { dir, name, logs } => {
            let vkey = witness::init(&dir, &name, &logs, &Chance::system())?;
            print(&format!(
                "{vkey}\n\nnext: put the verifier key of each log to watch on a line of {}/logs,\n\
                 then: retoque-registry witness serve --dir {}\n",
                dir.display(),
                dir.display()
            ));
        }
        args::Witness::Show { dir } => {
            let keep = witness::Keep::open(witness::Place::open(&dir)?)?;
            print(&format!("{}\n", keep.vkey()));
            for (origin, known) in keep.known() {
                let said =
                    known.map_or_else(|| "nothing yet".to_owned(), |h| format!("{} leaves, root {}", h.size, h.root));
                print(&format!("{origin}: {said}\n"));
            }
        }
        args::Witness::Serve { dir, listen } => {
            logging::start(&config::Log {
                format: config::LogFormat::Text,
                level: config::LogLevel::Info,
                witnesses: config::Witnesses::default(),
            });
            let listener = serve::listen(listen).await?;
            let keep = witness::Keep::open(witness::Place::open(&dir)?)?;
            if let Ok(address) = listener.local_addr() {
                print(&format!("listening on http://{address}\n"));
            }
            witness::run(keep, listener, Chance::system()).await?;
        }
    }
    Ok(())
}

fn check(place: &Where) -> Result<(), Findings> {
    Config::load(&settings(place))?;
    print("no mistakes\n");
    Ok(())
}

fn show(place: &Where, json: bool) -> Result<(), Findings> {
    let lines = Config::show(&settings(place))?;
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(&lines).map_err(|e| install::internal(&e))?));
        return Ok(());
    }
    let width = |of: fn(&config::Line) -> usize| lines.iter().map(of).max().unwrap_or(0);
    let (names, values) = (width(|l| l.name.len()), width(|l| l.value.chars().count()));
    for line in &lines {
        print(&format!("{:names$}  {:values$}  {}\n", line.name, line.value, line.source));
    }
    Ok(())
}

fn settings(place: &Where) -> Sources {
    let file = config::file_of(place.config.clone(), place.dir.as_deref().map(Path::new));
    let mut sources = Sources::of_process(file);
    sources.flags.extend(place.set.iter().cloned());
    sources
}

/// A closed pipe is no reason to fail: whoever read has seen enough.
fn print(text: &str) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn refuse(findings: &Findings) -> ExitCode {
    for finding in findings.list() {
        let word = if finding.severity == Severity::Error { "error" } else { "warning" };
        eprintln!("{word}: {finding}\n  next: {}", finding.next);
    }
    let hidden = findings.errors().saturating_sub(findings.list().len() as u64);
    if hidden > 0 {
        eprintln!("and {hidden} more");
    }
    ExitCode::from(findings.first_error().map_or(Kind::Internal, |f| f.code.kind()).exit_status())
}
