//! The OpenAPI document, and requests that are generated from it.

use afterword_testkit::{Package, Sandbox};
use serde_json::Value;

use super::{BIN, Server, client, package};
use crate::observer_door::Door;

/// Requests by operation and phase.
const EXAMPLES: &str = "12";

/// What is held against every answer: no failure of the server, and nothing that the document does
/// not say. Whether bad requests are refused is no matter of the document: what clients send beside
/// it is passed over.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance";

#[test]
fn the_document_tells_of_every_door() {
    let sandbox = Sandbox::new(BIN);
    let door = Door::open(&sandbox);
    let answer = door.0.get("/openapi.json").unwrap();
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let tagged = |path: &str, method: &str| document["paths"][path][method]["tags"][0].clone();
    assert_eq!(tagged("/v3/memories/add/", "post"), "memory door");
    assert_eq!(tagged("/api/search", "get"), "people's door");
    assert_eq!(tagged("/sessions/init", "post"), "observer door");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in ["Item", "Error", "SearchAnswer", "Timeline"] {
        assert!(schemas.contains_key(name), "{name} of {:?}", schemas.keys());
    }
}

#[test]
fn generated_requests_find_no_failure_and_no_answer_beside_the_document() {
    let sandbox = Sandbox::new(BIN);
    generate(&sandbox, &Server::daemon(&sandbox));
}

/// Asks a server whatever its document lets be asked.
pub(crate) fn generate(sandbox: &Sandbox, server: &Server) {
    let Some(schemathesis) = package(Package::python("schemathesis", "4.32.5")) else { return };
    let mut command = client(sandbox, "python3", server);
    command
        .env("PYTHONPATH", schemathesis.folder())
        .args(["-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"])
        .arg(format!("{}/openapi.json", server.url))
        .args(["--header", &format!("Authorization: Token {}", server.key)])
        .args(["--include-tag", "memory door", "--checks", CHECKS, "--max-examples", EXAMPLES])
        .args(["--phases", "examples,coverage,fuzzing", "--generation-deterministic"])
        .args(["--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure"]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("passed"), "{told}");
}
