//! Licence identifiers that a manifest may hold.

/// A dataset that belongs to whoever declares it and carries no public licence.
pub const PROPRIETARY: &str = "proprietary-owned";

/// Names that the Hugging Face Hub uses in model cards and SPDX does not have.
const HUB: &[&str] = &[
    "apple-amlr",
    "apple-ascl",
    "bigcode-openrail-m",
    "bigscience-bloom-rail-1.0",
    "bigscience-openrail-m",
    "cc",
    "creativeml-openrail-m",
    "deepfloyd-if-license",
    "fair-noncommercial-research-license",
    "gemma",
    "h-research",
    "intel-research",
    "llama2",
    "llama3",
    "llama3.1",
    "llama3.2",
    "llama3.3",
    "llama4",
    "open-mdw",
    "openrail",
    "openrail++",
    "other",
];

/// Whether `id` is one SPDX licence identifier, in its exact spelling.
pub fn is_spdx(id: &str) -> bool {
    // The library also takes `MIT+`; an identifier here is the listed name and nothing more.
    spdx::license_id(id).is_some_and(|found| found.name == id)
}

/// Whether a dataset may declare `id`.
pub fn is_for_dataset(id: &str) -> bool {
    id == PROPRIETARY || is_spdx(id)
}

/// Whether `id` may be the licence of a base: SPDX, the Hub's lower-case spelling of it, or a name of the Hub's own.
pub fn is_for_base(id: &str) -> bool {
    let hub_spelling = || {
        let lower = !id.bytes().any(|b| b.is_ascii_uppercase());
        lower && spdx::identifiers::LICENSES.iter().any(|l| l.name.eq_ignore_ascii_case(id))
    };
    is_spdx(id) || HUB.contains(&id) || hub_spelling()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_for_datasets_and_the_hubs_for_bases() {
        for (id, dataset, base) in [
            ("Apache-2.0", true, true),
            ("CC-BY-4.0", true, true),
            ("proprietary-owned", true, false),
            ("apache-2.0", false, true),
            ("llama3.1", false, true),
            ("MIT+", false, false),
            ("MIT OR Apache-2.0", false, false),
            ("free", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_for_dataset(id), is_for_base(id)), (dataset, base), "{id}");
        }
    }
}
