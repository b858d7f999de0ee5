//! Packages with hostile manifests, and manifests that claim what the record does not give.

use std::collections::BTreeSet;
use std::fs;

use reqwest::Method;
use retoque_core::manifest::Manifest;
use retoque_tests::database::Engine;
use retoque_tests::packages::Parts;
use retoque_tests::registry::Answer;
use retoque_tests::town::{PATCH, Town};
use serde_json::{Value, json};

use super::{codes, stored};

/// Sends a push of these bytes, with the record as it lies in the town.
fn push(town: &Town, package: Vec<u8>) -> Answer {
    let body = town.push_body(&town.upload(package, "worker"), "worker");
    town.send(town.request(Method::PUT, &Town::at(&format!("{PATCH}@1.0.0")), "worker").json(&body))
}

/// Refused as bad input, and gone.
fn refused(town: &Town, what: &str, answer: &Answer, before: &[String]) -> BTreeSet<String> {
    let status = answer.status.as_u16();
    assert!([400, 413, 422].contains(&status), "{what}: {status} {}", String::from_utf8_lossy(&answer.body));
    assert_eq!(stored(town), before, "{what} left something");
    assert_eq!(town.get(&Town::at(&format!("{PATCH}@1.0.0")), "operator").status, 404, "{what}");
    codes(answer)
}

type Change = fn(&mut Value);
type Rewrite = fn(String) -> String;

#[test]
fn hostile_manifests_are_refused() {
    let town = Town::found(Engine::Sqlite);
    let parts = Parts::of(&fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap());
    let before = stored(&town);
    let as_value = |manifest: &Manifest| serde_json::to_value(manifest).unwrap();
    let changes: [(&str, Change); 10] = [
        ("an unknown field", |m| m["surprise"] = json!(1)),
        ("a missing field", |m| drop(m.as_object_mut().unwrap().remove("dataset"))),
        ("a float", |m| m["adapter"]["rank"] = json!(16.5)),
        ("a negative number", |m| m["files"][0]["size"] = json!(-1)),
        ("an absurd size", |m| m["files"][2]["size"] = json!(9_007_199_254_740_991_u64)),
        ("a path that climbs", |m| m["files"][0]["path"] = json!("../README.md")),
        ("another file", |m| m["files"][0]["path"] = json!("payload.py")),
        ("another digest", |m| m["files"][0]["sha256"] = json!(format!("sha256:{}", "0".repeat(64)))),
        ("another patch", |m| m["patch"] = json!("acme/other-patch")),
        ("another version", |m| m["version"] = json!("1.0.1")),
    ];
    for (what, change) in changes {
        let package = parts.clone().with_manifest(|manifest| {
            let mut value = as_value(manifest);
            change(&mut value);
            serde_json::to_vec(&value).unwrap()
        });
        refused(&town, what, &push(&town, package), &before);
    }
    // All of it at once is told at once.
    let package = parts.clone().with_manifest(|manifest| {
        let mut value = as_value(manifest);
        value["surprise"] = json!(1);
        value["adapter"]["rank"] = json!("sixteen");
        value["dataset"]["rows"] = json!(-3);
        serde_json::to_vec(&value).unwrap()
    });
    let answer = push(&town, package);
    refused(&town, "three mistakes", &answer, &before);
    assert!(answer.json()["findings"].as_array().is_some_and(|f| f.len() >= 3), "{}", answer.json());
    let texts: [(&str, Rewrite); 5] = [
        ("a repeated field", |t| t.replacen('{', "{\"format\":\"retoque-manifest/1\",", 1)),
        ("a repeated field behind an escape", |t| t.replacen('{', "{\"\\u0066ormat\":\"retoque-manifest/1\",", 1)),
        ("white space", |t| t.replacen(':', ": ", 1)),
        ("more after the end", |t| t + "{}"),
        ("depth", |t| t.replacen('{', &format!("{{\"a\":{}{},", "[".repeat(5000), "]".repeat(5000)), 1)),
    ];
    for (what, change) in texts {
        let package = parts.clone().with_manifest(|m| change(String::from_utf8(m.to_bytes().unwrap()).unwrap()).into());
        refused(&town, what, &push(&town, package), &before);
    }
    refused(&town, "5 MiB", &push(&town, parts.clone().with_manifest(|_| vec![b' '; 5 << 20])), &before);
    let mut cut = parts.clone().package();
    cut.truncate(cut.len() - 1);
    refused(&town, "a cut package", &push(&town, cut), &before);
    refused(&town, "no package", &push(&town, b"#!/bin/sh\nexit\n".to_vec()), &before);
    // The good one still goes in.
    push(&town, parts.package()).expect(201);
}

#[test]
fn claims_that_the_record_does_not_give_are_refused_with_both_values() {
    let town = Town::found(Engine::Sqlite);
    let parts = Parts::of(&fs::read(town.pack(PATCH, "1.0.0", &[])).unwrap());
    let before = stored(&town);
    let real = parts.manifest.evidence.held_out.patched;
    let mut claim = parts.clone();
    claim.manifest.evidence.held_out.patched = real + 1;
    let answer = push(&town, claim.package());
    let found = refused(&town, "one more pass", &answer, &before);
    assert!(found.contains("evidence_disagrees"), "{found:?}");
    let text = answer.json().to_string();
    assert!(text.contains(&real.to_string()) && text.contains(&(real + 1).to_string()), "{text}");
    let mut claim = parts.clone();
    (claim.manifest.evidence.introduced, claim.manifest.evidence.repaired) =
        (claim.manifest.evidence.introduced + 1, claim.manifest.evidence.repaired + 1);
    let found = refused(&town, "one more regression and one more repair", &push(&town, claim.package()), &before);
    assert!(found.contains("evidence_disagrees"), "{found:?}");

    // The outputs of two arms change places: every count is another.
    let path = town.record().join("outputs.jsonl");
    let outputs = fs::read_to_string(&path).unwrap();
    let lines = outputs.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let arm = match value["arm"].as_str().unwrap() {
            "base" => "patched",
            "patched" => "base",
            other => other,
        };
        value["arm"] = json!(arm);
        value.to_string() + "\n"
    });
    let swapped: String = lines.collect();
    assert_ne!(swapped, outputs);
    fs::write(&path, swapped).unwrap();
    let found = refused(&town, "swapped outputs", &push(&town, parts.clone().package()), &before);
    assert!(found.contains("evidence_disagrees") || found.contains("record_disagrees"), "{found:?}");
    // A record that lacks a line.
    fs::write(&path, outputs.split_once('\n').unwrap().1).unwrap();
    refused(&town, "a missing output", &push(&town, parts.clone().package()), &before);
    fs::write(&path, outputs).unwrap();
    push(&town, parts.package()).expect(201);
}
