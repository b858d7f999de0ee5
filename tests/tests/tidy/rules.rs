//! The rules as tables. Each row carries a line that breaks it, which a test feeds back to the matcher.

/// A path or a word that some part of the code must not name.
pub struct Rule {
    /// What the reader is told.
    pub why: &'static str,
    /// Paths that start with one of these are subject to the rule.
    pub within: &'static [&'static str],
    /// Except where the path contains one of these.
    pub except: &'static [&'static str],
    /// Patterns: segments in a row, the last may end in `*`.
    pub forbids: &'static [&'static str],
    /// Whether code that only tests compile may do it.
    pub tests_may: bool,
    /// A file and a line of code that the rule must catch.
    pub catches: (&'static str, &'static str),
}

const CODE: &[&str] = &["core/src/", "registry/src/", "cli/src/"];

/// Edges of docs/ARCHITECTURE.md, and what only one place may touch.
pub const RULES: &[Rule] = &[
    Rule {
        why: "core names no service, database, client or runtime",
        within: &["core/"],
        except: &[],
        forbids: &[
            "tokio",
            "axum",
            "sqlx",
            "reqwest",
            "object_store",
            "hyper",
            "tower",
            "rustls",
            "async",
            "await",
            "retoque_registry",
            "retoque_cli",
        ],
        tests_may: false,
        catches: ("core/src/archive/read.rs", "use tokio::io::AsyncRead;"),
    },
    Rule {
        why: "core does no I/O: readers and writers come in as traits",
        within: &["core/src/"],
        except: &[],
        forbids: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "io::stdin",
            "io::stdout",
            "io::stderr",
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
            "tempfile",
        ],
        tests_may: true,
        catches: ("core/src/base/record.rs", "use std::{collections::BTreeMap, fs};"),
    },
    Rule {
        why: "core reads no clock and draws no random numbers: both come in as parameters",
        within: &["core/src/"],
        except: &[],
        forbids: &[
            "SystemTime",
            "Instant",
            "Timestamp::now",
            "Zoned::now",
            "getrandom",
            "rand",
            "OsRng",
            "Uuid::now_v7",
            "Uuid::new_v4",
        ],
        tests_may: true,
        catches: ("core/src/sign/key.rs", "let now = jiff::Timestamp::now();"),
    },
    Rule {
        why: "http calls services and never names the store, a database or object storage",
        within: &["registry/src/http/", "registry/src/http.rs"],
        except: &[],
        forbids: &["crate::store", "super::store", "sqlx", "object_store"],
        tests_may: false,
        catches: ("registry/src/http/routes/versions.rs", "use crate::{service::push, store::Db};"),
    },
    Rule {
        why: "store is rows in, rows out: it never names service or http",
        within: &["registry/src/store/", "registry/src/store.rs"],
        except: &[],
        forbids: &["crate::service", "crate::http", "super::service", "super::http", "axum", "tower"],
        tests_may: false,
        catches: ("registry/src/store/versions.rs", "use crate::service::policy;"),
    },
    Rule {
        why: "blobs and log never name service or http",
        within: &["registry/src/blobs", "registry/src/log"],
        except: &[],
        forbids: &["crate::service", "crate::http", "super::service", "super::http", "axum"],
        tests_may: false,
        catches: ("registry/src/blobs/mod.rs", "use crate::http::problem;"),
    },
    Rule {
        why: "service never names axum, sqlx or http",
        within: &["registry/src/service/", "registry/src/service.rs"],
        except: &[],
        forbids: &["axum", "sqlx", "crate::http", "super::http"],
        tests_may: false,
        catches: ("registry/src/service/push.rs", "use sqlx::Row;"),
    },
    Rule {
        why: "only store/db.rs names a database engine",
        within: &["registry/src/"],
        // The embedded migrations are one list per engine; the configuration names the choice.
        except: &["registry/src/store/db.rs", "registry/src/store/migrat", "registry/src/config"],
        forbids: &["Sqlite*", "Postgres*", "PgPool*", "PgConn*", "PgRow", "sqlx::sqlite", "sqlx::postgres"],
        tests_may: true,
        catches: ("registry/src/store/accounts.rs", "fn read(pool: &sqlx::SqlitePool) {}"),
    },
    Rule {
        why: "the registry and the command line meet only in core and over HTTP",
        within: &["cli/"],
        except: &[],
        forbids: &["retoque_registry", "axum", "sqlx", "object_store"],
        tests_may: false,
        catches: ("cli/src/client/mod.rs", "use retoque_registry::http;"),
    },
    Rule {
        why: "the registry never needs the command line",
        within: &["registry/"],
        except: &[],
        forbids: &["retoque_cli"],
        tests_may: false,
        catches: ("registry/src/service/push.rs", "use retoque_cli::pack;"),
    },
    Rule {
        why: "environment variables are read in config modules only",
        within: CODE,
        except: &["/config/", "/config.rs"],
        forbids: &["env::var", "env::var_os", "env::vars", "env::vars_os", "env::home_dir"],
        tests_may: true,
        catches: ("cli/src/output.rs", "let plain = std::env::var_os(name).is_some();"),
    },
    Rule {
        why: "time and randomness come from clock modules only",
        within: CODE,
        except: &["/clock/", "/clock.rs"],
        forbids: &[
            "SystemTime::now",
            "Instant::now",
            "Timestamp::now",
            "Zoned::now",
            "getrandom",
            "OsRng",
            "Uuid::now_v7",
            "Uuid::new_v4",
        ],
        tests_may: true,
        catches: ("registry/src/service/token.rs", "getrandom::fill(&mut bytes)?;"),
    },
    Rule {
        why: "no placeholder is left in code",
        within: &["core/", "registry/", "cli/", "tests/"],
        except: &[],
        forbids: &["dbg!", "todo!", "unimplemented!"],
        tests_may: false,
        catches: ("cli/src/args.rs", "unimplemented!()"),
    },
];

/// A wording that no file of the project holds, in code, comment or prose.
pub struct Wording {
    /// What the reader is told.
    pub why: &'static str,
    /// Whole words or phrases, compared without regard to case unless they hold a capital.
    pub forbids: &'static [&'static str],
    /// Longer words of the field in which one of them is legitimate.
    pub legitimate: &'static [&'static str],
}

/// The project speaks of itself alone.
pub const WORDINGS: &[Wording] = &[
    Wording {
        why: "name the thing it is: this word says nothing about the product",
        forbids: &[
            "session",
            "sessions",
            "helper",
            "helpers",
            "agent",
            "agents",
            "subagent",
            "chatbot",
            "AI",
            "Claude",
            "Anthropic",
        ],
        legitimate: &["user-agent", "user_agent", "ssh-agent", "credential helper"],
    },
    Wording {
        why: "documents speak of the specification, not of how the work was ordered",
        forbids: &[
            "the brief",
            "issue 1",
            "issue 2",
            "issue 3",
            "issue 4",
            "issue 5",
            "issue 6",
            "issue 7",
            "issue 8",
            "issue 9",
        ],
        legitimate: &[],
    },
    Wording { why: "a path of one machine: take the path as a parameter", forbids: &["/work/"], legitimate: &[] },
    Wording {
        why: "finish it or leave it out",
        forbids: &["TODO", "FIXME", "XXX", "HACK", "#[ignore", "```ignore", "```no_run"],
        legitimate: &[],
    },
];

/// Module and file names that say nothing.
pub const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "manager", "misc", "stuff"];

/// Longest source file, in lines.
pub const CEILING: usize = 400;

/// Kinds of file that the ceiling holds for.
pub const SOURCES: &[&str] = &[".rs", ".py", ".sh", ".sql", ".js", ".go", ".run"];

/// Tables, which grow by rows and are read by search.
pub const LONG_TABLES: &[&str] = &[];
