//! Nothing crosses: whoever asks, with whatever token, role and guessed id, on whichever route, learns
//! and changes nothing of another organisation, of a project beyond the token's, or beyond the role.

use std::fmt::Write as _;

use afterword::api::{Access, Route};
use afterword::team;
use afterword_testkit::{Database, Postgres, eventually};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use super::client::Client;
use super::server::{Server, database};
use super::{event, prompt, remember, stop};

/// Organisations; names of projects, sessions and members are the same in each.
const ORGS: [&str; 3] = ["alpha", "beta", "gamma"];
const PROJECTS: [&str; 2] = ["shop", "vault"];

/// In every text of an organisation's project, and in nothing that is sent to find it.
fn mark(org: usize, project: usize) -> String {
    format!("mark{}{}", ORGS[org], PROJECTS[project])
}

/// A token and what it may reach.
#[derive(Clone, Debug)]
struct Holder {
    client: Client,
    org: usize,
    /// 0 reader, 1 member, 2 admin; none: it counts no more.
    rank: Option<u8>,
    project: Option<usize>,
}

struct World {
    server: Server,
    database: Database,
    holders: Vec<Holder>,
    /// Ids of rows and of tokens, of every organisation.
    ids: Vec<String>,
    uids: Vec<String>,
    /// Tokens, by the number of their organisation.
    tokens: Vec<(usize, String)>,
}

impl World {
    fn new(database: Database) -> Self {
        let server = Server::with(&database, |command| {
            let home = command.get_envs().find(|(name, _)| *name == "AFTERWORD_HOME").unwrap();
            let home = std::path::PathBuf::from(home.1.unwrap());
            std::fs::create_dir_all(&home).unwrap();
            let settings = "[server]\nrequests_per_minute = 0\n";
            std::fs::write(home.join("config.toml"), settings).unwrap();
        });
        let mut holders = Vec::new();
        for (org, name) in ORGS.iter().enumerate() {
            let issue = |member, role, more: &[&str]| server.issue(name, member, role, more);
            let admin = issue("ann", "admin", &[]);
            for (project, of) in PROJECTS.iter().enumerate() {
                let mark = mark(org, project);
                remember(&admin, &format!("The canary says {mark}"), of);
                let added = json!({
                    "messages": [{ "role": "user", "content": format!("A canary of mia says {mark}") }],
                    "user_id": "mia", "infer": false, "metadata": { "project": of },
                });
                let added = admin.post("/v3/memories/add/", &added);
                assert_eq!(added.status, 200, "{}", added.body);
                let session = format!("s{project}");
                let n = u128::try_from(org * 100 + project * 10).unwrap();
                let asked = format!("Teach the canary {mark}");
                for body in [
                    prompt(&session, of, n, &asked),
                    event(&session, of, n + 1),
                    stop(&session, of, n + 2),
                ] {
                    assert_eq!(admin.post("/api/events", &body).status, 200);
                }
            }
            let mut hold = |client, rank, project| {
                holders.push(Holder { client, org, rank, project });
            };
            hold(admin, Some(2), None);
            hold(issue("mia", "member", &[]), Some(1), None);
            hold(issue("ray", "reader", &[]), Some(0), None);
            for (role, rank) in [("admin", 2), ("member", 1), ("reader", 0)] {
                let bound = issue("ann", role, &["--project", "shop"]);
                hold(bound, Some(rank), Some(0));
            }
            let gone =
                server.token(&["create", "--org", name, "--member", "ann", "--role", "admin"], &[]);
            server.token(&["revoke", gone["id"].as_str().unwrap()], &[]);
            let token = gone["token"].as_str().unwrap().to_owned();
            hold(Client { port: server.port, token }, None, None);
        }
        let open = "SELECT (SELECT count(*) FROM afterword.events WHERE state <> 'distilled')
                         + (SELECT count(*) FROM afterword.jobs)";
        let says = |sql: &str| Postgres::locate().unwrap().run(&database.name, sql).unwrap();
        eventually("everything distilled", std::time::Duration::from_mins(1), || {
            (says(open) == "0").then_some(())
        });
        let lines = |sql: &str| says(sql).lines().map(str::to_owned).collect::<Vec<_>>();
        let ids = "SELECT (CASE kind WHEN 'observation' THEN 'o' WHEN 'summary' THEN 's'
                       WHEN 'prompt' THEN 'p' WHEN 'memory' THEN 'm' ELSE 'n' END) || row_id
                   FROM afterword.search_rows";
        let uids = "SELECT uid FROM afterword.tokens UNION ALL SELECT uid FROM afterword.memories
                    UNION ALL SELECT uid FROM afterword.projects
                    UNION ALL SELECT uid FROM afterword.receipts";
        let (ids, uids) = (lines(ids), lines(uids));
        assert!(ids.len() > 12 && uids.len() > 20, "{ids:?} {uids:?}");
        let of = |org: &str| {
            lines(&format!(
                "SELECT uid FROM afterword.tokens JOIN afterword.organisations USING (tenant)
                 WHERE name = '{org}'"
            ))
        };
        let each = ORGS.iter().enumerate();
        let tokens = each.flat_map(|(org, name)| of(name).into_iter().map(move |uid| (org, uid)));
        let tokens = tokens.collect();
        Self { server, database, holders, ids, uids, tokens }
    }

    fn says(&self, sql: &str) -> String {
        Postgres::locate().unwrap().run(&self.database.name, sql).unwrap()
    }

    /// What stands in every table of an organisation, but what is noted of every call.
    fn print_of(&self, org: usize, project: Option<usize>) -> String {
        let tenant =
            format!("(SELECT tenant FROM afterword.organisations WHERE name = '{}')", ORGS[org]);
        let tables = self.says(
            "SELECT c.relname || ' ' || (EXISTS (SELECT 1 FROM pg_attribute p WHERE
                 p.attrelid = c.oid AND p.attname = 'project_id'))::text
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
             WHERE c.relnamespace = 'afterword'::regnamespace AND c.relkind = 'r'
             AND c.relname NOT IN ('audit_log', 'counters', 'times', 'silence', 'tokens')
             ORDER BY 1",
        );
        let mut print = String::new();
        for line in tables.lines() {
            let (table, has_project) = line.split_once(' ').unwrap();
            let of = match project {
                Some(_) if has_project != "true" => continue,
                Some(project) => format!(
                    "AND project_id IN (SELECT id FROM afterword.projects p
                         WHERE p.tenant = t.tenant AND p.name = '{}')",
                    PROJECTS[project]
                ),
                None => String::new(),
            };
            let sql = format!(
                "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))
                 FROM afterword.{table} t WHERE tenant = {tenant} {of}"
            );
            writeln!(print, "{table} {}", self.says(&sql)).unwrap();
        }
        let tokens = format!(
            "SELECT string_agg(uid::text || role || coalesce(revoked_at::text, ''), '|' ORDER BY uid)
             FROM afterword.tokens WHERE tenant = {tenant}"
        );
        writeln!(print, "tokens {}", self.says(&tokens)).unwrap();
        print
    }
}

/// One call, made of what somebody could guess.
#[derive(Clone, Debug)]
struct Guess {
    holder: usize,
    route: usize,
    id: usize,
    uid: usize,
    number: i64,
    project: usize,
    session: usize,
    member: usize,
    wild: bool,
}

fn guesses() -> impl Strategy<Value = Guess> {
    let places = (any::<usize>(), any::<usize>(), any::<usize>(), any::<usize>());
    let rest = (0_i64..400, 0_usize..2, 0_usize..3, 0_usize..4, any::<bool>());
    (places, rest).prop_map(
        |((holder, route, id, uid), (number, project, session, member, wild))| Guess {
            holder,
            route,
            id,
            uid,
            number,
            project,
            session,
            member,
            wild,
        },
    )
}

impl Guess {
    fn body(&self, world: &World, path: &str) -> Value {
        let id = &world.ids[self.id % world.ids.len()];
        let uid = &world.uids[self.uid % world.uids.len()];
        let project = json!({ "name": PROJECTS[self.project] });
        let session = format!("s{}", self.session);
        let member = ["ann", "mia", "ray", "eve"][self.member];
        match path {
            "/api/events" => {
                let n = 50_000 + u128::try_from(self.number).unwrap();
                event(&session, PROJECTS[self.project], n)
            }
            "/api/recall/file" => json!({
                "agent": "claude-code", "agent_session_id": session, "project": project,
                "tool": "Read", "path": "src/file1.rs", "paths": ["src/file1.rs"],
            }),
            "/api/team/members" => json!({ "name": member, "role": "admin" }),
            "/api/team/tokens" => json!({ "member": member, "role": "reader" }),
            "/api/jobs/retry" | "/api/jobs/drop" => json!({ "ids": [format!("r{}", self.number)] }),
            "/api/timeline" => json!({ "anchor": id, "query": "canary", "before": 9, "after": 9 }),
            _ => {
                let mut body = json!({
                    "ids": [id, format!("m{}", self.number)], "query": "canary", "text": "canary",
                    "memory_id": uid, "filters": { "user_id": "*" }, "infer": self.wild,
                    "messages": [{ "role": "user", "content": "I like the canary." }],
                    "name": PROJECTS[self.project], "limit": 50,
                    "memories": [{ "memory_id": uid, "text": "canary" }], "memory_ids": [uid],
                    "metadata": { "project": PROJECTS[self.project] }, "feedback": "POSITIVE",
                });
                if !path.ends_with("search/") && !path.ends_with("search") {
                    body["user_id"] = "mia".into();
                }
                if self.wild {
                    body["project"] = project;
                } else if path.ends_with("/find")
                    || path == "/api/memories"
                    || path == "/api/context"
                {
                    body["project"] = json!({ "name": PROJECTS[self.project], "keys": [] });
                }
                body
            }
        }
    }

    fn path(&self, world: &World, route: &Route, org: usize) -> String {
        let id = &world.ids[self.id % world.ids.len()];
        let uid = &world.uids[self.uid % world.uids.len()];
        // What an admin may end in the own organisation would end the test.
        let strange: Vec<&String> =
            world.tokens.iter().filter(|(of, _)| *of != org).map(|(_, uid)| uid).collect();
        let uid =
            if route.path.contains("tokens") { strange[self.uid % strange.len()] } else { uid };
        let given = if self.wild { uid.clone() } else { self.number.to_string() };
        let name = if route.path.contains("entities") { "mia" } else { "eve" };
        let path = route.path.replace("{name}", name);
        let path = path.replace("{type}", "user");
        let path = match (path.find('{'), path.find('}')) {
            (Some(from), Some(to)) => format!("{}{given}{}", &path[..from], &path[to + 1..]),
            _ => path,
        };
        let project = PROJECTS[self.project];
        let number = self.number;
        // Admins of an organisation read all of it; the first page would hide the others.
        let more = format!(
            "?query=canary&anchor={id}&project={project}&project_id={number}&before=9&after=9\
             &limit=50&first_line=1&user_id=mia"
        );
        match route.path {
            "/api/export" if self.wild => "/api/export".to_owned(),
            "/api/export" => format!("/api/export?project_id={number}"),
            "/api/import" => {
                format!("/api/import?project=%7B%22name%22%3A%22{project}%22%7D")
            }
            "/api/team/audit" => format!("/api/team/audit?before={number}"),
            "/api/spend" => "/api/spend?by=project".to_owned(),
            "/api/search" if self.wild => "/api/search?query=canary&limit=100".to_owned(),
            "/api/events/stream" | "/stream" => path,
            _ if matches!(route.method, "GET" | "DELETE") => format!("{path}{more}"),
            _ => path,
        }
    }
}

fn least(access: Access) -> u8 {
    match access {
        Access::Read => 0,
        Access::Write => 1,
        _ => 2,
    }
}

/// Makes the call and holds its answer against what the token may.
fn try_one(
    world: &World,
    routes: &[Route],
    guess: &Guess,
    holder: &Holder,
) -> Result<(), TestCaseError> {
    let route = &routes[guess.route % routes.len()];
    let path = guess.path(world, route, holder.org);
    let body = if route.method == "GET" { Value::Null } else { guess.body(world, route.path) };
    let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let answer = holder.client.ask(route.method, &path, &sent);
    let told =
        format!("{holder:?} {} {path} {body}: {} {}", route.method, answer.status, answer.body);
    prop_assert!(answer.status != 0 && answer.status < 500, "{told}");
    for (org, name) in ORGS.iter().enumerate() {
        for project in 0..PROJECTS.len() {
            let own = org == holder.org && holder.project.is_none_or(|bound| bound == project);
            if !own || holder.rank.is_none() {
                prop_assert!(!answer.body.contains(&mark(org, project)), "{name}: {told}");
            }
        }
    }
    let bound_to_less = holder.project.is_some() && least(route.access) == 2;
    match holder.rank {
        None => prop_assert_eq!(answer.status, 401, "{}", told),
        Some(rank) if rank < least(route.access) || bound_to_less => {
            prop_assert_eq!(answer.status, 403, "{}", told);
        }
        Some(_) => prop_assert!(answer.status != 401, "{}", told),
    }
    Ok(())
}

/// Tries many calls of some holders.
fn attack(world: &World, holders: &[&Holder]) {
    let routes = team::routes();
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let tried = runner.run(&guesses(), |guess| {
        try_one(world, &routes, &guess, holders[guess.holder % holders.len()])
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
}

#[test]
fn nothing_crosses_organisations_projects_or_roles_on_any_route() {
    let Some(database) = database() else { return };
    let world = World::new(database);
    let of = |wanted: &dyn Fn(&Holder) -> bool| -> Vec<&Holder> {
        world.holders.iter().filter(|holder| wanted(holder)).collect()
    };
    // What is looked for can be found: by whoever may.
    for holder in of(&|holder| holder.rank.is_some()) {
        let found = holder.client.get("/api/search?query=canary&limit=100").body;
        for (project, name) in PROJECTS.iter().enumerate() {
            let may = holder.project.is_none_or(|bound| bound == project);
            assert_eq!(
                found.contains(&mark(holder.org, project)),
                may,
                "{holder:?} {name}: {found}"
            );
        }
    }
    // Readers, and tokens that count no more, change nothing anywhere.
    let everything = || (0..ORGS.len()).map(|org| world.print_of(org, None)).collect::<String>();
    let before = everything();
    attack(&world, &of(&|holder| holder.rank.is_none_or(|rank| rank == 0)));
    assert_eq!(everything(), before, "a reader changed something");
    // A token of one project changes nothing of another one.
    let before = world.print_of(0, Some(1));
    attack(&world, &of(&|holder| holder.org == 0 && holder.project.is_some()));
    assert_eq!(world.print_of(0, Some(1)), before, "a bound token changed another project");
    // Nobody changes anything of another organisation.
    for (org, name) in ORGS.iter().enumerate() {
        let others = || {
            let others = (0..ORGS.len()).filter(|other| *other != org);
            others.map(|other| world.print_of(other, None)).collect::<String>()
        };
        let before = others();
        attack(&world, &of(&|holder| holder.org == org && holder.project.is_none()));
        assert_eq!(others(), before, "{name} changed something of another one");
    }
    // Live events from the beginning, up to one of one's own.
    for holder in &world.holders {
        let Some(_) = holder.rank else { continue };
        let mut follower = holder.client.follow_from("/stream?last_event_id=0");
        let admin = world.server.issue(ORGS[holder.org], "ann", "admin", &[]);
        let last = format!("last {}", mark(holder.org, 0));
        let text = format!("The canary says {last} {}", holder.client.token.len());
        remember(&admin, &format!("{text} {}", &holder.client.token[4..12]), "shop");
        let own = &holder.client.token[4..12];
        let mut seen = String::new();
        let end = follower.until(|line| {
            seen.push_str(line);
            line.contains(own)
        });
        assert!(end.is_some());
        for org in 0..ORGS.len() {
            for project in 0..PROJECTS.len() {
                let theirs = org != holder.org || holder.project.is_some_and(|p| p != project);
                assert!(!theirs || !seen.contains(&mark(org, project)), "{holder:?}: {seen}");
            }
        }
    }
}
