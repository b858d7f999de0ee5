//! IBANs: a known country, its length and structure, and check digits that are right.

use super::{Hit, Rule, before};

/// Country and structure after the check digits: counts of `n` digits, `a` letters, `c` either.
const COUNTRIES: &str = "AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c \
    CH5n12c CR18n CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n \
    GE2a16n GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c \
    KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n \
    MT4a5n18c MU4a19n3a NI4a20n NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c \
    SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n \
    VG4a16n XK16n YE4a4n18c";

pub(super) fn scan(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 15 <= bytes.len() {
        let head = bytes[at..at + 2].iter().all(u8::is_ascii_alphabetic)
            && bytes.get(at + 2..at + 6).is_some_and(|b| b.iter().any(u8::is_ascii_digit));
        let alone = head && text.is_char_boundary(at) && before(text, at).is_none_or(|c| !c.is_alphanumeric());
        if let Some(number) = alone.then(|| iban_at(bytes, at)).flatten() {
            hits.push(Hit::new(Rule::Iban, &number));
        }
        at += 1;
    }
}

/// The IBAN that begins at a position, without separators and in capitals.
fn iban_at(bytes: &[u8], start: usize) -> Option<String> {
    let country = std::str::from_utf8(&bytes[start..start + 2]).ok()?.to_ascii_uppercase();
    let structure = COUNTRIES.split_whitespace().find_map(|entry| entry.strip_prefix(country.as_str()))?;
    let kinds = kinds(structure);
    let wanted = 4 + kinds.len();
    let mut number = String::with_capacity(wanted);
    let (mut at, mut separator) = (start, None);
    while number.len() < wanted {
        let byte = *bytes.get(at)?;
        if byte.is_ascii_alphanumeric() {
            number.push(char::from(byte.to_ascii_uppercase()));
        } else if matches!(byte, b' ' | b'-') && !number.is_empty() {
            // One kind of separator, never two of it together.
            let doubled = bytes.get(at - 1).is_some_and(|b| !b.is_ascii_alphanumeric());
            if doubled || *separator.get_or_insert(byte) != byte {
                return None;
            }
        } else {
            return None;
        }
        at += 1;
    }
    let ends = bytes.get(at).is_none_or(|b| !b.is_ascii_alphanumeric() && *b < 0x80);
    let check = number.get(2..4).filter(|c| c.bytes().all(|b| b.is_ascii_digit()))?.parse::<u32>().ok()?;
    let fits = number.bytes().skip(4).zip(&kinds).all(|(b, kind)| match kind {
        b'n' => b.is_ascii_digit(),
        b'a' => b.is_ascii_uppercase(),
        _ => b.is_ascii_alphanumeric(),
    });
    (ends && fits && (2..=98).contains(&check) && remainder(&number) == 1).then_some(number)
}

/// One byte per place: `4a2n` becomes `aaaann`.
fn kinds(structure: &str) -> Vec<u8> {
    let (mut kinds, mut count) = (Vec::new(), 0);
    for byte in structure.bytes() {
        if byte.is_ascii_digit() {
            count = count * 10 + usize::from(byte - b'0');
        } else {
            kinds.resize(kinds.len() + count, byte);
            count = 0;
        }
    }
    kinds
}

fn remainder(number: &str) -> u32 {
    number.bytes().skip(4).chain(number.bytes().take(4)).fold(0, |rest, b| {
        if b.is_ascii_digit() {
            (rest * 10 + u32::from(b - b'0')) % 97
        } else {
            (rest * 100 + u32::from(b - b'A') + 10) % 97
        }
    })
}
