use std::collections::BTreeSet;

use afterword_domain::scope::Scope;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{KeywordQuery, RowVectors};
use afterword_store::postgres::TenantId;

use super::{connect, database, run, store};
use crate::build::{claimed_turn, finding, outcome, remember, stored_project, summary, t};

/// Tables that belong to no tenant, and the one that is read through a guarded one.
const UNGUARDED: [&str; 3] = ["schema_version", "search_index", "vector_models"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_of_every_table_begins_with_the_tenant() {
    let Some(database) = database() else { return };
    connect(&database).await;
    let lines = |sql: &str| -> BTreeSet<String> {
        run(&database, sql).lines().map(str::to_owned).collect()
    };
    let tables = "SELECT c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c
                  WHERE c.relnamespace = 'afterword'::regnamespace AND c.relkind = 'r'";
    let bare = lines(&format!(
        "SELECT relname FROM ({tables}) t WHERE NOT relrowsecurity OR NOT relforcerowsecurity"
    ));
    assert_eq!(bare, UNGUARDED.map(str::to_owned).into());
    let keys = lines(&format!(
        "SELECT t.relname || '.' || i.indexrelid::regclass FROM ({tables}) t
         JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique
         LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
         WHERE t.relname NOT IN ('schema_version', 'vector_models')
         AND a.attname IS DISTINCT FROM 'tenant'"
    ));
    assert_eq!(keys, BTreeSet::new(), "unique keys without the tenant in front");
    let pointers = lines(&format!(
        "SELECT t.relname || '.' || k.conname FROM ({tables}) t
         JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
         JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
         WHERE a.attname <> 'tenant' OR b.attname <> 'tenant'"
    ));
    assert_eq!(pointers, BTreeSet::new(), "foreign keys that could lead to another tenant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_do_not_see_each_other() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let (one, other) = (store(&pool, 1), store(&pool, 2));
    let (job, last) = claimed_turn(&one, "s").await;
    let mut turn = outcome(&job, last, vec![finding("a", "needle", &[last])]);
    turn.session_summary = Some(summary("needle in the summary"));
    let saved = one.save_turn(turn).await.unwrap();
    let project = stored_project(&one, "p").await;
    let memory = remember(&one, project.id, "needle in the memory", 1).await;
    one.set_setting("x", "secret").await.unwrap();
    let space = one.open_space("m", 2).await.unwrap();
    let rows = one.rows_without_vectors(space, 9).await.unwrap();
    let vectors = |key, version| RowVectors { key, version, vectors: vec![vec![0; 8]] };
    let mine = rows.iter().map(|row| vectors(row.key, row.version)).collect();
    assert_eq!(one.save_vectors(space, mine).await.unwrap(), rows.len());

    let ids = [
        PublicId::new(Kind::Observation, saved.new_observations[0]),
        PublicId::new(Kind::Summary, saved.session_summary.unwrap()),
        PublicId::new(Kind::Memory, memory.id),
        PublicId::new(Kind::Prompt, 1),
    ];
    let asked = KeywordQuery {
        terms: vec!["needle".to_owned()],
        rows: ids.to_vec(),
        limit: 9,
        ..KeywordQuery::default()
    };
    assert_eq!(one.keyword(asked.clone()).await.unwrap().hits.len(), 4);
    let found = other.keyword(asked.clone()).await.unwrap();
    assert_eq!((found.hits.len(), found.total, found.indexed_rows), (0, 0, 0));
    assert_eq!(found.rows_with_term, [0], "not even how many rows hold a word");
    let of_project = KeywordQuery { scope: Scope::Project(project.id), ..asked };
    assert!(other.keyword(of_project).await.unwrap().hits.is_empty());
    assert_eq!(other.rows(Scope::All, &ids).await.unwrap(), []);
    assert_eq!(other.forget(Scope::All, &ids, t(0)).await.unwrap(), []);
    assert!(other.get_session(job.turn.session_id).await.is_err());
    assert_eq!(other.list_projects().await.unwrap(), []);
    assert_eq!(other.list_memories(Scope::All, 9).await.unwrap(), []);
    assert_eq!(other.export_page(Scope::All, None, 9).await.unwrap().len(), 0);
    assert_eq!(other.setting("x").await.unwrap(), None);
    assert_eq!(other.evidence(saved.new_observations[0]).await.unwrap(), []);
    assert_eq!(other.open_space("m", 2).await.unwrap(), space, "one index serves all");
    assert!(other.vectors(space, 0, 9).await.unwrap().is_empty());
    let stolen = rows.iter().map(|row| vectors(row.key, row.version)).collect();
    assert_eq!(other.save_vectors(space, stolen).await.unwrap(), 0);
    assert_eq!(other.counts().await.unwrap().received, 0);

    // The same names and ids of an agent are another tenant's own.
    let same = stored_project(&other, "p").await;
    assert_ne!(same.id, project.id);
    let (theirs, _) = claimed_turn(&other, "s").await;
    assert_ne!(theirs.turn.session_id, job.turn.session_id);
    assert_eq!(one.rows(Scope::All, &ids).await.unwrap().len(), 4, "nothing was lost");
    for tenant in [&one, &other] {
        assert_eq!(tenant.check().await.unwrap(), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_of_another_tenant_cannot_be_pointed_at() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let (one, other) = (store(&pool, 1), store(&pool, 2));
    let project = stored_project(&one, "p").await;
    let memory = crate::build::new_memory(project.id, "planted", 0);
    assert!(other.remember(memory).await.is_err(), "a project of somebody else");
    assert_eq!(one.list_memories(Scope::All, 9).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_itself_keeps_tenants_apart() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let one = store(&pool, 1);
    let project = stored_project(&one, "p").await;
    remember(&one, project.id, "mine", 0).await;
    // As the owner of the tables, who would see everything if FORCE were not set.
    let as_owner = |tenant: &str, sql: &str| {
        let owner = "SET ROLE afterword_owner; SET search_path = afterword";
        run(&database, &format!("{owner}; SET afterword.tenant = '{tenant}'; {sql}"))
    };
    assert_eq!(as_owner("1", "SELECT count(*) FROM memories"), "1");
    for stranger in ["2", "0", ""] {
        assert_eq!(as_owner(stranger, "SELECT count(*) FROM memories"), "0", "{stranger:?}");
        let moved = "UPDATE memories SET text = 'x' RETURNING 1";
        assert_eq!(as_owner(stranger, moved), "", "{stranger:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_serves_many_sees_which_tenants_wait_and_nothing_else() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    assert_eq!(pool.tenants_with_work().await.unwrap(), []);
    let (two, five) = (store(&pool, 2), store(&pool, 5));
    let event = crate::build::event("s", 500, crate::build::tool("x"));
    crate::build::stored(&two, event).await;
    let (job, last) = claimed_turn(&five, "s").await;
    let waiting = pool.tenants_with_work().await.unwrap();
    assert_eq!(waiting, [(TenantId(2), t(750))], "what is claimed does not wait");
    five.save_turn(outcome(&job, last - 1, vec![])).await.unwrap();
    let waiting: Vec<_> = pool.tenants_with_work().await.unwrap();
    assert_eq!(waiting, [(TenantId(2), t(750)), (TenantId(5), t(30_000))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_that_goes_leaves_nothing_and_takes_nothing_along() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    for tenant in [1, 2] {
        let store = store(&pool, tenant);
        let (job, last) = claimed_turn(&store, "s").await;
        store.save_turn(outcome(&job, last, vec![finding("a", "b", &[last])])).await.unwrap();
        store.set_setting("x", "y").await.unwrap();
    }
    assert!(pool.drop_tenant(TenantId(1)).await.unwrap() > 0);
    assert_eq!(store(&pool, 1).counts().await.unwrap().indexed, 0);
    let tables = run(
        &database,
        "SELECT c.relname FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
         WHERE c.relnamespace = 'afterword'::regnamespace AND c.relkind = 'r'",
    );
    for table in tables.lines() {
        let left = format!("SELECT count(*) FROM afterword.{table} WHERE tenant = 1");
        assert_eq!(run(&database, &left), "0", "{table}");
    }
    assert_eq!(store(&pool, 2).counts().await.unwrap().indexed, 2);
    assert_eq!(store(&pool, 2).check().await.unwrap(), [""; 0]);
}
