//! The second person: the schema itself refuses a review of one's own work, and a lie about whose work it is.

use retoque_core::digest::Digest;
use retoque_core::licence::LicenceState;
use retoque_core::lifecycle::State;
use retoque_core::review::Verdict;
use retoque_registry::store::Rule;
use retoque_registry::store::decisions::{DecisionRow, NewRelease, Release, Review, Submission};
use retoque_registry::store::id::{OutboxId, ReviewId, SubmissionId};
use retoque_registry::store::outbox::Task;
use retoque_registry::store::uploads::StagedUpload;
use retoque_registry::store::versions::{Move, NewVersion};
use retoque_registry::store::{Error, Store, Unique};
use retoque_tests::database::Database;

use super::on_both_engines;
use super::rows::{World, account, decision, now};
use super::versions::pushed;

on_both_engines!(nobody_reviews_their_own_work, history_never_changes, uploads_and_tasks_come_and_go);

/// A version that `world.account` pushed and `submitter` submitted, with two reviewers who did neither.
struct Case {
    world: World,
    version: NewVersion,
    submission: Submission,
    reviewer: retoque_registry::store::accounts::Account,
}

async fn submitted(store: &Store) -> Case {
    let world = World::made(store).await;
    let (_, version) = pushed(store, &world).await;
    let (submitter, reviewer) = (account(&world.chance, "submitter"), account(&world.chance, "reviewer"));
    let submission = Submission {
        id: SubmissionId::mint(&world.chance).unwrap(),
        version_id: version.id,
        submitter_id: submitter.id,
        submitter: submitter.name.clone(),
        manifest_digest: version.manifest_digest,
        envelope: b"submission".to_vec(),
        registration: b"registration".to_vec(),
        registration_index: None,
        created_at: now(),
    };
    let (s, r, row) = (&submitter, &reviewer, &submission);
    let step = &Move {
        from: State::Candidate,
        to: State::Submitted,
        after: version.head,
        head: Digest::of(b"submit"),
        licence_state: LicenceState::None,
        submission_id: Some(submission.id),
        publish_validation_cases: true,
    };
    store
        .write(|mut tx| async move {
            tx.insert_account(s).await?;
            tx.insert_account(r).await?;
            tx.insert_submission(row).await?;
            tx.move_version(row.version_id, step).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    Case { world, version, submission, reviewer }
}

impl Case {
    fn review(&self) -> Review {
        Review {
            id: ReviewId::mint(&self.world.chance).unwrap(),
            version_id: self.version.id,
            submission_id: self.submission.id,
            submitter_id: self.submission.submitter_id,
            pusher_id: self.version.pusher_id,
            reviewer_id: self.reviewer.id,
            manifest_digest: self.version.manifest_digest,
            verdict: Verdict::Approve,
            created_at: now(),
        }
    }
}

async fn insert(store: &Store, review: Review) -> Result<(), Error> {
    let review = &review;
    store
        .write(|mut tx| async move {
            tx.insert_review(review).await?;
            Ok(tx.done(()))
        })
        .await
}

async fn nobody_reviews_their_own_work(_: &Database, store: Store) {
    let case = submitted(&store).await;
    let (submitter, pusher, reviewer) = (case.submission.submitter_id, case.version.pusher_id, case.reviewer.id);
    let lies: [(&str, Rule, Review); 5] = [
        ("the submitter", Rule::ReviewerIsNotSubmitter, Review { reviewer_id: submitter, ..case.review() }),
        ("the pusher", Rule::ReviewerIsNotPusher, Review { reviewer_id: pusher, ..case.review() }),
        (
            "the submitter, naming another submitter",
            Rule::ForeignKey,
            Review { reviewer_id: submitter, submitter_id: reviewer, ..case.review() },
        ),
        (
            "the pusher, naming another pusher",
            Rule::ForeignKey,
            Review { reviewer_id: pusher, pusher_id: reviewer, ..case.review() },
        ),
        ("another manifest", Rule::ForeignKey, Review { manifest_digest: Digest::of(b"other"), ..case.review() }),
    ];
    for (who, rule, review) in lies {
        match insert(&store, review).await {
            Err(Error::Refused(found)) => assert_eq!(found, rule, "{who}"),
            other => panic!("{who}: {other:?}"),
        }
    }
    assert_eq!(store.read().await.unwrap().approval(case.version.id).await.unwrap(), None);
    insert(&store, case.review()).await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.approval(case.version.id).await.unwrap(), Some(case.version.manifest_digest));
    assert_eq!(tx.submission(case.submission.id).await.unwrap(), Some(case.submission));
}

async fn history_never_changes(database: &Database, store: Store) {
    let case = submitted(&store).await;
    insert(&store, case.review()).await.unwrap();
    let row = &decision(&case.world.chance, &case.version, 0, 0, &case.reviewer);
    let release =
        &NewRelease { draft: b"{}".to_vec(), license_text: b"text".to_vec(), validation_cases: Some(b"[]".to_vec()) };
    let id = case.version.id;
    store
        .write(|mut tx| async move {
            let log_index = tx.append_leaf(b"leaf", now()).await?;
            tx.insert_decision(&DecisionRow { log_index, salt: Some(vec![7; 32]), ..row.clone() }).await?;
            tx.insert_licence(id, 0, LicenceState::GrantedFree, b"licence", now()).await?;
            tx.insert_release(id, release, now()).await?;
            assert_eq!(tx.release_draft(id).await?, Some(b"{}".to_vec()));
            assert_eq!(tx.open_releases(9).await?, [id]);
            assert!(tx.finish_release(id, b"{\"proven\":1}").await?, "it waited");
            assert!(!tx.finish_release(id, b"{\"proven\":2}").await?, "whoever comes first");
            assert_eq!((tx.release_draft(id).await?, tx.open_releases(9).await?), (None, Vec::new()));
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    for sql in [
        "UPDATE decisions SET record = CAST('x' AS BYTEA)",
        "DELETE FROM decisions",
        "UPDATE submissions SET envelope = CAST('x' AS BYTEA)",
        "DELETE FROM submissions",
        "UPDATE reviews SET verdict = 'return'",
        "DELETE FROM reviews",
        "UPDATE licence_records SET state = 'ended'",
        "DELETE FROM licence_records",
        "UPDATE releases SET release = CAST('x' AS BYTEA)",
        "UPDATE releases SET license_text = CAST('x' AS BYTEA)",
        "DELETE FROM releases",
        "UPDATE log_leaves SET idx = 5",
    ] {
        let error = database.raw(sql).await.unwrap_err().to_string();
        assert!(error.contains("append_only"), "{sql}: {error}");
    }
    let again = store
        .write(|mut tx| async move {
            tx.insert_licence(id, 0, LicenceState::Ended, b"licence", now()).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap_err();
    assert!(again.is_duplicate(Unique::LicenceNumber), "{again:?}");
    // What is erased on legal grounds is the one thing that can go.
    store
        .write(|mut tx| async move {
            tx.erase_validation_cases(id).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    let (release, license_text) = (Some(b"{\"proven\":1}".to_vec()), release.license_text.clone());
    assert_eq!(tx.release(id).await.unwrap(), Some(Release { release, license_text, validation_cases: None }));
    assert_eq!(tx.licences(id).await.unwrap(), [b"licence".to_vec()]);
    assert_eq!(tx.decisions(id).await.unwrap()[0].salt, Some(vec![7; 32]));
    assert!(tx.version(id).await.unwrap().unwrap().released);
}

async fn uploads_and_tasks_come_and_go(_: &Database, store: Store) {
    let world = World::made(&store).await;
    let upload = &StagedUpload {
        id: retoque_registry::store::id::UploadId::mint(&world.chance).unwrap(),
        account_id: world.account.id,
        size: 5,
        sha256: Digest::of(b"bytes"),
        staging_path: "staging/x".to_owned(),
        created_at: now(),
    };
    let task = &Task { id: OutboxId::mint(&world.chance).unwrap(), kind: "erase".to_owned(), payload: "x".to_owned() };
    store
        .write(|mut tx| async move {
            tx.insert_upload(upload).await?;
            tx.insert_task(task, now()).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.upload(upload.id).await.unwrap().as_ref(), Some(upload));
    let later = now().checked_add(jiff::SignedDuration::from_secs(1)).unwrap();
    assert_eq!(tx.uploads_before(later, 5).await.unwrap(), std::slice::from_ref(upload));
    assert_eq!(tx.uploads_before(now(), 5).await.unwrap(), []);
    assert_eq!(tx.open_tasks(5).await.unwrap(), std::slice::from_ref(task));
    drop(tx);
    store
        .write(|mut tx| async move {
            tx.delete_upload(upload.id).await?;
            tx.finish_task(task.id, now()).await?;
            tx.finish_task(task.id, now()).await?;
            Ok::<_, Error>(tx.done(()))
        })
        .await
        .unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!((tx.upload(upload.id).await.unwrap(), tx.open_tasks(5).await.unwrap()), (None, vec![]));
}
