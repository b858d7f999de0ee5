//! Unique names: the schema decides, and the error says which name.

use retoque_registry::store::{Error, Store, Unique};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::{World, account, base, org, patch};

on_both_engines!(a_second_row_of_a_name_is_a_duplicate, of_many_racing_writers_one_wins);

async fn a_second_row_of_a_name_is_a_duplicate(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let (chance, ada) = (&world.chance, &world.account);
    let again = [
        (Unique::AccountName, 0),
        (Unique::OrgName, 1),
        (Unique::BasePin, 2),
        (Unique::PatchSlug, 3),
        (Unique::AccountRole, 4),
        (Unique::Meta, 5),
    ];
    for (unique, which) in again {
        let world = &world;
        let error = store
            .write(|mut tx| async move {
                match which {
                    0 => tx.insert_account(&account(chance, "ada")).await?,
                    1 => tx.insert_org(&org(chance, "acme", ada)).await?,
                    2 => tx.insert_base(&base(chance, &world.base.pin.to_string(), ada), b"{}").await?,
                    3 => {
                        tx.insert_patch(&patch(chance, "acme/order-lines", &world.org, &world.base, ada)).await?;
                        tx.insert_patch(&patch(chance, "acme/order-lines", &world.org, &world.base, ada)).await?;
                    }
                    // A role given twice is not an error.
                    4 => {
                        let role = retoque_core::permission::PlatformRole::Review;
                        tx.grant_role(ada.id, role, ada.created_at).await?;
                        tx.grant_role(ada.id, role, ada.created_at).await?;
                        assert_eq!(tx.roles(ada.id).await?, [role]);
                        return Err(Error::Duplicate(Unique::AccountRole));
                    }
                    _ => {
                        tx.insert_meta("instance", "a").await?;
                        tx.insert_meta("instance", "b").await?;
                    }
                }
                Ok::<_, Error>(tx.done(()))
            })
            .await
            .unwrap_err();
        assert!(error.is_duplicate(unique), "{unique:?}: {error:?}");
    }
}

async fn of_many_racing_writers_one_wins(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let (store, row) = (store.clone(), account(&world.chance, "bob"));
        tasks.push(tokio::spawn(async move {
            let row = &row;
            store
                .write(|mut tx| async move {
                    tx.insert_account(row).await?;
                    Ok::<_, Error>(tx.done(()))
                })
                .await
        }));
    }
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(()) => won += 1,
            Err(error) => assert!(error.is_duplicate(Unique::AccountName), "{error:?}"),
        }
    }
    assert_eq!(won, 1);
}
