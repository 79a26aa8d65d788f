//! The daemon, its database, its queue, the spool and what it gives.

use std::time::{Duration, Instant};

use afterword_domain::amounts::{counted, grouped};
use afterword_domain::wire::context::{BLOCK_BUDGET, ContextBlock};
use afterword_domain::wire::status::Status;
use serde::Deserialize;

use super::check::Check;
use crate::cli::door::Door;
use crate::cli::{Tools, project};
use crate::client::http;
use crate::config::file::ObserverAuth;

#[derive(Debug, Deserialize)]
struct Problems {
    problems: Vec<String>,
}

/// The daemon, its database, its queue and the spool; and where everything stands, if it says so.
pub(super) fn daemon(tools: &Tools) -> (Vec<Check>, Option<Status>) {
    let door = match Door::open(tools) {
        Ok(door) => door,
        Err(error) => {
            let log = tools.config.home.logs().join("daemon.log");
            let see = format!("see {}", log.display());
            return (vec![Check::bad("daemon", format!("{error:#}"), see)], None);
        }
    };
    let mut checks = Vec::new();
    checks.push(match door.client().ping() {
        Ok(ping) if ping.version == env!("CARGO_PKG_VERSION") => {
            Check::good("daemon", format!("answers on port {}", door.client().port()))
        }
        Ok(ping) => Check::bad(
            "daemon",
            format!("runs version {}, this is {}", ping.version, env!("CARGO_PKG_VERSION")),
            "afterword daemon restart",
        ),
        Err(error) => Check::bad("daemon", error.to_string(), "afterword daemon restart"),
    });
    checks.push(match door.get::<Problems>("/api/check") {
        Ok(Problems { problems }) if problems.is_empty() => {
            Check::good("database", "whole; index and counters agree with the rows")
        }
        Ok(Problems { problems }) => Check::bad(
            "database",
            problems.join("; "),
            "keep a copy: afterword export --out backup.jsonl; then see docs/guide/repair.md",
        ),
        Err(error) => Check::bad("database", format!("{error:#}"), "afterword daemon restart"),
    });
    checks.push(token(tools, &door));
    let status = match door.get::<Status>("/api/stats") {
        Ok(status) => {
            checks.extend(counts(tools, &door, &status));
            checks.push(meaning(tools, &status));
            Some(status)
        }
        Err(error) => {
            checks.push(Check::bad("counts", format!("{error:#}"), "afterword daemon restart"));
            None
        }
    };
    checks.extend(context(tools, &door));
    (checks, status)
}

/// Whether a stranger is turned away.
fn token(tools: &Tools, door: &Door) -> Check {
    let request = http::Request {
        method: "GET",
        path: "/api/stats",
        token: Some("a stranger's"),
        body: None,
        answer_limit: 64 * 1024,
        last: true,
    };
    let deadline = Instant::now() + Duration::from_secs(2);
    let answer = http::Connection::open(door.client().port(), deadline)
        .and_then(|mut connection| connection.exchange(&request));
    match answer.map(|answer| answer.status) {
        Ok(401) if tools.config.file.api.observer_auth == ObserverAuth::Off => {
            Check::good("token", "wanted, except at the observer door, which you have opened")
        }
        Ok(401) => Check::good("token", "strangers are turned away"),
        Ok(status) => Check::bad(
            "token",
            format!("a stranger was answered with status {status}"),
            "afterword daemon restart; if it stays, please report it",
        ),
        Err(_) => Check::bad("token", "a stranger was not answered", "afterword daemon restart"),
    }
}

/// Whether the block for this folder is within its budget and the same twice.
fn context(tools: &Tools, door: &Door) -> Option<Check> {
    let here = project::here(tools, None).ok()?;
    let ask = || door.post::<ContextBlock>("/api/context", &here);
    Some(match (ask(), ask()) {
        (Ok(first), Ok(second)) => {
            let length = first.text.encode_utf16().count();
            if length > BLOCK_BUDGET {
                let finding = format!("the block has {length} characters, {BLOCK_BUDGET} may be");
                Check::bad("context", finding, "please report it")
            } else if first != second {
                // Work may go on between the two questions.
                Check::good("context", "changes while it is asked for: a session is at work")
            } else {
                Check::good("context", format!("{length} characters for {}", here.name))
            }
        }
        (Err(error), _) | (_, Err(error)) => {
            Check::bad("context", format!("{error:#}"), "afterword daemon restart")
        }
    })
}

/// What today cost, and whether a person has to see to the model. A cap that is reached is no
/// fault: rules serve, and it ends by itself.
fn model(status: &Status) -> Check {
    let spend = &status.spend;
    let tokens = grouped(spend.tokens_today);
    match (&spend.stopped, status.model_stopped()) {
        (Some(stopped), _) if !stopped.remedy.is_empty() => {
            Check::bad("model", &stopped.why, &stopped.remedy)
        }
        (Some(stopped), _) => {
            let sooner = "a higher daily_tokens or daily_cost in [provider] goes on sooner";
            Check::good("model", format!("{}; {sooner}", stopped.why))
        }
        (None, Some(why)) => {
            let remedy = "afterword provider test asks it now; mend [provider] or its account, then \
                          afterword jobs retry";
            Check::bad("model", why, remedy)
        }
        (None, None) if status.model.failing.is_some() => Check::bad(
            "model",
            status.model.failing.clone().unwrap_or_default(),
            "it is asked again by itself; afterword provider test asks it now",
        ),
        (None, None) if status.model.parked > 0 => Check::bad(
            "model",
            format!("{} could not be read by it", counted(status.model.parked, "turn")),
            "afterword jobs list says why, afterword jobs retry asks again",
        ),
        (None, None) => {
            let cap = spend.daily_token_cap.map(grouped);
            let of = cap.map_or_else(String::new, |cap| format!(" of {cap} a day"));
            let finding = format!("language models were paid for {tokens} tokens{of} today");
            Check::good("model", finding)
        }
    }
}

#[derive(Debug, Deserialize)]
struct Troubles {
    troubles: Vec<String>,
}

fn counts(tools: &Tools, door: &Door, status: &Status) -> Vec<Check> {
    let mut checks = Vec::new();
    let troubles = door.get::<Troubles>("/api/troubles").map(|t| t.troubles).unwrap_or_default();
    checks.push(spool(tools, status, &troubles));
    checks.push(if status.parked > 0 {
        Check::bad(
            "distilling",
            format!("{} events are parked after three tries", status.parked),
            "afterword doctor --retry-parked; daemon.log has the reason",
        )
    } else if let Some(trouble) = troubles.iter().find(|trouble| trouble.contains("distilling")) {
        Check::bad("distilling", trouble, "afterword daemon restart")
    } else {
        Check::good("distilling", format!("{} events wait", status.waiting))
    });
    if let Some(silence) = troubles.iter().find(|trouble| trouble.contains("nothing was kept")) {
        checks.push(Check::bad(
            "recent work",
            silence,
            "afterword install, then start a new session: only starts are reported",
        ));
    }
    checks.push(model(status));
    let adds_up = status.received == status.spooled + status.stored
        && status.stored == status.distilled + status.waiting + status.parked;
    checks.push(if adds_up {
        Check::good("counts", format!("{} received, none lost", status.received))
    } else {
        Check::bad(
            "counts",
            format!(
                "received {} but spooled {} + stored {}; distilled {} + waiting {} + parked {}",
                status.received,
                status.spooled,
                status.stored,
                status.distilled,
                status.waiting,
                status.parked
            ),
            "run it again: a hook may have been at work; if it stays, please report it",
        )
    });
    checks
}

/// What search does without a model of its own.
const WORDS_ALONE: &str =
    "rows are found by their words; 'afterword model pull' lets them be found by meaning too";

/// Whether rows are found by meaning. Without a model they are found by their words, which is well.
fn meaning(tools: &Tools, status: &Status) -> Check {
    let found = &status.embeddings;
    let Some(model) = &found.model else {
        return Check::good("embeddings", WORDS_ALONE);
    };
    if let Some(problem) = &found.problem {
        let remedy = if tools.config.embeddings().url.is_empty() {
            "afterword model pull --force"
        } else {
            "look at [embeddings] in config.toml; search goes on by words"
        };
        return Check::bad("embeddings", problem, remedy);
    }
    let (embedded, waiting) = (found.embedded, found.waiting);
    Check::good("embeddings", format!("{embedded} rows embedded, {waiting} wait ({model})"))
}

fn spool(tools: &Tools, status: &Status, troubles: &[String]) -> Check {
    let home = &tools.config.home;
    if status.spool_bad > 0 {
        return Check::bad(
            "spool",
            format!("{} files could not be read", status.spool_bad),
            format!("look into {} and delete what is torn", home.spool().join("bad").display()),
        );
    }
    if let Err(error) = super::files::spool_takes(home) {
        return Check::bad(
            "spool",
            format!("{} cannot be written: {error}", home.spool().display()),
            "make room on the disk, or make the folder yours: without it events can be lost",
        );
    }
    if let Some(lost) = troubles.iter().find(|trouble| trouble.contains("kept anywhere")) {
        let log = home.logs().join("hook.log");
        return Check::bad(
            "spool",
            format!("{lost} in the last day"),
            format!("see {}", log.display()),
        );
    }
    Check::good("spool", format!("{} events wait for the daemon", status.spooled))
}
