//! Accounts, orgs, members, tokens and keys: what goes in comes out.

use retoque_core::api::TokenScope;
use retoque_core::digest::Digest;
use retoque_core::permission::{OrgRole, PlatformRole};
use retoque_registry::store::id::{KeyRowId, TokenId};
use retoque_registry::store::keys::Key;
use retoque_registry::store::tokens::Token;
use retoque_registry::store::{Error, Page, Store};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::{World, account, now};

on_both_engines!(accounts_and_members, tokens_and_keys, lists_come_in_pages);

async fn accounts_and_members(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let (ada, org) = (&world.account, &world.org);
    store
        .write(|mut tx| async move {
            tx.grant_role(ada.id, PlatformRole::Operate, now()).await?;
            tx.grant_role(ada.id, PlatformRole::Build, now()).await?;
            assert!(tx.drop_role(ada.id, PlatformRole::Operate).await?);
            assert!(!tx.drop_role(ada.id, PlatformRole::Operate).await?);
            tx.put_member(org.id, ada.id, OrgRole::Member, now()).await?;
            tx.put_member(org.id, ada.id, OrgRole::Admin, now()).await?;
            tx.set_account_disabled(ada.id, Some(now())).await?;
            tx.set_account_profile(ada.id, "Ada L.", Some("Employed by Acme")).await?;
            tx.set_org_verified(org.id, Some(now())).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.roles(ada.id).await.unwrap(), [PlatformRole::Build]);
    assert_eq!(tx.member_role(org.id, ada.id).await.unwrap(), Some(OrgRole::Admin));
    let read = tx.account_by_name(&ada.name).await.unwrap().unwrap();
    assert_eq!((read.disabled_at, read.disclosure.as_deref()), (Some(now()), Some("Employed by Acme")));
    assert_eq!(tx.org(org.id).await.unwrap().unwrap().verified_at, Some(now()));
    assert_eq!(tx.memberships(ada.id).await.unwrap()[0].org, org.name);
    let members = tx.members(org.id, &Page::first(10)).await.unwrap();
    assert_eq!((members.items.len(), members.items[0].role, members.next), (1, OrgRole::Admin, None));
}

async fn tokens_and_keys(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let ada = &world.account;
    let token = &Token {
        id: TokenId::mint(&world.chance).unwrap(),
        account_id: ada.id,
        secret: Digest::of(b"rtq_"),
        label: "laptop".to_owned(),
        scope: TokenScope::Read,
        org_id: Some(world.org.id),
        created_at: now(),
        expires_at: now(),
        revoked_at: None,
    };
    let key_id = KeyRowId::mint(&world.chance).unwrap();
    let key = store
        .write(|mut tx| async move {
            tx.insert_token(token).await?;
            let log_index = tx.append_leaf(b"{}", now()).await?;
            let key = Key {
                id: key_id,
                account_id: ada.id,
                keyid: "ab".repeat(32),
                public: "cd".repeat(32),
                registration: b"envelope".to_vec(),
                created_at: now(),
                revoked_at: None,
                log_index,
            };
            tx.insert_key(&key).await?;
            Ok::<_, Error>(tx.done(key))
        })
        .await
        .unwrap();
    let key = &key;
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.token_by_secret(&token.secret).await.unwrap().as_ref(), Some(token));
    assert_eq!(tx.token_by_secret(&Digest::of(b"other")).await.unwrap(), None);
    assert_eq!(tx.keys_of(ada.id).await.unwrap(), std::slice::from_ref(key));
    drop(tx);
    store
        .write(|mut tx| async move {
            assert!(tx.revoke_token(token.id, now()).await?);
            assert!(!tx.revoke_token(token.id, now()).await?);
            assert!(tx.revoke_key(&key.keyid, now()).await?);
            assert!(!tx.revoke_key("none", now()).await?);
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.tokens_of(ada.id).await.unwrap()[0].revoked_at, Some(now()));
    assert_eq!(tx.key(&key.keyid).await.unwrap().unwrap().revoked_at, Some(now()));
}

async fn lists_come_in_pages(_: &Database, store: Store) {
    let world = &World::made(&store).await;
    store
        .write(|mut tx| async move {
            for n in 0..7 {
                tx.insert_account(&account(&world.chance, &format!("person-{n}"))).await?;
            }
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let (mut names, mut page) = (Vec::new(), Page::first(3));
    loop {
        let list = store.read().await.unwrap().accounts(&page).await.unwrap();
        assert!(list.items.len() <= 3);
        names.extend(list.items.iter().map(|a| a.name.to_string()));
        match list.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    let expected = ["ada", "person-0", "person-1", "person-2", "person-3", "person-4", "person-5", "person-6"];
    assert_eq!(names, expected);
}
