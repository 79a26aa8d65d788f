//! The tools of the model: whether an agent starts our MCP server, and whether it answers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::check::Check;
use crate::cli::{Tools, project};
use crate::config::Home;
use crate::install::{RegisteredServer, registered_server};

/// How long an answer of the server may take; it needs no daemon for what is asked here.
const ANSWER: Duration = Duration::from_secs(5);

/// The version of the protocol that is spoken here.
const PROTOCOL: &str = "2025-06-18";

/// One check for each file that registers our server, and whether it answers; one without a remedy
/// where none does, because the tools can be left out on purpose.
pub(super) fn server(tools: &Tools) -> Vec<Check> {
    let env = &tools.config.env;
    let home = &tools.config.home;
    let root = project::here(tools, None).ok().and_then(|project| project.root);
    let in_project = root.map(|root| Path::new(&root).join(".mcp.json"));
    let files = std::iter::once(env.claude_servers_file()).chain(in_project);
    let mut checks: Vec<Check> = files.filter_map(|file| registered(&file, home)).collect();
    if checks.is_empty() {
        let left_out =
            "not registered: the model has no tools of its own ('afterword install' adds them)";
        return vec![Check::good("tools", left_out)];
    }
    if checks.iter().all(|check| check.ok) {
        checks.push(match ask(&home.binary(), home) {
            Ok(n) => Check::good("tools", format!("the MCP server answers with {n} tools")),
            Err(why) => Check::bad(
                "tools",
                format!("the MCP server does not answer: {why}"),
                "run 'afterword install' to replace the program",
            ),
        });
    }
    checks
}

fn registered(file: &Path, home: &Home) -> Option<Check> {
    let text = std::fs::read_to_string(file).ok()?;
    let name = file.display();
    match registered_server(&text, &home.binary()) {
        Ok(RegisteredServer::None) => None,
        Ok(RegisteredServer::Ours) => {
            Some(Check::good("tools", format!("the MCP server is registered in {name}")))
        }
        Ok(RegisteredServer::Other) => Some(Check::bad(
            "tools",
            format!("{name} registers a server called afterword that is not as installed"),
            "run 'afterword install' again, or take that entry out",
        )),
        Err(broken) => Some(Check::bad("tools", format!("{name}: {broken}"), "correct the file")),
    }
}

/// How many tools the server offers when it is started as an agent starts it.
fn ask(program: &Path, home: &Home) -> Result<usize, String> {
    let mut child = Command::new(program)
        .arg("mcp")
        .env("AFTERWORD_HOME", home.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    let answer = converse(&mut child);
    // It ends by itself when its input is closed; what hangs is ended.
    drop(child.stdin.take());
    if answer.is_err() {
        child.kill().ok();
    }
    child.wait().ok();
    answer
}

fn converse(child: &mut Child) -> Result<usize, String> {
    let stdout = child.stdout.take().ok_or("it has no output")?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let hello = json!({
        "protocolVersion": PROTOCOL, "capabilities": {},
        "clientInfo": {"name": "afterword doctor", "version": env!("CARGO_PKG_VERSION")},
    });
    send(child, &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))?;
    result(&lines, 1)?;
    send(child, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    send(child, &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}))?;
    let tools = result(&lines, 2)?;
    match tools["tools"].as_array().map(Vec::len) {
        Some(n) if n > 0 => Ok(n),
        _ => Err("it offers no tools".to_owned()),
    }
}

fn send(child: &mut Child, message: &Value) -> Result<(), String> {
    let stdin = child.stdin.as_mut().ok_or("it has no input")?;
    writeln!(stdin, "{message}").and_then(|()| stdin.flush()).map_err(|e| e.to_string())
}

fn result(lines: &Receiver<String>, id: u64) -> Result<Value, String> {
    let line = lines.recv_timeout(ANSWER).map_err(|_| "nothing came in time".to_owned())?;
    let message: Value =
        serde_json::from_str(&line).map_err(|_| "it does not speak JSON".to_owned())?;
    match &message["result"] {
        result @ Value::Object(_) if message["id"] == id => Ok(result.clone()),
        _ => Err(format!("it answered {}", afterword_domain::text::cut_chars(&line, 120))),
    }
}
