//! Bases, suites and patches, and the search over patches.

use retoque_core::api::{Category, Visibility};
use retoque_core::digest::Digest;
use retoque_core::permission::OrgRole;
use retoque_registry::store::patches::{Filter, Viewer};
use retoque_registry::store::suites::Suite;
use retoque_registry::store::{Error, Page, Store};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::{World, account, now, patch};

on_both_engines!(bases_and_suites, search_finds_what_the_viewer_may_see);

async fn bases_and_suites(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let suite = &Suite {
        sha256: Digest::of(b"suite"),
        name: "general".to_owned(),
        cases: 40,
        allowance_points: 5,
        created_at: now(),
        created_by: world.account.id,
        retired_at: None,
    };
    store
        .write(|mut tx| async move {
            tx.insert_suite(suite).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.suite(&suite.sha256).await.unwrap().as_ref(), Some(suite));
    assert_eq!(tx.suites_in_force().await.unwrap().len(), 1);
    assert_eq!(tx.suites(&Page::first(5)).await.unwrap().items, std::slice::from_ref(suite));
    assert_eq!(tx.base_by_pin(&world.base.pin).await.unwrap().as_ref(), Some(&world.base));
    assert_eq!(tx.bases(&Page::first(5)).await.unwrap().items, std::slice::from_ref(&world.base));
    assert_eq!(tx.base_record(world.base.id).await.unwrap().as_deref(), Some(&b"{}"[..]));
    drop(tx);
    store
        .write(|mut tx| async move {
            tx.set_suite_retired(&suite.sha256, Some(now())).await?;
            assert_eq!(tx.suites_in_force().await?, []);
            assert_eq!(tx.suite(&suite.sha256).await?.unwrap().retired_at, Some(now()));
            tx.set_suite_retired(&suite.sha256, None).await?;
            assert_eq!(tx.suites_in_force().await?.len(), 1);
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
}

async fn search_finds_what_the_viewer_may_see(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    let stranger = &account(&world.chance, "stranger");
    let mut secret = patch(&world.chance, "acme/secret-one", &world.org, &world.base, &world.account);
    secret.visibility = Visibility::Private;
    secret.category = Category::Style;
    let mut odd = patch(&world.chance, "acme/odd-one", &world.org, &world.base, &world.account);
    odd.title = "100%_sure! ÄÖ".to_owned();
    let (secret, odd) = (&secret, &odd);
    store
        .write(|mut tx| async move {
            tx.insert_account(stranger).await?;
            tx.put_member(world.org.id, world.account.id, OrgRole::Member, now()).await?;
            tx.insert_patch(secret).await?;
            tx.insert_patch(odd).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let member = Viewer { account: Some(world.account.id), everything: false };
    let all = Viewer { account: None, everything: true };
    let text = |text: &str| Filter { words: text.split_whitespace().map(str::to_owned).collect(), ..Filter::default() };
    let cases: Vec<(&str, Viewer, Filter, &[&str])> = vec![
        ("nothing is released yet", Viewer::default(), Filter::default(), &[]),
        ("nor for others", Viewer { account: Some(stranger.id), everything: false }, Filter::default(), &[]),
        ("a member sees both", member, Filter::default(), &["acme/odd-one", "acme/secret-one"]),
        ("an operator sees both", all, Filter::default(), &["acme/odd-one", "acme/secret-one"]),
        ("by part of a name, any case", all, text("SECRET"), &["acme/secret-one"]),
        ("wildcards are letters", all, text("100%_"), &["acme/odd-one"]),
        ("a wildcard alone finds no other", all, text("%s%t"), &[]),
        ("the escape is a letter", all, text("sure!"), &["acme/odd-one"]),
        ("beyond ASCII", all, text("äö"), &["acme/odd-one"]),
        ("by category", all, Filter { category: Some(Category::Style), ..Filter::default() }, &["acme/secret-one"]),
        (
            "by base",
            all,
            Filter { base_repo: Some(world.base.pin.repo.clone()), ..Filter::default() },
            &["acme/odd-one", "acme/secret-one"],
        ),
        (
            "by another base",
            all,
            Filter { base_commit: Some("8".repeat(40).parse().unwrap()), ..Filter::default() },
            &[],
        ),
        ("by another org", all, Filter { org: Some("other".parse().unwrap()), ..Filter::default() }, &[]),
    ];
    let mut tx = store.read().await.unwrap();
    for (what, viewer, filter, expected) in cases {
        let found = tx.search_patches(viewer, &filter, &Page::first(10)).await.unwrap().items;
        let names: Vec<_> = found.iter().map(|l| l.patch.name.to_string()).collect();
        assert_eq!(names, expected, "{what}");
    }
    assert_eq!(tx.patch(odd.id).await.unwrap().as_ref(), Some(odd));
    assert_eq!(tx.patch_by_name(&odd.name.org, &odd.name.slug).await.unwrap().as_ref(), Some(odd));
    let first = tx.search_patches(all, &Filter::default(), &Page::first(1)).await.unwrap();
    assert_eq!(first.next.as_deref(), Some("acme/odd-one"));
}
