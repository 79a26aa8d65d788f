//! From an empty database to members with roles, and the ends of tokens.

use serde_json::{Value, json};

use super::server::{Server, database};
use super::{event, found, remember};

#[test]
fn the_first_start_prints_one_token_and_a_second_member_finds_what_the_first_has_said() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let admin = server.admin();
    let me = admin.get("/api/team/me").json();
    assert_eq!((&me["organisation"], &me["role"]), (&json!("default"), &json!("admin")));
    // Another server on the same database makes none.
    let other = Server::on(&database);
    assert_eq!(other.first_token, None);

    remember(&admin, "The staging database is refreshed on Sundays", "shop");
    let member = json!({ "name": "bob", "role": "member" });
    assert_eq!(admin.post("/api/team/members", &member).status, 200);
    let made = admin.post("/api/team/tokens", &json!({ "member": "bob" }));
    assert_eq!(made.status, 201, "{}", made.body);
    let bob = admin.with(made.json()["token"].as_str().unwrap());
    assert!(found(&bob, "staging+database")[0].contains("Sundays"));
    assert!(found(&bob.with(&bob.token), "refreshed")[0].contains("Sundays"));

    // No secret is told again, in whichever list or log.
    let secrets = [&admin.token, &bob.token];
    let told = [
        admin.get("/api/team/tokens").body,
        admin.get("/api/team/audit").body,
        server.token(&["list"], &[]).to_string(),
        server.log(),
    ];
    for secret in secrets {
        assert!(told.iter().all(|text| !text.contains(secret.as_str())));
    }
    let tokens = admin.get("/api/team/tokens").json();
    assert_eq!(tokens["tokens"].as_array().unwrap().len(), 2);
    let audit = admin.get("/api/team/audit").json();
    let entries = audit["entries"].as_array().unwrap();
    let actions: Vec<&str> = entries.iter().map(|e| e["action"].as_str().unwrap()).collect();
    for action in ["token.create", "member.set", "POST /api/memories"] {
        assert!(actions.contains(&action), "{actions:?}");
    }
    assert!(entries.iter().all(|e| e["address"] == "127.0.0.1" && e["member"] == "admin"));
    assert!(!audit.to_string().contains("Sundays"), "no texts");
}

#[test]
fn every_way_of_showing_a_token_opens_and_nothing_else_does() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let admin = server.admin();
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let asked = |header: &str| admin.raw("GET", "/api/team/me", &format!("{host}{header}"), b"");
    let token = &admin.token;
    for header in [
        format!("Authorization: Bearer {token}\r\n"),
        format!("Authorization: Token {token}\r\n"),
        format!("X-API-Key: {token}\r\n"),
        format!("X-Auth-Token: static:{token}\r\n"),
    ] {
        assert_eq!(asked(&header).status, 200, "{header}");
    }
    let slip = format!("{}x", &token[..token.len() - 1]);
    for header in [
        String::new(),
        format!("Authorization: Bearer {slip}\r\n"),
        format!("Authorization: Basic {token}\r\n"),
        "X-API-Key: awt_\r\n".to_owned(),
        format!("Cookie: token={token}\r\n"),
    ] {
        let answer = asked(&header);
        answer.refused(401, "unauthorized");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    // Of the request's own id, and of one that cannot be written into a log.
    let with_id = asked(&format!("Authorization: Bearer {token}\r\nX-Request-ID: my-id:1\r\n"));
    assert_eq!(with_id.headers["x-request-id"], "my-id:1");
    assert!(server.log().contains("my-id:1"));
    let odd = asked(&format!("Authorization: Bearer {token}\r\nX-Request-ID: {{\"a\": 1}}\r\n"));
    assert_eq!(odd.headers["x-request-id"].len(), 32);
    // Neither pages of others nor strangers' names.
    let foreign = format!("Authorization: Bearer {token}\r\nOrigin: https://evil.example\r\n");
    asked(&foreign).refused(403, "forbidden");
    admin
        .raw("GET", "/api/team/me", &format!("Authorization: Bearer {token}\r\n"), b"")
        .refused(403, "forbidden");
}

#[test]
fn roles_bind_at_every_door_of_memories_and_accounts() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let admin = server.admin();
    let member = server.issue("default", "mia", "member", &[]);
    let reader = server.issue("default", "ray", "reader", &[]);
    let told = remember(&member, "Releases are cut on Tuesdays", "shop");
    assert!(found(&reader, "releases")[0].contains("Tuesdays"));

    let text = json!({ "text": "planted", "project": { "name": "shop" } });
    reader.post("/api/memories", &text).refused(403, "forbidden");
    reader.post("/api/forget", &json!({ "ids": [told] })).refused(403, "forbidden");
    reader.post("/api/events", &event("s", "shop", 1)).refused(403, "forbidden");
    assert_eq!(found(&reader, "planted"), [""; 0]);
    assert_eq!(found(&reader, "releases").len(), 1, "nothing was forgotten");

    for low in [&reader, &member] {
        low.get("/api/team/tokens").refused(403, "forbidden");
        low.get("/api/team/audit").refused(403, "forbidden");
        low.get("/api/export").refused(403, "forbidden");
        let more = json!({ "name": "mia", "role": "admin" });
        low.post("/api/team/members", &more).refused(403, "forbidden");
        low.post("/api/team/tokens", &json!({ "member": "admin" })).refused(403, "forbidden");
    }
    assert_eq!(member.post("/api/forget", &json!({ "ids": [told] })).status, 200);
    assert_eq!(admin.get("/api/export").status, 200);

    // Who may less from now on takes the tokens along, and somebody stays admin.
    let less = json!({ "name": "mia", "role": "reader" });
    assert_eq!(admin.post("/api/team/members", &less).status, 200);
    member.post("/api/memories", &text).refused(403, "forbidden");
    let last = json!({ "name": "admin", "role": "reader" });
    admin.post("/api/team/members", &last).refused(409, "conflict");
    admin.delete("/api/team/members/admin").refused(409, "conflict");
    let above = json!({ "member": "ray", "role": "admin" });
    admin.post("/api/team/tokens", &above).refused(409, "conflict");
    admin.post("/api/team/tokens", &json!({ "member": "eve" })).refused(404, "not_found");
    assert_eq!(admin.delete("/api/team/members/ray").status, 204);
    reader.get("/api/team/me").refused(401, "unauthorized");
    // What was refused is told to admins, with who it was.
    let audit = admin.get("/api/team/audit?limit=1000").json();
    let refused = |e: &&Value| e["member"] == "ray" && e["status"] == 403;
    assert!(audit["entries"].as_array().unwrap().iter().filter(refused).count() >= 3, "{audit}");
    let page = admin.get("/api/team/audit?limit=2").json();
    let next = page["next"].as_i64().unwrap();
    let rest = admin.get(&format!("/api/team/audit?limit=2&before={next}")).json();
    assert!(rest["entries"][0]["id"].as_i64().unwrap() < next);
    admin.get("/api/team/audit?limit=0").refused(400, "invalid");
}

#[test]
fn a_token_ends_when_it_is_revoked_on_every_server_or_when_its_time_is_over() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let other = Server::on(&database);
    let admin = server.admin();
    let order = ["create", "--org", "default", "--member", "bob", "--role", "member"];
    let made = server.token(&order, &["--expires-days", "1"]);
    let bob = admin.with(made["token"].as_str().unwrap());
    let there = super::Client { port: other.port, ..bob.clone() };
    assert_eq!((bob.get("/api/team/me").status, there.get("/api/team/me").status), (200, 200));
    let revoked = server.token(&["revoke", made["id"].as_str().unwrap()], &[]);
    assert_eq!(revoked["revoked"], true);
    // Both had believed it a moment ago; they hear of it.
    for client in [&bob, &there] {
        let gone = || (client.get("/api/team/me").status == 401).then_some(());
        afterword_testkit::eventually("a refusal", std::time::Duration::from_secs(4), gone);
        assert!(client.get("/api/team/me").body.contains("revoked"));
    }
    let made = server.token(&order, &["--expires-days", "1"]);
    let bob = admin.with(made["token"].as_str().unwrap());
    let id = made["id"].as_str().unwrap();
    let past = format!("UPDATE afterword.tokens SET expires_at = 1 WHERE uid = '{id}'");
    afterword_testkit::Postgres::locate().unwrap().run(&database.name, &past).unwrap();
    let answer = bob.get("/api/team/me");
    answer.refused(401, "unauthorized");
    assert!(answer.body.contains("expired"), "{}", answer.body);
    // By its id over HTTP too, and only one's own organisation's.
    let eve = server.issue("elsewhere", "eve", "admin", &[]);
    let own = server.token(&order, &[]);
    let path = format!("/api/team/tokens/{}", own["id"].as_str().unwrap());
    eve.delete(&path).refused(404, "not_found");
    assert_eq!(admin.with(own["token"].as_str().unwrap()).get("/api/team/me").status, 200);
    assert_eq!(admin.delete(&path).status, 204);
    admin.with(own["token"].as_str().unwrap()).get("/api/team/me").refused(401, "unauthorized");
    admin.delete("/api/team/tokens/nonsense").refused(400, "invalid");
}

#[test]
fn a_token_of_one_project_sees_no_other() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let admin = server.admin();
    let secret = remember(&admin, "The vault key rotates hourly", "vault");
    remember(&admin, "The shop key opens at nine", "shop");
    let bound = server.issue("default", "sam", "admin", &["--project", "shop"]);
    assert_eq!(bound.get("/api/team/me").json()["project"], "shop");
    let seen = found(&bound, "key");
    assert!(seen.len() == 1 && seen[0].contains("nine"), "{seen:?}");
    assert_eq!(bound.get("/api/search?query=key&project=vault").json()["results"], json!([]));
    let projects = bound.get("/api/projects").json();
    assert_eq!(projects["projects"], json!(["shop"]));
    let rows = bound.post("/api/rows", &json!({ "ids": [secret] })).body;
    assert!(!rows.contains("hourly"), "{rows}");
    let forgotten = bound.post("/api/forget", &json!({ "ids": [secret] })).json();
    assert_eq!(forgotten["forgotten"], json!([]));
    let text = json!({ "text": "planted", "project": { "name": "vault" } });
    bound.post("/api/memories", &text).refused(404, "not_found");
    let new = json!({ "text": "planted", "project": { "name": "new" } });
    bound.post("/api/memories", &new).refused(404, "not_found");
    bound.post("/api/events", &event("s", "vault", 1)).refused(404, "not_found");
    let context = bound.post("/api/context", &json!({ "project": { "name": "vault" } })).body;
    assert!(!context.contains("hourly"), "{context}");
    // What is of all projects is not theirs, whatever their role.
    bound.get("/api/export").refused(403, "forbidden");
    bound.get("/api/team/tokens").refused(403, "forbidden");
    remember(&bound, "The shop closes at six", "shop");
    assert_eq!(found(&admin, "key").len(), 2);
    assert_eq!(found(&admin, "closes").len(), 1);
}
