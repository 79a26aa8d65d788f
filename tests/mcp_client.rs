//! The tools, spoken to by the client of the official Rust SDK.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use afterword_testkit::Sandbox;
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};

use crate::remember::{first_session, settle};

const BIN: &str = env!("CARGO_BIN_EXE_afterword");

type Client = RunningService<RoleClient, ()>;

async fn call(client: &Client, tool: &'static str, arguments: &Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    let asked = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(asked).await.unwrap()
}

/// The structured content of a call that succeeds.
async fn ok(client: &Client, tool: &'static str, arguments: &Value) -> Value {
    let result = call(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
    let structured = result.structured_content.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    let schema = tools.into_iter().find(|one| one.name == tool).unwrap().output_schema.unwrap();
    assert_follows(&structured, &Value::Object((*schema).clone()), tool);
    structured
}

/// Whether a value is of the schema's type, with the members it must have and no others.
fn assert_follows(value: &Value, schema: &Value, place: &str) {
    let is_right = match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("{place}: {other}"),
    };
    assert!(is_right, "{place}: {value} is no {schema}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(!value[name.as_str().unwrap()].is_null(), "{place} lacks {name}: {value}");
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        assert_follows(member, &schema["properties"][name], &format!("{place}.{name}"));
    }
    for element in value.as_array().into_iter().flatten() {
        assert_follows(element, &schema["items"], place);
    }
}

/// Every tool once, the way a model goes.
async fn walk(client: &Client) {
    let about = client.peer_info().unwrap();
    assert_eq!(about.server_info.as_ref().unwrap().name, "afterword");
    let tools = client.list_all_tools().await.unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    names.sort_unstable();
    let expected = [
        "forget",
        "get_observations",
        "projects",
        "recent_context",
        "remember",
        "search",
        "timeline",
    ];
    assert_eq!(names, expected);
    assert!(tools.iter().all(|tool| tool.description.as_ref().is_some_and(|d| d.len() > 60)));

    let remembered = ok(client, "remember", &json!({"text": "Deploys happen on Tuesdays"})).await;
    let id = remembered["id"].as_str().unwrap().to_owned();
    let found = ok(client, "search", &json!({"query": "deploys", "kind": "memory"})).await;
    assert_eq!(found["results"][0]["id"], id.as_str());
    let dated = json!({"query": "deploys", "until": "2001-01-01"});
    assert_eq!(ok(client, "search", &dated).await["results"], json!([]));
    let today = found["results"][0]["date"].as_str().unwrap();
    let dated = json!({"query": "deploys", "since": today, "until": today});
    assert_eq!(ok(client, "search", &dated).await["results"][0]["id"], id.as_str());
    let around = ok(client, "timeline", &json!({"anchor": id})).await;
    assert_eq!(around["anchor"], id.as_str());
    let whole = ok(client, "get_observations", &json!({"ids": [id]})).await;
    assert_eq!(whole["rows"][0]["text"], "Deploys happen on Tuesdays");
    let block = call(client, "recent_context", &json!({})).await;
    assert_eq!((block.is_error, &block.structured_content), (Some(false), &None));
    let block = &block.content[0].as_text().unwrap().text;
    assert!(block.contains("Deploys happen on Tuesdays"), "{block}");
    assert_eq!(ok(client, "projects", &json!({})).await["current"], "demo-project");
    assert_eq!(ok(client, "forget", &json!({"ids": [id]})).await["forgotten"], json!([id]));

    let refused = call(client, "timeline", &json!({"anchor": id})).await;
    assert_eq!(refused.is_error, Some(true), "{refused:?}");
    assert!(format!("{:?}", refused.content).contains("there is no row"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_client_calls_every_tool_over_pipes() {
    let sandbox = Sandbox::new(BIN);
    first_session(&sandbox);
    settle(&sandbox);
    let mut command = tokio::process::Command::from(sandbox.command(BIN));
    command.arg("mcp");
    let client: Client = ().serve(TokioChildProcess::new(command).unwrap()).await.unwrap();
    walk(&client).await;
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sdk_client_calls_every_tool_over_http() {
    // The client's HTTP library wants its cryptography named, though none is used on loopback.
    drop(rustls::crypto::ring::default_provider().install_default());
    let sandbox = Sandbox::new(BIN);
    let mut command = sandbox.command(BIN);
    command.args(["mcp", "--http"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = Stop(command.spawn().unwrap());
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let token = std::fs::read_to_string(sandbox.data().join("token")).unwrap();
    let config =
        StreamableHttpClientTransportConfig::with_uri(url.trim()).auth_header(token.trim());
    let transport = StreamableHttpClientTransport::from_config(config);
    let client: Client = ().serve(transport).await.unwrap();
    walk(&client).await;
    client.cancel().await.unwrap();
    let stranger = StreamableHttpClientTransport::from_uri(url.trim());
    assert!(().serve(stranger).await.is_err(), "without the token");
}

/// Ends a server that a failing test leaves behind.
struct Stop(Child);

impl Drop for Stop {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
