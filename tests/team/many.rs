//! Several servers on one database, and the end of one of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use afterword_testkit::{Database, Postgres, eventually};

use super::client::Client;
use super::server::{Server, database};
use super::{event, found, prompt, remember, stop};

const DEADLINE: Duration = Duration::from_mins(2);

fn says(database: &Database, sql: &str) -> String {
    Postgres::locate().unwrap().run(&database.name, sql).unwrap()
}

/// Waits until everything is distilled; a test that ends has seen no job twice.
fn settled(database: &Database) {
    let open = "SELECT (SELECT count(*) FROM afterword.events WHERE state <> 'distilled')
                     + (SELECT count(*) FROM afterword.jobs)";
    eventually("everything distilled", DEADLINE, || (says(database, open) == "0").then_some(()));
}

/// What is told twice where two have worked on one turn.
const TWICE: &str = "SELECT count(*) FROM (
    SELECT session_id, prompt_number, title FROM afterword.observations
    GROUP BY 1, 2, 3 HAVING count(*) > 1) twice";

/// A whole turn of a session.
fn turn(client: &Client, session: &str, begin: u128) {
    let text = format!("Sort the queue of {session}");
    for body in [
        prompt(session, "shop", begin, &text),
        event(session, "shop", begin + 1),
        stop(session, "shop", begin + 2),
    ] {
        let answer = client.post("/api/events", &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

#[test]
fn what_happens_on_one_server_is_told_on_the_other_at_once() {
    let Some(database) = database() else { return };
    let here = Server::on(&database);
    let there = Server::on(&database);
    let admin = here.admin();
    let mut follower = Client { port: there.port, ..admin.clone() }.follow();
    follower.until(|line| line.contains("initial_load")).unwrap();
    // Of another organisation nothing is heard.
    let eve = here.issue("elsewhere", "eve", "admin", &[]);
    remember(&eve, "A zebra elsewhere", "zoo");
    let begun = Instant::now();
    remember(&admin, "A giraffe here", "zoo");
    let told = follower.until(|line| line.contains("giraffe") || line.contains("zebra")).unwrap();
    assert!(told.contains("giraffe"), "{told}");
    // Well before anybody would look by itself.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // Events of a hook are distilled although nobody asks, and that is told too.
    turn(&admin, "s1", 100);
    follower.until(|line| line.contains("Sort the queue of s1")).unwrap();
    settled(&database);
}

#[test]
fn two_servers_share_the_work_and_do_no_turn_twice() {
    let Some(database) = database() else { return };
    let servers = [Server::on(&database), Server::on(&database)];
    let admin = servers[0].admin();
    let mut others = vec![admin.clone()];
    others.push(servers[0].issue("second", "eve", "admin", &[]));
    std::thread::scope(|scope| {
        for n in 0..4_u16 {
            let client = &others[usize::from(n) % 2];
            let port = servers[usize::from(n) / 2].port;
            let client = Client { port, ..client.clone() };
            scope.spawn(move || {
                for turns in 0..5 {
                    let begin = u128::from(n) * 1_000 + turns * 10;
                    turn(&client, &format!("s{n}"), begin);
                }
            });
        }
    });
    settled(&database);
    assert_eq!(says(&database, "SELECT count(*) FROM afterword.events"), "60");
    assert_eq!(says(&database, TWICE), "0");
    let turns = "SELECT count(*) FROM afterword.session_summaries WHERE level = 'turn'";
    assert_eq!(says(&database, turns), "20");
    assert!(found(&admin, "queue").iter().any(|text| text.contains("s0")));
    assert!(found(&admin, "queue").iter().all(|text| !text.contains("s1")), "another's");
}

/// Sends turns until the server does not answer any more; the numbers of events that it took.
fn pour(client: &Client, lane: u128, over: &AtomicBool) -> Vec<u128> {
    let mut taken = Vec::new();
    for n in lane * 100_000.. {
        if over.load(Ordering::Acquire) {
            return taken;
        }
        let session = format!("lane{lane}-{}", n / 20);
        if client.post("/api/events", &event(&session, "shop", n)).status == 200 {
            taken.push(n);
        } else {
            over.store(true, Ordering::Release);
        }
    }
    unreachable!("numbers do not end")
}

#[test]
fn a_server_that_is_asked_to_end_under_load_loses_nothing() {
    let Some(database) = database() else { return };
    let mut server = Server::on(&database);
    let admin = server.admin();
    let mut follower = admin.follow();
    follower.until(|line| line.contains("initial_load")).unwrap();
    let over = AtomicBool::new(false);
    let taken: Vec<u128> = std::thread::scope(|scope| {
        let lanes = [1, 2, 3].map(|lane| {
            let (admin, over) = (&admin, &over);
            scope.spawn(move || pour(admin, lane, over))
        });
        eventually("some events", DEADLINE, || {
            let count: u64 =
                says(&database, "SELECT count(*) FROM afterword.events").parse().unwrap();
            (count > 50).then_some(())
        });
        server.ask_to_end();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    let begun = Instant::now();
    assert!(server.ended(), "a good end: {}", server.log());
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(follower.until(|line| line.contains("never")), None, "watchers are let go");
    // Nothing that was answered is missing, and nothing is claimed by whoever has gone.
    let stored: usize = says(&database, "SELECT count(*) FROM afterword.events").parse().unwrap();
    assert!(stored >= taken.len(), "{stored} of {}", taken.len());
    let claimed = "SELECT count(*) FROM afterword.jobs WHERE state = 'claimed'";
    assert_eq!(says(&database, claimed), "0");
    // Another one goes on; what is sent again is known again.
    let other = Server::on(&database);
    let admin = Client { port: other.port, ..admin };
    for n in taken.iter().take(20) {
        let session = format!("lane{}-{}", n / 100_000, n / 20);
        let answer = admin.post("/api/events", &event(&session, "shop", *n)).json();
        assert_eq!(answer["outcome"]["status"], "duplicate", "{answer}");
    }
    settled(&database);
    assert_eq!(says(&database, "SELECT count(*) FROM afterword.events"), stored.to_string());
    assert_eq!(says(&database, TWICE), "0");
}

#[test]
fn a_server_that_is_killed_leaves_its_work_to_the_others() {
    let Some(database) = database() else { return };
    let mut first = Server::on(&database);
    let second = Server::on(&database);
    let admin = first.admin();
    for n in 0..10 {
        turn(&admin, &format!("s{n}"), n * 10);
    }
    first.kill();
    settled(&database);
    let admin = Client { port: second.port, ..admin };
    assert!(!found(&admin, "queue").is_empty());
    assert_eq!(says(&database, TWICE), "0");
}
