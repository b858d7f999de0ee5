//! Signed heads: one note for each head, whoever signs first, and none that contradicts what is stored.

use std::collections::BTreeSet;

use jiff::{Timestamp, ToSpan as _};
use retoque_core::log::note::Line;
use retoque_core::log::{Note, VerifierKey, cosignature};
use retoque_core::sign::{SecretKey, Signer as _, Time};
use retoque_registry::log;
use retoque_registry::log::publish::{LogKey, Published, newest};
use retoque_registry::store::Store;
use retoque_registry::store::notes::Cosignature;
use retoque_tests::database::Database;
use retoque_tests::on_both_engines;

use super::naive;
use super::tree::now;

on_both_engines!(
    replicas_that_sign_at_once_serve_one_note,
    another_key_or_origin_leaves_the_first_note_as_it_is,
    a_note_of_another_head_is_never_served,
    the_newest_line_of_a_witness_joins,
);

const ORIGIN: &str = "log.example";

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32]).unwrap()
}

async fn append(store: &Store, count: u64) {
    store
        .write(|mut tx| async move {
            for _ in 0..count {
                let index = tx.log_size().await?;
                log::append(&mut tx, &naive::leaf(index), now()).await?;
            }
            Ok::<_, log::Error>(tx.done(()))
        })
        .await
        .unwrap();
}

async fn publish(store: &Store, origin: &str, signer: &SecretKey, at: Timestamp) -> Result<Published, log::Error> {
    newest(store, LogKey { origin, signer }, at).await
}

async fn replicas_that_sign_at_once_serve_one_note(database: &Database, store: Store) {
    append(&store, 3).await;
    let other = Store::open(&database.url, 4).await.unwrap();
    let signers = (0..16).map(|n| {
        let store = if n % 2 == 0 { store.clone() } else { other.clone() };
        tokio::spawn(async move { publish(&store, ORIGIN, &key(1), now()).await.unwrap().note.to_string() })
    });
    let mut notes = BTreeSet::new();
    for signer in signers.collect::<Vec<_>>() {
        notes.insert(signer.await.unwrap());
    }
    assert_eq!(notes.len(), 1, "{notes:#?}");
    let note = Note::parse(notes.first().unwrap().as_bytes()).unwrap();
    let vkey = VerifierKey::log(ORIGIN, key(1).public().clone()).unwrap();
    assert_eq!(note.signed_by(&vkey), Some(true));
    assert_eq!(store.read().await.unwrap().signed_size().await.unwrap(), 3);
    other.close().await;
}

async fn another_key_or_origin_leaves_the_first_note_as_it_is(_: &Database, store: Store) {
    append(&store, 2).await;
    let first = publish(&store, ORIGIN, &key(1), now()).await.unwrap();
    let rotated = publish(&store, ORIGIN, &key(2), now()).await.unwrap();
    let renamed = publish(&store, "new.example", &key(1), now()).await.unwrap();
    assert_eq!(first.checkpoint, rotated.checkpoint);
    assert_eq!(renamed.checkpoint.head(), first.checkpoint.head());
    let signed = |published: &Published, origin: &str, seed: u8| {
        published.note.signed_by(&VerifierKey::log(origin, key(seed).public().clone()).unwrap())
    };
    assert_eq!((signed(&first, ORIGIN, 1), signed(&first, ORIGIN, 2)), (Some(true), None));
    assert_eq!((signed(&rotated, ORIGIN, 1), signed(&rotated, ORIGIN, 2)), (None, Some(true)));
    assert_eq!(signed(&renamed, "new.example", 1), Some(true));
    let mut tx = store.read().await.unwrap();
    let kept = tx.signed_note(ORIGIN, 2, &key(1).public().id().to_string()).await.unwrap().unwrap();
    assert!(first.note.to_string().starts_with(&kept));
}

async fn a_note_of_another_head_is_never_served(database: &Database, store: Store) {
    append(&store, 2).await;
    let good = publish(&store, ORIGIN, &key(1), now()).await.unwrap();
    // Somebody put a database back beside the notes that were signed since.
    append(&store, 1).await;
    let text = good.checkpoint.to_string().replace("\n2\n", "\n3\n");
    let forged = Note::sign(&text, ORIGIN, &key(1)).unwrap();
    let id = key(1).public().id();
    let sql = format!(
        "INSERT INTO log_notes (origin, size, keyid, note, created_at) VALUES ('{ORIGIN}', 3, '{id}', '{forged}', 1)"
    );
    database.raw(&sql).await.unwrap();
    let refused = publish(&store, ORIGIN, &key(1), now()).await;
    assert!(matches!(refused, Err(log::Error::Broken(_))), "{refused:?}");
}

async fn the_newest_line_of_a_witness_joins(_: &Database, store: Store) {
    append(&store, 2).await;
    let published = publish(&store, ORIGIN, &key(1), now()).await.unwrap();
    let (name, witness) = ("w.example", key(5));
    let vkey = VerifierKey::cosigner(name, witness.public().clone()).unwrap();
    let at = |minutes: i64| now().checked_add(minutes.minutes()).unwrap();
    let line = |minutes: i64| {
        let time = Time::from_micros(at(minutes).as_microsecond()).unwrap();
        cosignature::sign(&published.checkpoint, name, &witness, time).unwrap()
    };
    for minutes in [5, 30, 10] {
        let line = line(minutes);
        let row =
            Cosignature { name: name.to_owned(), key_id: vkey.id(), line: line.to_string(), cosigned_at: at(minutes) };
        let row = &row;
        store
            .write(|mut tx| async move {
                tx.put_cosignature(ORIGIN, 2, row).await?;
                Ok::<_, log::Error>(tx.done(()))
            })
            .await
            .unwrap();
    }
    let joined = publish(&store, ORIGIN, &key(1), at(31)).await.unwrap().note;
    let lines: Vec<&Line> = joined.lines().iter().filter(|line| line.claims(&vkey)).collect();
    assert_eq!(lines, [&line(30)]);
    assert_eq!(joined.lines().len(), 3);
    // The log's own line is made anew after an hour, beside that of the witness.
    let later = publish(&store, ORIGIN, &key(1), at(62)).await.unwrap().note;
    assert_eq!(later.lines()[0], joined.lines()[0]);
    let own = VerifierKey::cosigner(ORIGIN, key(1).public().clone()).unwrap();
    let times = [&joined, &later]
        .map(|note| cosignature::verify(note.text(), &own, note.line_of(&own).unwrap()).unwrap().micros() / 60_000_000);
    assert_eq!(times[1] - times[0], 62);
}
