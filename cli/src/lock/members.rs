//! One entry of `patches.lock`, member by member; each fault with its line.

use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::Reading;
use super::{Locked, Position};

/// The entries of the lock, in their order.
pub(super) fn locked<'a>(reading: &mut Reading<'a>, entries: &[Spanned<DeValue<'a>>]) -> Vec<Locked> {
    let mut list: Vec<Locked> = Vec::new();
    for value in entries {
        let DeValue::Table(table) = value.get_ref() else {
            reading.fault(&value.span(), value.get_ref().type_str(), "a table: [[patch]]");
            continue;
        };
        let Some(entry) = one(reading, value, table) else { continue };
        if list.last().is_some_and(|last| last.patch >= entry.patch) {
            reading.fault(
                &value.span(),
                &format!("{} here", entry.patch),
                "each patch once, in the order of their names",
            );
        }
        list.push(entry);
    }
    list
}

fn one<'a>(reading: &mut Reading<'a>, whole: &Spanned<DeValue<'a>>, table: &DeTable<'a>) -> Option<Locked> {
    let mut members = Members { reading, whole, table };
    members.known(&["name", "version", "manifest", "base", "evidence", "licence", "state", "commitment", "log"]);
    let patch = members.parsed("name", "a patch");
    let version = members.parsed("version", "a version");
    let manifest = members.parsed("manifest", "a manifest digest");
    let base = members.parsed("base", "a base: owner/name@commit");
    let evidence = members.named("evidence", "an evidence state", |name| name.parse().ok());
    let licence = members.named("licence", "a licence state", LicenceState::from_name);
    let state = members.named("state", "published or deprecated", lockable);
    let commitment = if table.contains_key("commitment") {
        Some(members.parsed("commitment", "a commitment: sha256:…")?)
    } else {
        None
    };
    let log = members.position();
    Some(Locked {
        patch: patch?,
        version: version?,
        manifest: manifest?,
        base: base?,
        evidence: evidence?,
        licence: licence?,
        state: state?,
        commitment,
        log: log?,
    })
}

fn lockable(name: &str) -> Option<State> {
    [State::Published, State::Deprecated].into_iter().find(|state| state.name() == name)
}

/// The members of one table.
struct Members<'r, 'a, 'v> {
    reading: &'r mut Reading<'a>,
    whole: &'v Spanned<DeValue<'a>>,
    table: &'v DeTable<'a>,
}

impl<'a> Members<'_, 'a, '_> {
    fn known(&mut self, names: &[&str]) {
        for key in self.table.keys().filter(|key| !names.contains(&key.get_ref().as_ref())) {
            self.reading.unknown(key, &names.join(", "));
        }
    }

    fn value(&mut self, name: &str) -> Option<&Spanned<DeValue<'a>>> {
        let value = self.table.get(name);
        if value.is_none() {
            self.reading.fault(&self.whole.span(), &format!("an entry without `{name}`"), "all its members");
        }
        value
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str, what: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        let value = self.value(name)?.clone();
        self.reading.parsed(&value, what)
    }

    fn named<T>(&mut self, name: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.value(name)?.clone();
        let text = self.reading.string(&value, what)?;
        let found = read(text);
        if found.is_none() {
            self.reading.fault(&value.span(), &format!("{text:?}"), what);
        }
        found
    }

    fn position(&mut self) -> Option<Position> {
        let value = self.value("log")?.clone();
        let DeValue::Table(table) = value.get_ref() else {
            self.reading.fault(&value.span(), value.get_ref().type_str(), "origin, size and root");
            return None;
        };
        let mut members = Members { reading: &mut *self.reading, whole: &value, table };
        members.known(&["origin", "size", "root"]);
        let origin = members.parsed::<String>("origin", "the origin of a log");
        let size = members.value("size")?.clone();
        let number = size.get_ref().as_integer().filter(|n| n.radix() == 10).and_then(|n| n.as_str().parse().ok());
        if number.is_none() {
            members.reading.fault(&size.span(), size.get_ref().type_str(), "a size: a whole number");
        }
        let root = members.parsed("root", "a root hash");
        Some(Position { origin: origin?, size: number?, root: root? })
    }
}
