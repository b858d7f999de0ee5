//! Variants of what the rules name; the cases under `tests/cases` come on top.

use super::{Class, Rule, has_secret, scan, verdict};

const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj";

#[track_caller]
fn all(class: Option<Class>, texts: &[&str]) {
    for text in texts {
        assert_eq!(verdict(text), class, "{text}: {:?}", scan(text));
    }
}

#[test]
fn keys_block_in_every_spelling() {
    let pem = |newline: &str| format!("-----BEGIN PRIVATE KEY-----{newline}{BODY}{newline}-----END PRIVATE KEY-----");
    for newline in ["\n", "\r\n", "\\n", "\\\\n", "\\u000a", "\\r\\n", " ", ""] {
        assert!(has_secret(&pem(newline)), "{newline:?}");
    }
    let hex = "0123456789abcdef".repeat(4);
    let long = "Ab1-".repeat(24);
    all(
        Some(Class::Block),
        &[
            &format!("-----BEGIN RSA PRIVATE KEY-----\n{BODY}"),
            &format!("{{\\\"key\\\": \\\"-----BEGIN EC PRIVATE KEY-----\\\\n{BODY}\\\"}}"),
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"x\"\nP2/56wAAA",
            "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 8",
            &format!("-----BEGIN\\u0020PRIVATE\\u0020KEY-----\\n{BODY}"),
            "ABIAQWERTYUIOP234567",
            "ACCAQWERTYUIOP234567",
            "(AKIAQWERTYUIOP234567)",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
            "<SecretAccessKey>wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY</SecretAccessKey>",
            "{\\\"aws_secret_access_key\\\": \\\"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\\\"}",
            &format!("ABSK{}", "QmVkcm9ja0FQSUtleS".repeat(7)),
            &format!("sk-ant-oat01-{long}AA"),
            &format!("sk-or-v1-{hex}"),
            "sk-0123456789abcdef0123456789abcdef",
            "OPENAI_API_KEY=\"sk-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3\"",
            "gho_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "ghs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "github_pat_11AAAAAAA0aaaaaaaaaaaaaaaaaaaa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "token: hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
        ],
    );
    all(
        None,
        &[
            "AKIA",
            "akiaqwertyuiop234567",
            "9af15b336e6a9619928537df30b2e6a2376569fc",
            "-----BEGIN RSA PUBLIC KEY-----\nMIIB",
            "-----BEGIN CERTIFICATE REQUEST-----\nMIIB",
            "put BEGIN PRIVATE KEY into the header",
            "task-sk-fading-circle",
            "risk-0123456789abcdef0123456789abcdef",
            "sk-proj-xxxx",
            "the hf_hub_download function and hf_transfer",
            "secret access key rotation is done every 90 days",
        ],
    );
}

#[test]
fn web_tokens_block_by_their_header() {
    use base64::Engine as _;
    let b64 = |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
    let payload = b64("{\"sub\":\"1\"}");
    let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    for header in [
        "{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}",
        "{\"alg\":\"none\"}",
        "{\n\"alg\": \"RS256\"}",
        "{ \"alg\":\"ES256\"}",
    ] {
        assert!(has_secret(&format!("Bearer {}.{payload}.{signature}, then", b64(header))), "{header}");
    }
    let jwe = b64("{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}");
    assert!(has_secret(&format!("{jwe}.OKOawDo13gRp.48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdvT")));
    let direct = b64("{\"alg\":\"dir\",\"enc\":\"A256GCM\"}");
    assert!(has_secret(&format!("{direct}..48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdvT")));
    all(None, &["eyes.wide.open", "eyJ.eyJ.", &b64("{\"alg\":\"none\"}"), &format!("{}.{payload}.x", b64("not json"))]);
}

#[test]
fn addresses_ask() {
    all(
        Some(Class::Acknowledge),
        &[
            "\"john doe\"@example.org",
            "\"john..doe\"@example.org",
            "用户@例子.公司",
            "user@münchen.de",
            "Jürgen@example.de",
            "<a.b@sub.domain.museum>",
            "mailto:a%2Bb@example.com?subject=x",
            "write to a@b.io.",
            "a@b.io, c@d.io",
            "x\\nuser@example.org",
            "user＠example．org",
        ],
    );
    all(
        None,
        &[
            "@app.route('/x')",
            "lodash@4.17.21",
            "react@18.2.0-rc.next",
            "npm i @types/node@20.1.0",
            "git@github.com:o/r.git",
            "logo@3x.jpeg",
            "root@localhost",
            "x @ y.T",
            "@scope/pkg@1.2.3",
            "info@presidio.",
            "a@b",
            "@",
        ],
    );
}

#[test]
fn phones_ask_and_other_numbers_pass() {
    all(
        Some(Class::Acknowledge),
        &[
            "(415) 555-0132",
            "Call (415)555-0132 now",
            "415.555.0132",
            "1-415-555-0132",
            "+1 (415) 555-0132",
            "+49 (0) 30 123456",
            "+49 (0)30/123456",
            "0049 (0)30 123456",
            "０９０－１２３４－５６７８",
            "＋８１ ９０ １２３４ ５６７８",
            "020 7946 0958",
            "(020) 7946 0958",
            "07700 900123",
            "01 23 45 67 89",
            "phone: 4155550132",
            "tel:+12015550123",
            "+972-9-762-5400",
            "+86 138 1234 5678",
            "+358 40 1234567",
            "room 5, 415-555-0132",
            "Line 2 415-555-0132",
        ],
    );
    all(
        None,
        &[
            "1516239022",
            "1516239022123",
            "2026-08-22T16:59:44Z",
            "2026-08-22 16:59:44.123",
            "22.08.2026 16:59",
            "08/22/2026",
            "01-02-2026",
            "10.0.0.1",
            "255.255.255.255",
            "3.14159265358979",
            "-0.0123456789",
            "0.30 0.41 0.55 0.61",
            "ISBN 0-306-40615-2",
            "ISBN-10: 0 306 40615 2",
            "978-0-306-40615-7",
            "v0.0.0-20190819201941-24fa4b261c55",
            "golang.org/x/net v0.0.0-20210405180319-a5a99cb37ef4",
            "0x4155550132",
            "deadbeef-0123-4567-89ab-0123456789ab",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "9af15b336e6a9619928537df30b2e6a2376569fc",
            "555-0132",
            "RFC 3339-2002",
            "order 12345678",
            "2 + 12345678",
            "pages 100-200-3000",
            "1,234,567,890",
            "16:59:44+01:00",
            "UTC+0530",
            "192.168.100.200:8080",
            "build 20260822.165944",
            "0123456789",
            "12 345 678",
            "SKU 0123-4567-890-12",
        ],
    );
}

#[test]
fn ibans_ask_when_they_are_right() {
    all(
        Some(Class::Acknowledge),
        &[
            "GB82\u{a0}WEST\u{a0}1234\u{a0}5698\u{a0}7654\u{a0}32",
            "GB82\u{202f}WEST\u{202f}1234\u{202f}5698\u{202f}7654\u{202f}32",
            "IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFF",
            "FR14 2004 1010 0505 0001 3M02 606",
            "CH93 0076 2011 6238 5295 7",
            "NL91ABNA0417164300.",
            "SE4550000000058398257466",
            "gb82 west 1234 5698 7654 32",
        ],
    );
    all(
        None,
        &[
            "ZZ33WEST12345698765432",
            "GB82WEST123456987654321",
            "GB83WEST12345698765432",
            "GB82WEST1234569876543",
            "XXGB82WEST12345698765432",
            "DE00 3704 0044 0532 0130 00",
            "GB99WEST12345698765432",
        ],
    );
}

#[test]
fn cards_ask_when_an_issuer_uses_them() {
    all(
        Some(Class::Acknowledge),
        &[
            "4222222222222",
            "378282246310005",
            "3782-822463-10005",
            "6011111111111117",
            "3530111333300000",
            "38520000023237",
            "3852 000002 3237",
            "4000 0000 0000 0000 006",
            "6221260000000000",
            "pay with 4111 1111 1111 1111 12/30",
            "４１１１ １１１１ １１１１ １１１１",
            "4111\u{a0}1111\u{a0}1111\u{a0}1111",
            "order_4111111111111111",
        ],
    );
    all(
        None,
        &[
            "1548138160707",
            "1647725122227",
            "1748503543012",
            "0.4111111111111111",
            "width: 33.4111111111111111%",
            "4111111111111112",
            "14111111111111111",
            "41111111111111111111111",
            "a4111111111111111",
            "4111111111111111f",
            "47223179-9330-4259-b66c-f2db26efb20c",
            "0000 0000 0000 0000",
            "4111 11** **** 1111",
            "41111111 11111111",
        ],
    );
}

#[test]
fn a_hit_shows_little() {
    for text in ["AKIAQWERTYUIOP234567", "a@b.io", "4111111111111111"] {
        let masked = scan(text)[0].masked();
        assert!(masked.chars().count() <= 5 && text.starts_with(masked.trim_end_matches('…')));
    }
    assert_eq!(scan("sk_test_4eC39HqLyjWEXAMPLE0000000")[0].rule, Rule::StripeTest);
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    for piece in [
        "AKIA",
        "xoxb-",
        "ey ",
        "ey.",
        "sk-",
        "BEGIN ",
        "-----BEGIN ",
        "1 ",
        "a@b.io/",
        "secret key ",
        "GB82",
        "\\n@a.b",
    ] {
        // Work that grows with the square would take hours here.
        let text = piece.repeat(200_000 / piece.len());
        assert!(scan(&text).len() <= text.len() / piece.len(), "{piece}");
    }
}
