//! Log lines on standard error, for people or for machines. What is logged holds no token, no body and no key.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use crate::config::{Log, LogFormat, LogLevel};

/// Starts logging. A second start changes nothing.
pub fn start(log: &Log) {
    let level = match log.level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    // Libraries may log what they send; only this program's own lines are known to hold no secret.
    let own = Targets::new().with_target("retoque_registry", level).with_default(LevelFilter::WARN.min(level));
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_ansi(false).boxed(),
    };
    let _ = tracing_subscriber::registry().with(lines.with_filter(own)).try_init();
}
