//! A version that was really pushed, published and pulled, in the hands of programs that are not ours.

use std::fs;

use retoque_core::digest::Digest;
use retoque_core::sign::dsse::pre_authentication_encoding;
use retoque_core::sign::{Envelope, Role, Root};
use retoque_tests::database::Engine;
use retoque_tests::peers::{openssl_verifies, script};
use retoque_tests::town::{PATCH, Town};
use serde_json::Value;

#[test]
fn peers_accept_a_pulled_version() {
    let town = Town::found(Engine::Sqlite);
    let version = &format!("{PATCH}@1.0.0");
    town.publish(&town.pack(PATCH, "1.0.0", &[]), version);
    town.ok("consumer", &["pull", version, "--dir", "pulled"]);
    let at = |name: &str| town.path("pulled").join(name);

    // The key comes from the root, not from what it signed.
    let root = Root::trust(&fs::read(town.path("registry/root.json")).unwrap(), None).unwrap();
    let keys = root.keys(Role::PlatformBuild);
    let public = town.path("build.pub.pem");
    fs::write(&public, keys.keys()[0].to_pem().unwrap()).unwrap();

    // openssl, over the raw bytes.
    let envelope = Envelope::parse(&fs::read(at("attestation.json")).unwrap()).unwrap();
    let mut message = pre_authentication_encoding(envelope.payload_type(), envelope.payload_unverified());
    let (pae, signature) = (town.path("pae"), town.path("signature"));
    fs::write(&signature, &envelope.signatures()[0].1).unwrap();
    fs::write(&pae, &message).unwrap();
    assert!(openssl_verifies(&pae, &signature, &public));
    message[60] ^= 1;
    fs::write(&pae, &message).unwrap();
    assert!(!openssl_verifies(&pae, &signature, &public));

    // securesystemslib and in-toto-attestation, and what the statement is about.
    let (accepted, said) = script("dsse_verify.py", &[&at("attestation.json"), &public]);
    assert!(accepted, "{said}");
    let subject =
        |name: &str| said["subjects"][name]["sha256"].as_str().or(said["subjects"][name].as_str()).map(str::to_owned);
    for name in ["manifest.json", "adapter_model.safetensors"] {
        let digest = Digest::of(&fs::read(at(name)).unwrap()).hex();
        assert_eq!(subject(name), Some(digest), "{name}");
    }
    let stranger = town.path("stranger.pub.pem");
    fs::write(&stranger, root.keys(Role::PlatformLog).keys()[0].to_pem().unwrap()).unwrap();
    assert!(!script("dsse_verify.py", &[&at("attestation.json"), &stranger]).0, "another key of the same root");

    // The layout that PEFT loads: the pinned base and commit, and weights that the reference reader opens.
    let config: Value = serde_json::from_slice(&fs::read(at("adapter_config.json")).unwrap()).unwrap();
    let manifest: Value = serde_json::from_slice(&fs::read(at("manifest.json")).unwrap()).unwrap();
    assert_eq!(config["base_model_name_or_path"], manifest["base"]["repo"]);
    assert_eq!(config["revision"], manifest["base"]["commit"]);
    let (opened, tensors) = script("weights_open.py", &[&at("adapter_model.safetensors")]);
    assert!(opened, "{tensors}");
    assert_eq!(
        tensors.as_object().map(serde_json::Map::len),
        manifest["adapter"]["tensors"].as_u64().map(|n| n as usize)
    );
}
