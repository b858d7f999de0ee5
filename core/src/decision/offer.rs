//! What the submitter declares and offers.

use serde::{Deserialize, Serialize};

use crate::problem::{Finding, Findings, NEEDS_OFFER, Place};

/// The declarations of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declarations {
    /// The submitter has the rights in the dataset.
    pub dataset_rights: bool,
    /// The adapter complies with the licence of the base.
    pub base_licence_compliance: bool,
    /// The validation cases may be shown publicly. A free choice: `false` leaves them out.
    pub publish_validation_cases: bool,
    /// `None`, or whose work is used and under which terms.
    pub third_party_attribution: String,
    /// On which terms the version is offered.
    pub offer: Offer,
}

/// The terms on which a version is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Offer {
    /// Free of charge.
    Free {
        /// One SPDX licence identifier, or `proprietary`.
        licence: String,
    },
    /// For money.
    Paid {
        /// Price in US dollars, such as `49` or `49.50`.
        price_usd: String,
        /// Where the money goes: `0x` and 40 hex digits.
        payout_wallet: String,
    },
}

/// The terms of a free offer that names no public licence.
pub const PROPRIETARY: &str = "proprietary";

impl Offer {
    /// The terms by name: an SPDX identifier, or `proprietary`.
    pub fn terms(&self) -> &str {
        match self {
            Self::Free { licence } => licence,
            Self::Paid { .. } => PROPRIETARY,
        }
    }

    /// The price, when it has one.
    pub fn price_usd(&self) -> Option<&str> {
        match self {
            Self::Free { .. } => None,
            Self::Paid { price_usd, .. } => Some(price_usd),
        }
    }

    /// Everything that is wrong with the offer in itself.
    pub fn check(&self) -> Findings {
        let mut findings = Findings::new();
        let mut refuse = |field: &str, found: &str, expected: &str| {
            findings.push(Finding::new(
                NEEDS_OFFER,
                Place::field(format!("declarations.offer.{field}")),
                crate::sign::excerpt(found),
                expected,
                "correct the offer and sign the submission again",
            ));
        };
        match self {
            Self::Free { licence } => {
                if licence != PROPRIETARY && !is_current_spdx(licence) {
                    refuse("licence", licence, "one current SPDX identifier such as `Apache-2.0`, or `proprietary`");
                }
            }
            Self::Paid { price_usd, payout_wallet } => {
                if !is_price(price_usd) {
                    refuse("price_usd", price_usd, "a price above zero such as `49` or `49.50`, at most 999999.99");
                }
                if !is_wallet(payout_wallet) {
                    refuse("payout_wallet", payout_wallet, "`0x` and 40 hex digits");
                }
            }
        }
        findings
    }
}

/// `spdx` takes `GPL-2.0+` for `GPL-2.0`; only exact, current names pass here.
fn is_current_spdx(text: &str) -> bool {
    spdx::license_id(text).is_some_and(|id| id.name == text && !id.is_deprecated())
}

fn is_price(text: &str) -> bool {
    let (whole, cents) = text.split_once('.').unwrap_or((text, "00"));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    (1..=6).contains(&whole.len())
        && digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && cents.len() == 2
        && digits(cents)
        && text.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

fn is_wallet(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn offers_are_exact() {
        let free = |licence: &str| !Offer::Free { licence: licence.into() }.check().refused();
        assert!(["MIT", "Apache-2.0", "CC-BY-4.0", "proprietary"].into_iter().all(free));
        for bad in ["mit", "GPL-2.0", "GPL-2.0+", "MIT OR Apache-2.0", "", "none", " MIT"] {
            assert!(!free(bad), "{bad}");
        }
        let wallet = format!("0x{}", "aB".repeat(20));
        let paid = |price: &str, wallet: &str| {
            Offer::Paid { price_usd: price.into(), payout_wallet: wallet.into() }.check().errors()
        };
        assert!(["1", "49", "49.50", "0.01", "999999.99"].into_iter().all(|p| paid(p, &wallet) == 0));
        for bad in ["0", "0.00", "-1", "1.5", "01", "1e3", "", "1000000", "1,50", " 1"] {
            assert_eq!(paid(bad, &wallet), 1, "{bad}");
        }
        assert_eq!(paid("0", "0x12"), 2, "both are reported");
    }

    #[test]
    fn an_offer_is_read_strictly() {
        let good = r#"{"kind":"free","licence":"MIT"}"#;
        assert_eq!(serde_json::from_str::<Offer>(good).unwrap(), Offer::Free { licence: "MIT".into() });
        for bad in [r#"{"kind":"free"}"#, r#"{"kind":"free","licence":"MIT","price_usd":"1"}"#, r#"{"kind":"gift"}"#] {
            assert!(serde_json::from_str::<Offer>(bad).is_err(), "{bad}");
        }
    }
}
