//! Platform keys that are replaced under a running replica, and roots that would cost signed documents.

use retoque_core::sign::root::{Revoked, Role, RootBuilder};
use retoque_core::sign::{Root, SecretKey, Signer as _};
use retoque_registry::adopt::adopt;
use retoque_registry::args::{Adopt, Where};
use retoque_registry::config::Sources;
use retoque_tests::registry::{Answer, Registry, key_of};

use crate::keys::{installed, newest, signed};

async fn publish(registry: &Registry, builder: RootBuilder, orphans: u64) -> Answer {
    let bytes = signed(builder, &[&installed(registry, "root-1"), &installed(registry, "root-2")]);
    let path = if orphans == 0 { "/api/v1/root".to_owned() } else { format!("/api/v1/root?orphans={orphans}") };
    registry.post_bytes(&path, &registry.operator.token, "application/json", bytes).await
}

fn after(root: &Root) -> RootBuilder {
    RootBuilder::after(root, root.expires())
}

/// Runs `key adopt` with this key file mounted.
async fn adopts(registry: &Registry, role: &str, key: &SecretKey) -> Result<String, &'static str> {
    let file = registry.dir.join("keys/new.pem");
    std::fs::write(&file, key.to_pem().unwrap().as_bytes()).unwrap();
    let setting = role.replace("platform-", "keys.");
    let sources = Sources {
        file: Some(registry.dir.join(retoque_registry::config::FILE)),
        flags: vec![(setting, file.to_str().unwrap().to_owned())],
        ..Sources::default()
    };
    let installation = Where { config: None, dir: None, set: Vec::new() };
    let said = adopt(&sources, &Adopt { installation, role: role.to_owned() }).await;
    said.map_err(|findings| findings.first_error().unwrap().code.name())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_with_a_replaced_key_signs_nothing() {
    let registry = Registry::start().await;
    let old = installed(&registry, "platform-log");
    let (old, new) = (old.public().id(), key_of("new-log"));
    let root = newest(&registry).await;
    let swap = |root: &Root, from_index| {
        let gone = after(root).remove(Role::PlatformLog, old).add(Role::PlatformLog, new.public().clone());
        gone.revoke(Revoked { keyid: old, from_index })
    };
    assert_eq!(adopts(&registry, "platform-log", &new).await.unwrap_err(), "platform_key_mismatch");
    assert_eq!(adopts(&registry, "review", &new).await.unwrap_err(), "field_invalid");
    assert_eq!(publish(&registry, swap(&root, 3), 0).await.refused(409), "platform_key_mismatch");

    publish(&registry, after(&root).add(Role::PlatformLog, new.public().clone()), 0).await.expect(201);
    let pia = registry.person("pia", &[]).await;
    assert!(adopts(&registry, "platform-log", &new).await.unwrap().contains(&old.to_string()));
    assert!(adopts(&registry, "platform-log", &new).await.unwrap().contains("already"));
    let pia = retoque_tests::registry::Person { key: key_of("pia-2"), ..pia };
    let refused = registry.post("/api/v1/keys", &pia.token, &registry.new_key(&pia)).await;
    assert_eq!(refused.refused(503), "platform_key_retired");
    assert_eq!(registry.get("/api/v1/keys", &pia.token).await.expect(200).json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_costs_documents_needs_to_say_how_many() {
    let registry = Registry::start().await;
    let old = installed(&registry, "platform-log").public().id();
    let new = key_of("new-log");
    registry.person("pia", &[]).await;
    let both = after(&newest(&registry).await).add(Role::PlatformLog, new.public().clone());
    publish(&registry, both, 0).await.expect(201);
    adopts(&registry, "platform-log", &new).await.unwrap();
    let root = newest(&registry).await;
    let gone = |from_index| after(&root).remove(Role::PlatformLog, old).revoke(Revoked { keyid: old, from_index });
    // Leaves: the root, the operator's key, pia's key, the second root.
    let refused = publish(&registry, gone(1), 0).await;
    let body = refused.json().to_string();
    assert_eq!(refused.refused(409), "root_orphans");
    assert!(body.contains("2 signed document(s)") && body.contains("(leaf 2)"), "{body}");
    assert_eq!(publish(&registry, gone(1), 1).await.refused(409), "root_orphans");
    assert_eq!(publish(&registry, gone(4), 2).await.refused(409), "root_orphans", "nothing is lost");
    publish(&registry, gone(2), 1).await.expect(201);
    let earlier = after(&newest(&registry).await).revoke(Revoked { keyid: old, from_index: 1 });
    assert_eq!(publish(&registry, earlier.clone(), 0).await.refused(409), "root_orphans");
    publish(&registry, earlier, 1).await.expect(201);
}
