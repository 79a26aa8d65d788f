use afterword_store::Error;
use afterword_store::postgres::{PostgresOptions, PostgresPool, TenantId};
use afterword_testkit::Database;

use super::{connect, database, run, store};
use crate::build::{remember, stored_project};

async fn refused(url: &str) -> Error {
    PostgresPool::connect(url, &PostgresOptions::default()).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_servers_may_start_on_an_empty_database_at_once() {
    let Some(database) = database() else { return };
    let starts = (0..8).map(|_| {
        let database = database.clone();
        tokio::spawn(async move { connect(&database).await.ping().await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().unwrap();
    }
    assert_eq!(run(&database, "SELECT count(*) FROM afterword.schema_version"), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_schemas_of_one_database_are_two_stores() {
    let Some(database) = database() else { return };
    let options = PostgresOptions { schema: "it's \"odd\"".to_owned(), ..Default::default() };
    let odd = PostgresPool::connect(&database.url, &options).await.unwrap();
    let usual = connect(&database).await;
    stored_project(&store(&odd, 1), "p").await;
    assert_eq!(store(&odd, 1).list_projects().await.unwrap().len(), 1);
    assert_eq!(store(&usual, 1).list_projects().await.unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused_unless_it_only_expands() {
    let Some(database) = database() else { return };
    drop(connect(&database).await);
    // A newer release has added something that this one does not mind.
    run(&database, "INSERT INTO afterword.schema_version (version, needs) VALUES (7, 1)");
    let pool = connect(&database).await;
    stored_project(&store(&pool, 1), "p").await;
    assert_eq!(run(&database, "SELECT max(version) FROM afterword.schema_version"), "7");
    // And then taken away what this one uses.
    run(&database, "INSERT INTO afterword.schema_version (version, needs) VALUES (8, 8)");
    let error = refused(&database.url).await;
    assert!(matches!(error, Error::NewerSchema { found: 8, known: 2 }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_extension_is_said_with_the_remedy() {
    let Some(database) = database() else { return };
    run(&database, "DROP EXTENSION vector");
    let error = refused(&database.url).await;
    assert!(matches!(error, Error::Setup(_)), "{error:?}");
    assert!(error.to_string().contains("run CREATE EXTENSION vector"), "{error}");
    let left = "SELECT count(*) FROM pg_namespace WHERE nspname = 'afterword'";
    assert_eq!(run(&database, left), "0", "nothing is left half-made");
    // Whoever may make it has it made.
    PostgresPool::connect(&database.admin_url, &PostgresOptions::default()).await.unwrap();
    assert_eq!(run(&database, "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_extension_in_a_schema_of_its_own_is_found() {
    let Some(database) = database() else { return };
    run(
        &database,
        "CREATE SCHEMA extensions; GRANT USAGE ON SCHEMA extensions TO PUBLIC;
                    ALTER EXTENSION vector SET SCHEMA extensions",
    );
    let pool = connect(&database).await;
    let space = store(&pool, 1).open_space("m", 3).await.unwrap();
    assert!(store(&pool, 1).vectors(space, 0, 1).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_superuser_works_under_an_ordinary_role() {
    let Some(Database { admin_url, url, .. }) = database() else { return };
    let admin = PostgresPool::connect(&admin_url, &PostgresOptions::default()).await.unwrap();
    let (one, other) = (store(&admin, 1), store(&admin, 2));
    let project = stored_project(&one, "p").await;
    remember(&one, project.id, "mine", 0).await;
    assert_eq!(other.counts().await.unwrap().indexed, 0);
    assert!(other.list_projects().await.unwrap().is_empty());
    let space = one.open_space("m", 3).await.unwrap();
    assert_eq!(one.rows_without_vectors(space, 9).await.unwrap().len(), 1);
    assert_eq!(one.check().await.unwrap(), [""; 0]);
    while one.sweep_forgotten().await.unwrap() {}
    // Again, with everything there, and as somebody who owns none of it.
    PostgresPool::connect(&admin_url, &PostgresOptions::default()).await.unwrap();
    assert!(matches!(refused(&url).await, Error::Unreachable(_) | Error::Setup(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_cannot_be_reached_or_does_not_know_us_is_told_apart() {
    let Some(Database { url, .. }) = database() else { return };
    let nowhere = url.replace("afterword-postgres-", "afterword-nowhere-");
    let error = refused(&nowhere).await;
    assert!(matches!(error, Error::Unreachable(_)) && error.is_retryable(), "{error:?}");
    assert!(error.to_string().contains("No such file"), "{error}");
    let error = refused(&url.replace("afterword_owner@", "stranger@")).await;
    assert!(error.to_string().contains("stranger"), "{error}");
    let error = refused(&format!("{url}_absent")).await;
    assert!(error.to_string().contains("does not exist"), "{error}");
    assert!(refused("somewhere").await.to_string().contains("postgresql://user:password@host"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_the_server_closed_are_replaced() {
    let Some(database) = database() else { return };
    let options = PostgresOptions { connections: 4, ..Default::default() };
    let pool = PostgresPool::connect(&database.url, &options).await.unwrap();
    let one = store(&pool, 1);
    let both = tokio::join!(one.list_projects(), one.list_projects(), one.counts());
    assert!(both.0.is_ok() && both.1.is_ok() && both.2.is_ok());
    let closed = run(
        &database,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    assert_ne!(closed, "0");
    stored_project(&one, "p").await;
    assert_eq!(pool.tenant(TenantId(1)).tenant(), TenantId(1));
}
