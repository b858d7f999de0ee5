//! A key that is registered while the memberships of its account change: the registration states what is true in the end.

use std::time::Duration;

use reqwest::Method;
use retoque_core::sign::Envelope;
use retoque_core::sign::registration::KeyRegistration;
use retoque_core::sign::statement::Statement;
use retoque_tests::database::{Database, Engine};
use retoque_tests::registry::{Person, Registry, key_of};
use serde_json::json;
use sqlx::Connection as _;

/// How many statements of this database wait for a lock.
async fn waiting(connection: &mut sqlx::PgConnection) -> i64 {
    let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    sqlx::query_scalar(sql).fetch_one(connection).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_states_the_memberships_of_the_end() {
    let database = Database::empty(Engine::Postgres);
    let registry = &Registry::start_on(Some(&database.url), &[]).await;
    let operator = &registry.operator.token;
    let account = json!({ "name": "ada", "display": "Ada", "roles": [] });
    registry.post("/api/v1/accounts", operator, &account).await.expect(201);
    let token = registry.token(&json!({ "account": "ada", "label": "test", "scope": "write" })).await;
    let ada = &Person { name: "ada".to_owned(), token, key: key_of("ada") };
    registry.org("acme", &[]).await;
    // Whoever wants to append to the log stands still here, with everything before it read.
    let mut holder = sqlx::PgConnection::connect(&database.url).await.unwrap();
    let mut watcher = sqlx::PgConnection::connect(&database.url).await.unwrap();
    let mut held = holder.begin().await.unwrap();
    sqlx::query("SELECT * FROM log_counter FOR UPDATE").execute(&mut *held).await.unwrap();
    let registration = async { registry.post("/api/v1/keys", &ada.token, &registry.new_key(ada)).await.expect(201) };
    let change = async {
        while waiting(&mut watcher).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (path, role) = ("/api/v1/orgs/acme/members/ada", json!({ "role": "publisher" }));
        let change = registry.send(Method::PUT, path, operator, &role);
        let released = async {
            // The change is through, or waits too; whichever it does, it has looked at what there is to look at.
            while waiting(&mut watcher).await < 2 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::pin!(change);
        let answer = tokio::select! {
            answer = &mut change => Some(answer),
            () = released => None,
        };
        held.rollback().await.unwrap();
        match answer {
            Some(answer) => answer.expect(200),
            None => change.await.expect(200),
        }
    };
    tokio::join!(registration, change);
    let stored: Vec<u8> = sqlx::query_scalar(
        "SELECT registration FROM keys k JOIN accounts a ON a.id = k.account_id \
        WHERE a.name = 'ada'",
    )
    .fetch_one(&mut watcher)
    .await
    .unwrap();
    let envelope = Envelope::parse(&stored).unwrap();
    let stated = Statement::<KeyRegistration>::parse_unverified(envelope.payload_unverified()).unwrap();
    let memberships: Vec<_> = stated.predicate().memberships.keys().map(ToString::to_string).collect();
    assert_eq!(memberships, ["acme"]);
}
