//! The cases of an evaluation: suites, arms, and what each arm did in each case.

use std::collections::HashMap;

use crate::dataset::{Dataset, PartName, Row, Split};
use crate::digest::Digest;
use crate::manifest::SuiteCount;

/// Where a case comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suite {
    /// The held-out part of the dataset.
    HeldOut,
    /// The validation part of the dataset.
    Validation,
    /// The shared regression suite.
    Regression,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 3] = [Self::HeldOut, Self::Validation, Self::Regression];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HeldOut => "held_out",
            Self::Validation => "validation",
            Self::Regression => "regression",
        }
    }

    /// The suite of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// How the model answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// The base alone.
    Base,
    /// The base with three worked examples in the prompt.
    Control,
    /// The base with the adapter.
    Patched,
    /// The adapter switched off again.
    Disabled,
}

impl Arm {
    /// All arms.
    pub const ALL: [Self; 4] = [Self::Base, Self::Control, Self::Patched, Self::Disabled];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Control => "control",
            Self::Patched => "patched",
            Self::Disabled => "disabled",
        }
    }

    /// The arm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arm| arm.name() == name)
    }
}

/// What one arm answered in one case.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) passed: bool,
    pub(crate) digest: Digest,
    /// The text, for validation cases only.
    pub(crate) text: Option<String>,
}

/// One case and the answers to it.
#[derive(Debug, Clone)]
pub(crate) struct Case<'a> {
    pub(crate) suite: Suite,
    pub(crate) row: &'a Row,
    pub(crate) answers: [Option<Answer>; 4],
}

impl Case<'_> {
    pub(crate) fn passed(&self, arm: Arm) -> bool {
        self.answer(arm).is_some_and(|answer| answer.passed)
    }

    pub(crate) const fn answer(&self, arm: Arm) -> Option<&Answer> {
        self.answers[arm as usize].as_ref()
    }

    /// Whether two arms gave the same text.
    pub(crate) fn same(&self, a: Arm, b: Arm) -> bool {
        self.answer(a).map(|answer| answer.digest) == self.answer(b).map(|answer| answer.digest)
    }
}

/// All cases, in order of suite and line.
#[derive(Debug)]
pub(crate) struct Cases<'a> {
    pub(crate) list: Vec<Case<'a>>,
    index: HashMap<(Suite, u64), usize>,
}

impl<'a> Cases<'a> {
    /// The cases that a dataset, its split and a regression suite make.
    pub(crate) fn new(dataset: &'a Dataset, split: &Split, regression: &'a Dataset) -> Self {
        let part = |name| dataset.rows.iter().filter(move |row| split.part_of(&row.family) == Some(name));
        let case = |suite| move |row| Case { suite, row, answers: [const { None }; 4] };
        let list: Vec<Case<'a>> = part(PartName::HeldOut)
            .map(case(Suite::HeldOut))
            .chain(part(PartName::Validation).map(case(Suite::Validation)))
            .chain(regression.rows.iter().map(case(Suite::Regression)))
            .collect();
        let index = list.iter().enumerate().map(|(at, case)| ((case.suite, case.row.line), at)).collect();
        Self { list, index }
    }

    pub(crate) fn find(&mut self, suite: Suite, line: u64) -> Option<&mut Case<'a>> {
        self.index.get(&(suite, line)).and_then(|at| self.list.get_mut(*at))
    }

    pub(crate) fn of(&self, suite: Suite) -> impl Iterator<Item = &Case<'a>> {
        self.list.iter().filter(move |case| case.suite == suite)
    }

    pub(crate) fn count(&self, suite: Suite) -> SuiteCount {
        let passed = |arm| self.of(suite).filter(|case| case.passed(arm)).count() as u64;
        SuiteCount {
            cases: self.of(suite).count() as u64,
            base: passed(Arm::Base),
            control: passed(Arm::Control),
            patched: passed(Arm::Patched),
            disabled: passed(Arm::Disabled),
        }
    }

    /// Lines of the regression suite that one arm passes and another fails.
    pub(crate) fn regression_lines(&self, passes: Arm, fails: Arm) -> Vec<u64> {
        self.of(Suite::Regression)
            .filter(|case| case.passed(passes) && !case.passed(fails))
            .map(|case| case.row.line)
            .collect()
    }
}
