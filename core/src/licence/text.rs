//! `LICENSE.txt`, written once at publication and frozen by its digest in the licence record.
//!
//! Public licences are named and linked, not copied: the text is fixed by the SPDX identifier.

use std::fmt::Write as _;

use super::record::LicenceState;
use crate::decision::{Declarations, PROPRIETARY};
use crate::digest::Digest;
use crate::manifest::Manifest;

/// What `LICENSE.txt` is written from.
pub struct Terms<'a> {
    /// The manifest of the version.
    pub manifest: &'a Manifest,
    /// Digest of its stored bytes.
    pub manifest_digest: Digest,
    /// What the submitter declared; absent when nothing was submitted, which grants nothing.
    pub declarations: Option<&'a Declarations>,
}

/// The text of `LICENSE.txt`: the same facts give the same bytes.
pub fn license_text(terms: &Terms<'_>) -> String {
    let m = terms.manifest;
    let mut text = format!("Adapter {} version {}\nManifest {}\n\n", m.patch, m.version, terms.manifest_digest);
    let state = terms.declarations.map_or(LicenceState::None, |d| LicenceState::granted_by(&d.offer));
    let name = terms.declarations.map_or(PROPRIETARY, |d| d.offer.terms());
    match state {
        LicenceState::GrantedFree if name != PROPRIETARY => {
            let _ = write!(
                text,
                "This adapter is licensed free of charge under {name}.\n\
                 SPDX-License-Identifier: {name}\n\
                 The text of the licence: https://spdx.org/licenses/{name}.html\n"
            );
        }
        LicenceState::GrantedFree => text.push_str(
            "This adapter may be used free of charge by whoever obtained it from the registry while its licence\n\
             was in force. No right to redistribute, sublicense or sell it is granted. All other rights reserved.\n\
             SPDX-License-Identifier: LicenseRef-proprietary\n",
        ),
        LicenceState::GrantedPaid => text.push_str(
            "This adapter may be used by the organisation that holds an entitlement for this version in the\n\
             registry. No right to redistribute, sublicense or resell it is granted. All other rights reserved.\n\
             SPDX-License-Identifier: LicenseRef-proprietary\n",
        ),
        LicenceState::None | LicenceState::Ended => text.push_str(
            "No licence is granted for this adapter. It must not be redistributed.\n\
             SPDX-License-Identifier: LicenseRef-none\n",
        ),
    }
    let _ = write!(
        text,
        "\nThe base model is licensed separately, under its own terms, which bind whoever uses this adapter with it:\n\
         {} at {}: {}\n",
        m.base.repo, m.base.commit, m.base.licence
    );
    if let Some(declarations) = terms.declarations {
        let attribution = declarations.third_party_attribution.trim().replace("\r\n", "\n");
        let _ = write!(text, "\nThird-party attribution: {attribution}\n");
    }
    let _ = write!(
        text,
        "\nThe licence as of now is kept by the registry and signed by it; this file states the terms\nas they were granted at publication.\n"
    );
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::decision::Offer;
    use crate::release::sample;

    #[test]
    fn the_text_says_what_is_granted() {
        let manifest = sample::manifest();
        let text = |offer: Option<Offer>| {
            let declarations = offer.map(|offer| Declarations {
                dataset_rights: true,
                base_licence_compliance: true,
                publish_validation_cases: false,
                third_party_attribution: "None".into(),
                offer,
            });
            license_text(&Terms {
                manifest: &manifest,
                manifest_digest: Digest::of(b"m"),
                declarations: declarations.as_ref(),
            })
        };
        let none = text(None);
        assert!(none.contains("No licence is granted") && none.contains("must not be redistributed"));
        let free = text(Some(Offer::Free { licence: "Apache-2.0".into() }));
        assert!(free.contains("SPDX-License-Identifier: Apache-2.0\n") && free.contains("attribution: None\n"));
        let own = text(Some(Offer::Free { licence: "proprietary".into() }));
        assert!(own.contains("free of charge") && own.contains("No right to redistribute"));
        let paid = text(Some(Offer::Paid { price_usd: "49".into(), payout_wallet: String::new() }));
        assert!(paid.contains("entitlement"));
        for text in [none, free, own, paid] {
            assert!(text.contains(manifest.base.commit.as_str()) && text.ends_with('\n'));
            assert!(text.is_ascii(), "readable everywhere");
        }
    }
}
