//! Runs of digit groups, as phone and card numbers are written.

/// One group of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) digits: String,
    /// What stands between this group and the one before it.
    pub(super) gap: String,
}

/// Groups of digits with at most two of ` -./()` between them, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) groups: Vec<Group>,
    /// Whether `+` stands before it.
    pub(super) plus: bool,
    /// Byte position of the first character, the plus or an opening bracket included.
    pub(super) start: usize,
    /// What stands before and after the run.
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
    /// What stands after `after`.
    pub(super) after_next: Option<char>,
}

impl Run {
    /// All digits.
    pub(super) fn digits(&self) -> String {
        self.groups.iter().map(|group| group.digits.as_str()).collect()
    }

    /// The parts of the run between spaces, each as a run.
    pub(super) fn words(&self) -> Vec<Self> {
        let mut starts: Vec<usize> =
            (0..self.groups.len()).filter(|at| *at == 0 || self.groups[*at].gap.contains(' ')).collect();
        starts.push(self.groups.len());
        let word = |bounds: &[usize]| {
            let (first, last) = (bounds[0] == 0, bounds[1] == self.groups.len());
            let space = (Some(' '), None);
            let (after, after_next) = if last { (self.after, self.after_next) } else { space };
            Self {
                groups: self.groups[bounds[0]..bounds[1]].to_vec(),
                plus: first && self.plus,
                start: self.start,
                before: if first { self.before } else { space.0 },
                after,
                after_next,
            }
        };
        starts.windows(2).map(word).collect()
    }
}

/// All runs of a text.
pub(super) fn runs(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let first = at + found;
        let mut start = first;
        if start > 0 && bytes[start - 1] == b'(' {
            start -= 1;
        }
        let plus = start > 0 && bytes[start - 1] == b'+';
        if plus {
            start -= 1;
        }
        let (groups, end) = groups(bytes, first);
        let mut after = text[end..].chars();
        let (after, after_next) = (after.next(), after.next());
        runs.push(Run { groups, plus, start, before: text[..start].chars().next_back(), after, after_next });
        at = end;
    }
    runs
}

fn groups(bytes: &[u8], first: usize) -> (Vec<Group>, usize) {
    let mut groups = Vec::new();
    let (mut at, mut gap) = (first, String::new());
    loop {
        let digits: String = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).map(|b| char::from(*b)).collect();
        at += digits.len();
        groups.push(Group { digits, gap });
        let between = bytes[at..].iter().take(3).take_while(|b| b" -./()".contains(b)).count();
        let next = bytes.get(at + between).is_some_and(u8::is_ascii_digit);
        if !next || between == 0 || between > 2 {
            return (groups, at);
        }
        gap = bytes[at..at + between].iter().map(|b| char::from(*b)).collect();
        at += between;
    }
}
