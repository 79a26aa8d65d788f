//! A day with a hostile provider, end to end: the hook's binary, the daemon, and the real Claude Code
//! as the observer, against a stub that answers as badly as it can.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use afterword_store::sqlite::faults::Faults;
use afterword_testkit::{
    ClaudeCode, Heard, ModelStub, Outcome, Payload, ProviderStub, Reply, Sandbox, Turn, eventually,
    setting,
};
use serde_json::Value;

/// How much is done.
#[derive(Clone, Copy, Debug)]
struct Size {
    sessions: usize,
    /// In each session.
    turns: usize,
    /// Tool calls in each turn.
    calls: usize,
    /// Bounds a broken run.
    patience: Duration,
}

impl Size {
    const fn tool_calls(self) -> usize {
        self.sessions * self.turns * self.calls
    }
}

/// What a turn's questions are answered with: by its number, ever the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    Good,
    NoUse,
    /// Garbage, whenever it is asked.
    Garbage,
    GarbageOnce,
    Torn,
    TooOften,
    ServerTrouble,
    /// It will not, in prose.
    Refuses,
    Hangs,
    /// Cut at its limit, in the middle of a block.
    Cut,
}

const MANNERS: [Manner; 10] = [
    Manner::Good,
    Manner::Garbage,
    Manner::Torn,
    Manner::TooOften,
    Manner::ServerTrouble,
    Manner::Refuses,
    Manner::NoUse,
    Manner::Hangs,
    Manner::GarbageOnce,
    Manner::Cut,
];

impl Manner {
    fn of(turn: usize) -> Self {
        MANNERS[turn % MANNERS.len()]
    }

    /// Whether nothing will ever come of the turn.
    const fn is_poison(self) -> bool {
        matches!(self, Self::Garbage | Self::Refuses)
    }
}

/// What the provider was asked, and what it says it charged for.
#[derive(Debug, Default)]
struct Books {
    tries: BTreeMap<usize, usize>,
    charged: u64,
}

fn good(what: &str) -> String {
    format!(
        "<observation><type>change</type><title>{what} was read</title>\
         <narrative>It was told.</narrative><evidence>2</evidence></observation>\
         <summary><request>{what}</request><completed>{what} is done</completed></summary>"
    )
}

/// The turn that a question is about; none for a whole session's.
fn turn_asked(heard: &Heard) -> Option<usize> {
    // What the program adds of its own behind a question is none.
    let messages = heard.body["messages"].as_array()?.iter().rev();
    let mut texts = messages.map(|message| message["content"].to_string());
    let asked = texts.find(|text| text.contains("<turn>") || text.contains("<session>"))?;
    let turn = asked.split("<turn>").nth(1)?;
    turn.split("turn-").nth(1)?.get(..4)?.parse().ok()
}

fn reply(books: &Mutex<Books>, heard: &Heard) -> Reply {
    const USED: (u64, u64) = (900, 60);
    let mut books = books.lock().unwrap();
    let Some(turn) = turn_asked(heard) else {
        books.charged += USED.0 + USED.1;
        return Reply::text(&good("the session")).costing(USED.0, USED.1);
    };
    let tries = books.tries.entry(turn).or_default();
    *tries += 1;
    let first = *tries == 1;
    let name = format!("turn-{turn:04}");
    let (reply, charges) = match Manner::of(turn) {
        Manner::Garbage => (Reply::text("0x7f lorem {{{ ipsum"), true),
        Manner::GarbageOnce if first => (Reply::text("{\"garbage\": [1, 2"), true),
        Manner::Torn if first => (Reply::text(&good(&name)).torn(), false),
        Manner::TooOften if first => {
            (Reply::error(429, "rate_limit_error", "slow down").retry_after(1), false)
        }
        Manner::ServerTrouble if first => (Reply::error(500, "api_error", "oops"), false),
        Manner::Refuses => (Reply::text("I'm sorry, but I can't help with that."), true),
        Manner::Hangs if first => (Reply::hangs(), false),
        Manner::NoUse => return Reply::text(&good(&name)).without_usage(),
        Manner::Cut => {
            let half = good(&name);
            (Reply::cut(&half[..half.len() - 40]), true)
        }
        _ => (Reply::text(&good(&name)), true),
    };
    books.charged += if charges { USED.0 + USED.1 } else { 0 };
    reply.costing(USED.0, USED.1)
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.display().to_string());
        }
    }
    found
}

/// The stage: a person with Claude Code, our hooks, and a hostile provider.
struct Day {
    sandbox: Sandbox,
    client: ClaudeCode,
    stub: ProviderStub,
    books: Arc<Mutex<Books>>,
    size: Size,
    /// Files of the person's own sessions.
    own: BTreeSet<String>,
    /// Events that hooks were given.
    sent: u64,
}

impl Day {
    fn begin(size: Size) -> Option<Self> {
        let client = ClaudeCode::locate_or_skip()?;
        let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_afterword"));
        drop(sandbox.afterword(&["install", "claude-code"]).success());
        let person = ModelStub::start();
        person.script("talk", [Turn::text("Hello.")]);
        client.ask(&sandbox, &person, "hello [[script:talk]]", &[]);
        let stub = ProviderStub::start();
        let books = Arc::new(Mutex::new(Books::default()));
        let kept = Arc::clone(&books);
        stub.choose(move |heard| reply(&kept, heard));
        let own = files(&sandbox.home().join(".claude/projects"));
        assert!(!own.is_empty(), "there is a list to keep");
        let mut day = Self { sandbox, client, stub, books, size, own, sent: 0 };
        day.sandbox.wait_for_status("the person's session", |status| status["spooled"] == 0);
        day.sent = day.status()["received"].as_u64().unwrap();
        Some(day)
    }

    /// Starts the daemon anew with a cap.
    fn with_cap(&self, daily_tokens: u64) {
        let (program, url) = (self.client.program().display(), self.stub.url());
        let config = format!(
            "[provider]\nkind = \"claude-cli\"\ncommand = \"{program}\"\nurl = \"{url}\"\n\
             api_key = \"sk-ant-dummy\"\nmodel = \"claude-haiku-4-5\"\ntimeout_seconds = 4\n\
             daily_tokens = {daily_tokens}\nsession_tokens = {daily_tokens}\nbacklog = {daily_tokens}\n"
        );
        fs::write(self.sandbox.data().join("config.toml"), config).unwrap();
        drop(self.sandbox.afterword(&["daemon", "restart"]).success());
    }

    fn status(&self) -> Value {
        self.sandbox.afterword(&["status", "--json"]).success().json()
    }

    fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let pause = Duration::from_millis(200);
        eventually(what, self.size.patience, || {
            std::thread::sleep(pause);
            Some(self.status()).filter(|status| wanted(status))
        })
    }

    /// Plays sessions through the hook's own process, four at a time, each in its own order.
    fn play(&mut self, first: usize, sessions: usize, turns: usize, calls: usize) {
        let sandbox = &self.sandbox;
        let numbers: Vec<usize> = (0..sessions).collect();
        std::thread::scope(|scope| {
            for lane in 0..4 {
                let mine: Vec<usize> = numbers.iter().copied().filter(|n| n % 4 == lane).collect();
                scope.spawn(move || {
                    for session in mine {
                        play_session(sandbox, first, session, turns, calls);
                    }
                });
            }
        });
        self.sent += (sessions * (2 + turns * (2 + calls))) as u64;
    }
}

fn play_session(sandbox: &Sandbox, first: usize, session: usize, turns: usize, calls: usize) {
    let id = format!("session-{first}-{session}");
    let send = |payload: Payload| drop(sandbox.send(&payload.session(&id)).success());
    send(Payload::session_start("startup"));
    for turn in (0..turns).map(|turn| first + session * turns + turn) {
        let name = format!("turn-{turn:04}");
        send(Payload::prompt(&format!("Please carry out {name} and say what came of it")));
        for call in 0..calls {
            let command = format!("./step --of {name} --number {call}");
            send(match call % 3 {
                0 => Payload::edit(&format!("src/{name}.rs"), &call.to_string(), "new line"),
                1 => Payload::bash(&command, &Outcome::failed(1, "not yet")),
                _ => Payload::bash(&command, &Outcome::ok("fine")),
            });
        }
        send(Payload::stop(&format!("{name} is carried out.")));
    }
    send(Payload::session_end("other"));
}

/// What came of a day.
struct Outcomes {
    tool_calls: usize,
    turns: usize,
    model_calls: usize,
    read: u64,
    parked: u64,
    tokens: u64,
    charged: u64,
    cap: u64,
    /// What was spent of it in the end.
    used: u64,
    seconds: u64,
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} tool calls in {} turns: {} model calls, {} turns and sessions read, {} given up; \
             {} tokens in the ledger, {} that the provider told of; {} of a cap of {} used; {} s",
            self.tool_calls,
            self.turns,
            self.model_calls,
            self.read,
            self.parked,
            self.tokens,
            self.charged,
            self.used,
            self.cap,
            self.seconds
        )
    }
}

fn live(size: Size) -> Option<Outcomes> {
    let begun = Instant::now();
    let mut day = Day::begin(size)?;
    let turns = size.sessions * size.turns;
    day.with_cap(50_000_000);
    day.play(0, size.sessions, size.turns, size.calls);
    let status = day.wait("everything read or given up", |status| {
        status["spooled"] == 0 && status["waiting"] == 0 && status["model"]["waiting"] == 0
    });

    // Poison is isolated: everything else was read, and what it rests on is there.
    let poison = (0..turns).filter(|turn| Manner::of(*turn).is_poison()).count() as u64;
    assert_eq!(status["model"]["parked"], poison, "{status}");
    assert_eq!(status["model"]["done"], (turns + size.sessions) as u64 - poison, "{status}");
    let (payloads, _) = Faults::of(&day.sandbox.data().join("afterword.db")).payloads();
    assert!(payloads >= size.tool_calls() as u64, "{payloads} raw events are kept");
    for turn in (0..turns).take(MANNERS.len()) {
        let name = format!("turn-{turn:04}");
        let found = day.sandbox.afterword(&["search", &name, "--json"]).success().json();
        let read = found.to_string().contains(&format!("{name} was read"));
        assert_eq!(read, !Manner::of(turn).is_poison(), "{name}: {found}");
        assert!(found["total"].as_u64().unwrap() > 0, "{name} is told by rules");
    }
    let most = day.books.lock().unwrap().tries.values().copied().max();
    assert!(most.is_some_and(|most| most <= 3), "no turn is asked for more than three times");

    // No recursion: what came in is what was sent, and nobody has started a session.
    assert_eq!(status["received"].as_u64(), Some(day.sent), "{status}");
    assert_eq!(files(&day.sandbox.home().join(".claude/projects")), day.own);

    // Never less than what the provider charged for.
    let tokens = status["spend"]["tokens_today"].as_u64().unwrap();
    let charged = day.books.lock().unwrap().charged;
    assert!(tokens >= charged, "{tokens} in the ledger, {charged} charged");
    let model_calls = day.stub.count();
    let (read, parked) = (status["model"]["done"].as_u64(), poison);
    let (cap, used) = at_the_cap(&mut day, turns, tokens);
    Some(Outcomes {
        tool_calls: size.tool_calls(),
        turns,
        model_calls,
        read: read.unwrap(),
        parked,
        tokens,
        charged,
        cap,
        used,
        seconds: begun.elapsed().as_secs(),
    })
}

/// A cap that is nearly used up lets calls through as long as the most that they can use fits in, and
/// then none, whoever asks for it. Returns the cap, and what was spent in the end.
fn at_the_cap(day: &mut Day, first: usize, spent: u64) -> (u64, u64) {
    day.stub.choose(|_| Reply::text(&good("at the cap")).without_usage());
    // Every question sets aside some 45,000, and is charged with it where nobody says what it used.
    let cap = spent + 150_000;
    day.with_cap(cap);
    let before = day.stub.count();
    let sessions = 3;
    // Numbers whose manner does not matter any more.
    day.play(first, sessions, 3, 2);
    let status = day.wait("the cap to be reached", |status| {
        status["spooled"] == 0 && status["waiting"] == 0 && !status["spend"]["stopped"].is_null()
    });
    let calls = day.stub.count() - before;
    let used = status["spend"]["tokens_today"].as_u64().unwrap();
    assert!(used <= cap, "{used} of {cap}");
    assert!(calls > 0, "there was room for some");
    let each = (used - spent) / calls as u64;
    assert!(cap - used < 2 * each, "and there is none for another: {used} of {cap}, {each} each");
    assert!(status["model"]["waiting"].as_u64().unwrap() > 0, "the rest waits: {status}");
    drop(day.sandbox.afterword(&["jobs", "retry"]).success());
    let status = day.wait("the cap to hold", |status| !status["model"]["held"].is_null());
    assert!(status["spend"]["tokens_today"].as_u64().unwrap() <= cap);
    assert_eq!(status["received"].as_u64(), Some(day.sent), "{status}");
    assert_eq!(files(&day.sandbox.home().join(".claude/projects")), day.own);
    (cap, status["spend"]["tokens_today"].as_u64().unwrap())
}

#[test]
fn i1_a_hostile_provider_costs_no_more_than_the_cap_and_spoils_nothing() {
    let size = Size { sessions: 2, turns: 5, calls: 9, patience: Duration::from_mins(5) };
    live(size);
}

/// Goes on for minutes, so only where `cargo xtask soak` asks for it.
#[test]
#[expect(clippy::print_stdout, reason = "a long run tells what it did")]
fn soak_hostile_provider() {
    let Some(calls) = setting("SOAK_HOSTILE") else { return };
    let calls = usize::try_from(calls).unwrap();
    let size = Size {
        sessions: (calls / 200).max(1),
        turns: 10,
        calls: 20,
        patience: Duration::from_hours(1),
    };
    if let Some(outcomes) = live(size) {
        println!("{outcomes}");
    }
}
