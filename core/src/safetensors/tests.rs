use super::*;
use crate::problem::{
    Code, DTYPE_UNSUPPORTED, HEADER_DUPLICATE_KEY, HEADER_INVALID, HEADER_TOO_LARGE, METADATA_INVALID, OFFSETS_GAP,
    OFFSETS_INVALID, OFFSETS_OVERLAP, Place, SHAPE_MISMATCH, TENSOR_FIELD_INVALID, TENSOR_NAME_UNKNOWN, WEIGHTS_EMPTY,
    WEIGHTS_LFS_POINTER, WEIGHTS_NOT_SAFETENSORS, WEIGHTS_PICKLE, WEIGHTS_TRAILING_BYTES, WEIGHTS_TRUNCATED,
};

fn codes(text: &str, data: u64) -> Vec<Code> {
    parse(text.as_bytes(), data, &Place::file("w")).1.list().iter().map(|f| f.code).collect()
}

#[test]
fn strict_headers() {
    let a = r#""a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    let two = |b: &str| format!("{{{a},{b}}}");
    assert_eq!(codes(&format!("{{{a}}}   "), 8), []);
    assert_eq!(codes(&two(r#""b":{"data_offsets":[8,8],"shape":[0],"dtype":"F4"}"#), 8), []);
    for (text, code) in [
        (format!(" {{{a}}}"), HEADER_INVALID),
        (format!("{{{a}}}\n"), HEADER_INVALID),
        (format!("{{{a}}}\0"), HEADER_INVALID),
        (format!("{{{a},}}"), HEADER_INVALID),
        (format!("{{{a}}}{{}}"), HEADER_INVALID),
        (String::new(), HEADER_INVALID),
        (two(a), HEADER_DUPLICATE_KEY),
        (two(r#""\u0061":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#), HEADER_DUPLICATE_KEY),
        (two(r#""__metadata__":{"x":"1","x":"2"}"#), HEADER_DUPLICATE_KEY),
        (two(r#""__metadata__":{"x":1}"#), METADATA_INVALID),
        (two(r#""__metadata__":["x"]"#), METADATA_INVALID),
        (two(&format!(r#""__metadata__":{{"x":"{}"}}"#, "y".repeat(5000))), METADATA_INVALID),
        (two(r#""b":["F32",[0],[8,8]]"#), TENSOR_FIELD_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[0],"data_offsets":[8,8],"x":1}"#), TENSOR_FIELD_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[-1],"data_offsets":[8,8]}"#), TENSOR_FIELD_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[1.0],"data_offsets":[8,8]}"#), TENSOR_FIELD_INVALID),
        (two(r#""b":{"dtype":"F32","data_offsets":[8,8]}"#), TENSOR_FIELD_INVALID),
        (two(r#""b":{"dtype":"Q4","shape":[0],"data_offsets":[8,8]}"#), DTYPE_UNSUPPORTED),
        (two(r#""b":{"dtype":"F32","shape":[0],"data_offsets":[-8,8]}"#), OFFSETS_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[0],"data_offsets":[9,8]}"#), OFFSETS_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[0],"data_offsets":[8]}"#), OFFSETS_INVALID),
        (two(r#""b":{"dtype":"F32","shape":[2,2],"data_offsets":[8,8]}"#), SHAPE_MISMATCH),
        (two(r#""b":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[8,8]}"#), SHAPE_MISMATCH),
        (two(r#""":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}"#), TENSOR_NAME_UNKNOWN),
        (two(r#""b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}"#), OFFSETS_OVERLAP),
        (two(r#""b":{"dtype":"F32","shape":[0],"data_offsets":[9,9]}"#), OFFSETS_GAP),
    ] {
        assert!(codes(&text, 8).contains(&code), "{text}: {:?}", codes(&text, 8));
    }
    let one = format!("{{{a}}}");
    assert_eq!(codes(&one, 7), [WEIGHTS_TRUNCATED]);
    assert_eq!(codes(&one, 9), [WEIGHTS_TRAILING_BYTES]);
    assert_eq!(codes(r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#, 8), [OFFSETS_GAP]);
}

#[test]
fn first_bytes_name_the_file() {
    let code = |bytes: &[u8]| {
        let result = read_prefix(&mut &bytes[..], bytes.len() as u64, ADAPTER_HEADER, &Place::file("w"));
        result.err().map(|findings| findings.list()[0].code)
    };
    for (bytes, expected) in [
        (&b""[..], WEIGHTS_EMPTY),
        (b"\0\0\0\0\0\0\0", WEIGHTS_TRUNCATED),
        (b"<html><body>403</body>", WEIGHTS_NOT_SAFETENSORS),
        (b"<a>", WEIGHTS_NOT_SAFETENSORS),
        (b"version https://git-lfs.github.com/spec/v1\noid", WEIGHTS_LFS_POINTER),
        (b"PK\x03\x04rest of an archive", WEIGHTS_PICKLE),
        (b"\x80\x02}q\x00X\x05\x00\x00\x00", WEIGHTS_PICKLE),
        (b"\x80\x04.", WEIGHTS_PICKLE),
        (b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0", WEIGHTS_NOT_SAFETENSORS),
        (b"{\"weight_map\": {}}", WEIGHTS_NOT_SAFETENSORS),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff{}", HEADER_TOO_LARGE),
        (b"\x03\0\0\0\0\0\0\0{}", HEADER_TOO_LARGE),
    ] {
        assert_eq!(code(bytes), Some(expected), "{bytes:?}");
    }
    assert_eq!(code(b"\x02\0\0\0\0\0\0\0{}"), None);
    // A header of 128 bytes begins with 0x80 and is not a pickle.
    let mut long = vec![0x80, 0, 0, 0, 0, 0, 0, 0];
    long.resize(8 + 128, b' ');
    assert_eq!(code(&long), None);
}
