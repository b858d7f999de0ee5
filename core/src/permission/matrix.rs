//! The permission matrix as text, for readers and for the test that compares it with what is committed.

use std::fmt::Write as _;

use super::{Act, OrgRole, PlatformRole, Target, Verdict, Visibility, Who, decide};

/// Every act, visibility and kind of account: `+` allowed, `-` denied, `.` hidden (answered as not found).
pub fn matrix() -> String {
    let mut columns: Vec<(&str, Who)> = vec![("anonymous", Who::anonymous()), ("account", Who::account([], None))];
    columns.extend(PlatformRole::ALL.map(|role| (role.name(), Who::account([role], None))));
    columns.extend(OrgRole::ALL.map(|role| (role.name(), Who::account([], Some(role)))));
    let mut text = String::from(
        "Who may do what. Generated from the code; a test compares.\n\
         + allowed   - denied   . hidden: answered as if it did not exist\n\
         build, review, operate are platform roles; member, publisher, admin are roles in the owning org.\n\n",
    );
    let mut row = |act: &str, visibility: &str, cells: &[&str]| {
        let _ = write!(text, "{act:<18}{visibility:<12}");
        for cell in cells {
            let _ = write!(text, "{cell:>10}");
        }
        text.push('\n');
    };
    row("act", "on", &columns.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for act in Act::all() {
        let visibilities: &[Visibility] =
            if act.target() == Target::Patch { &Visibility::ALL } else { &[Visibility::Private] };
        for &visibility in visibilities {
            let cells = columns.iter().map(|(_, who)| match decide(who, act, visibility) {
                Verdict::Allowed => "+",
                Verdict::Denied => "-",
                Verdict::Hidden => ".",
            });
            let on = match act.target() {
                Target::Patch => visibility.name(),
                Target::Org => "org",
                Target::Platform => "platform",
            };
            row(act.name(), on, &cells.collect::<Vec<_>>());
        }
    }
    text
}
