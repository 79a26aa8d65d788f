use std::time::Duration;

use afterword_domain::project::ProjectRef;
use afterword_domain::scope::Scope;
use afterword_domain::team::Role;
use afterword_domain::wire::team::AuditEntry;
use afterword_domain::{Kind, PublicId};
use afterword_store::contract::{AccountStore, IssuedToken, KeywordQuery, ProjectStore};
use afterword_store::postgres::{Notice, PostgresOptions, PostgresPool, TenantId};
use afterword_store::{Error, Store};
use afterword_testkit::Database;
use uuid::Uuid;

use super::{connect, database, run, store};
use crate::build::{claimed_turn, finding, new_memory, outcome, remember, stored_project, t};

fn token(member: &str, role: Role, hash: &str) -> IssuedToken {
    IssuedToken {
        id: Uuid::new_v4(),
        member: member.to_owned(),
        role,
        project: None,
        hash: hash.to_owned(),
        mark: "awt_abc".to_owned(),
        expires_at: None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_organisation_is_made_once_whoever_starts() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let starts = (0..6).map(|n| {
        let pool = pool.clone();
        let first = token("admin", Role::Admin, &format!("hash{n}"));
        tokio::spawn(async move { pool.first_organisation("default", &first, t(1)).await })
    });
    let mut made = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        made.extend(start.await.unwrap().unwrap());
    }
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].tenant, TenantId::DEFAULT, "what is there already is the first one's");
    assert_eq!(pool.organisations().await.unwrap(), made);
    assert_eq!(pool.tokens(made[0].tenant).await.unwrap().len(), 1);
    let same = pool.organisation("default", t(9)).await.unwrap();
    assert_eq!(same, made[0]);
    let names = (0..4).map(|_| {
        let pool = pool.clone();
        tokio::spawn(async move { pool.organisation("other", t(2)).await.unwrap().tenant })
    });
    let mut tenants = Vec::new();
    for made in names.collect::<Vec<_>>() {
        tenants.push(made.await.unwrap());
    }
    tenants.dedup();
    assert_eq!(tenants.len(), 1, "{tenants:?}");
    assert_eq!(pool.organisations().await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_says_whose_it_is_and_nothing_of_others() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let (one, two) = (
        pool.organisation("one", t(1)).await.unwrap().tenant,
        pool.organisation("two", t(1)).await.unwrap().tenant,
    );
    for (tenant, hash) in [(one, "h1"), (two, "h2")] {
        pool.set_member(tenant, "ann", Role::Admin, t(2)).await.unwrap();
        let mut new = token("ann", Role::Member, hash);
        new.expires_at = Some(t(50));
        pool.issue_token(tenant, &new, t(3)).await.unwrap();
    }
    let admitted = pool.admit("h2").await.unwrap().unwrap();
    assert_eq!(admitted.organisation.tenant, two);
    assert_eq!((admitted.token.member.as_str(), admitted.token.role), ("ann", Role::Member));
    assert_eq!(admitted.token.expires_at, Some(t(50)));
    assert_eq!(pool.admit("h3").await.unwrap(), None);
    assert_eq!(pool.admit("").await.unwrap(), None);

    // Another organisation can neither see nor end it.
    let id = admitted.token.id;
    assert!(!pool.revoke_token(one, id, t(4)).await.unwrap());
    assert_eq!(pool.tokens(one).await.unwrap().len(), 1);
    assert!(pool.revoke_token(two, id, t(5)).await.unwrap());
    assert!(pool.revoke_token(two, id, t(6)).await.unwrap());
    let revoked = pool.admit("h2").await.unwrap().unwrap().token;
    assert_eq!(revoked.revoked_at, Some(t(5)), "since the first time");
    pool.note_use(two, id, t(9)).await.unwrap();
    pool.note_use(two, id, t(8)).await.unwrap();
    assert_eq!(pool.tokens(two).await.unwrap()[0].last_used_at, Some(t(9)));
    let kept = run(&database, "SELECT hash, mark FROM afterword.tokens WHERE hash = 'h2'");
    assert_eq!(kept, "h2|awt_abc", "no secret is kept");

    // Nor does the database show a token to whoever does not know its hash.
    let as_owner = |settings: &str| {
        let begin = "SET ROLE afterword_owner; SET search_path = afterword";
        run(&database, &format!("{begin}; {settings}; SELECT count(*) FROM tokens"))
    };
    assert_eq!(as_owner("SET afterword.tenant = '0'"), "0");
    assert_eq!(as_owner("SET afterword.shown = 'h1'"), "1");
    assert_eq!(as_owner("SET afterword.shown = ''"), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_bound_tokens_and_somebody_stays_admin() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let tenant = pool.organisation("one", t(1)).await.unwrap().tenant;
    pool.set_member(tenant, "bob", Role::Member, t(1)).await.unwrap();
    pool.set_member(tenant, "ann", Role::Admin, t(1)).await.unwrap();
    let missing = pool.issue_token(tenant, &token("eve", Role::Reader, "x"), t(1)).await;
    assert!(matches!(missing, Err(Error::NotFound("member"))));
    let above = pool.issue_token(tenant, &token("bob", Role::Admin, "x"), t(1)).await;
    assert!(matches!(above, Err(Error::Conflict(_))));
    pool.issue_token(tenant, &token("bob", Role::Member, "b"), t(1)).await.unwrap();
    let refused = pool.set_member(tenant, "ann", Role::Reader, t(1)).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict(what) if what.contains("last admin")), "{refused}");
    assert!(pool.remove_member(tenant, "ann").await.is_err());
    assert_eq!(pool.members(tenant).await.unwrap().len(), 2, "nothing was changed");
    // Who may less from now on takes the tokens along.
    pool.set_member(tenant, "bob", Role::Reader, t(2)).await.unwrap();
    assert_eq!(pool.admit("b").await.unwrap().unwrap().token.role, Role::Reader);
    assert!(pool.remove_member(tenant, "bob").await.unwrap());
    assert!(!pool.remove_member(tenant, "bob").await.unwrap());
    assert_eq!(pool.admit("b").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_log_is_paged_cut_and_of_one_organisation() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let entry = |n: i64| AuditEntry {
        at: t(n),
        member: "ann".to_owned(),
        action: "token.create".to_owned(),
        subject: "x".repeat(500),
        status: 200,
        ..AuditEntry::default()
    };
    for n in 0..5 {
        pool.note(TenantId(1), &entry(n)).await.unwrap();
    }
    let page = pool.audit(TenantId(1), None, 3).await.unwrap();
    assert_eq!(page.iter().map(|e| e.at).collect::<Vec<_>>(), [t(4), t(3), t(2)]);
    assert_eq!(page[0].subject.chars().count(), 200);
    let rest = pool.audit(TenantId(1), Some(page[2].id), 9).await.unwrap();
    assert_eq!(rest.len(), 2);
    assert_eq!(pool.audit(TenantId(2), None, 9).await.unwrap(), []);
    assert_eq!(pool.trim_audit(TenantId(2), t(9)).await.unwrap(), 0);
    assert_eq!(pool.trim_audit(TenantId(1), t(3)).await.unwrap(), 3);
    assert_eq!(pool.audit(TenantId(1), None, 9).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_within_a_project_reaches_no_other_one() {
    let Some(database) = database() else { return };
    let pool = connect(&database).await;
    let whole = store(&pool, 1);
    let (job, last) = claimed_turn(&whole, "s").await;
    let turn = outcome(&job, last, vec![finding("a", "needle", &[last])]);
    let observation = whole.save_turn(turn).await.unwrap().new_observations[0];
    let mine = stored_project(&whole, "mine").await;
    let kept = remember(&whole, mine.id, "needle of mine", 1).await;
    let bound = pool.tenant(TenantId(1)).within(mine.id);
    let ids = [
        PublicId::new(Kind::Observation, observation),
        PublicId::new(Kind::Memory, kept.id),
        PublicId::new(Kind::Prompt, 1),
    ];
    let seen: &dyn Store = &bound;
    let of = |scope| KeywordQuery {
        scope,
        terms: vec!["needle".to_owned()],
        rows: ids.to_vec(),
        limit: 9,
        ..KeywordQuery::default()
    };
    let found = seen.keyword(of(Scope::All)).await.unwrap();
    assert_eq!((found.hits.len(), found.total), (1, 1));
    let other = seen.keyword(of(Scope::Project(job.project_id))).await.unwrap();
    assert_eq!((other.hits.len(), other.total), (0, 0));
    assert_eq!(seen.rows(Scope::All, &ids).await.unwrap().len(), 1);
    assert_eq!(seen.list_projects().await.unwrap().len(), 1);
    assert!(seen.get_session(job.turn.session_id).await.is_err());
    assert_eq!(seen.list_sessions(Scope::All, 9).await.unwrap(), []);
    assert_eq!(seen.export_page(Scope::All, None, 9).await.unwrap().len(), 1);
    assert_eq!(seen.forget(Scope::All, &ids[..1], t(5)).await.unwrap(), []);
    assert!(
        seen.live_changes(Some(0), 9)
            .await
            .unwrap()
            .changes
            .iter()
            .all(|change| { change.project_id == mine.id })
    );
    assert_eq!(seen.counts().await.unwrap().waiting, 0);
    // Where none is named it is the one; it makes no other one, and nothing in another one.
    let nameless = ProjectRef::default();
    assert_eq!(bound.resolve_project(&nameless, t(6)).await.unwrap().id, mine.id);
    assert_eq!(bound.find_project(&nameless).await.unwrap().unwrap().id, mine.id);
    let theirs = ProjectRef::named("theirs");
    assert!(matches!(
        bound.resolve_project(&theirs, t(6)).await,
        Err(Error::NotFound("row within reach"))
    ));
    assert!(seen.remember(new_memory(job.project_id, "planted", 7)).await.is_err());
    seen.remember(new_memory(mine.id, "welcome", 7)).await.unwrap();
    assert_eq!(whole.list_memories(Scope::All, 9).await.unwrap().len(), 2);
    // A connection that has served it serves everybody else as before.
    assert_eq!(whole.rows(Scope::All, &ids).await.unwrap().len(), 3);
}

async fn telling(database: &Database) -> PostgresPool {
    let options = PostgresOptions { tells: true, ..PostgresOptions::default() };
    PostgresPool::connect(&database.url, &options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_tell_each_other_of_changes_and_only_of_those() {
    let Some(database) = database() else { return };
    let (here, there) = (telling(&database).await, telling(&database).await);
    let mut listener = there.listen().await.unwrap();
    let next = async |listener: &mut afterword_store::postgres::Listener| {
        tokio::time::timeout(Duration::from_mins(1), listener.next()).await.unwrap()
    };
    let store = store(&here, 7);
    // Reading, and looking for work that is not there, tells nobody.
    store.list_projects().await.unwrap();
    store.claim_job(t(1)).await.unwrap();
    here.organisation("one", t(1)).await.unwrap();
    let project = stored_project(&store, "p").await;
    remember(&store, project.id, "text", 1).await;
    assert_eq!(next(&mut listener).await, Notice::Changed(TenantId(7)));
    here.set_member(TenantId(1), "ann", Role::Admin, t(1)).await.unwrap();
    assert_eq!(next(&mut listener).await, Notice::Accounts(TenantId(1)));
    // A connection that breaks is made anew, and whoever listens is told.
    run(
        &database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'LISTEN %'",
    );
    assert_eq!(next(&mut listener).await, Notice::Missed);
    crate::build::stored(&store, crate::build::event("s", 500, crate::build::tool("x"))).await;
    assert_eq!(next(&mut listener).await, Notice::Changed(TenantId(7)));
}
