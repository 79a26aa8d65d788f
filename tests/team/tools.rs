//! The tools for models, by the official client over HTTP.

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use super::client::Client;
use super::server::{Server, database};

/// A model's client with a member's token.
struct Model {
    runtime: tokio::runtime::Runtime,
    client: Option<RunningService<RoleClient, ()>>,
}

impl Model {
    fn of(client: &Client) -> Self {
        // The client's HTTP library wants its cryptography named, though none is used on loopback.
        drop(rustls::crypto::ring::default_provider().install_default());
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let url = format!("http://127.0.0.1:{}/mcp", client.port);
        let config =
            StreamableHttpClientTransportConfig::with_uri(url).auth_header(client.token.clone());
        let client = runtime.block_on(async {
            ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap()
        });
        Self { runtime, client: Some(client) }
    }

    fn client(&self) -> &RunningService<RoleClient, ()> {
        self.client.as_ref().unwrap()
    }

    fn tools(&self) -> Vec<String> {
        let tools = self.runtime.block_on(self.client().list_all_tools()).unwrap();
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.runtime.block_on(self.client().call_tool(params)).unwrap()
    }

    #[track_caller]
    fn done(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// What the model is told of a call that was refused.
    #[track_caller]
    fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result.is_error, Some(true), "{result:?}");
        serde_json::to_string(&result.content).unwrap()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(self.runtime.block_on(client.cancel()));
        }
    }
}

#[test]
fn a_model_adds_finds_changes_and_deletes_memories_as_its_token_may() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let admin = server.admin();
    let mia = Model::of(&server.issue("default", "mia", "member", &[]));
    let ray = Model::of(&server.issue("default", "ray", "reader", &[]));
    let mut tools = mia.tools();
    tools.sort();
    assert_eq!(
        tools,
        [
            "add_memory",
            "delete_all_memories",
            "delete_memory",
            "list_memories",
            "search_memories",
            "update_memory"
        ]
    );
    let text = "Deployments go through the blue cluster first";
    let added = mia.done("add_memory", json!({ "text": text, "metadata": { "project": "shop" } }));
    let id = added["results"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(added["results"][0]["event"], "ADD");
    // Whoever reads finds it, by the member's name too.
    let found = ray.done("search_memories", json!({ "query": "blue cluster", "user_id": "mia" }));
    assert_eq!(found["results"][0]["memory"], text);
    assert_eq!(found["results"][0]["user_id"], "mia");
    let nobody = ray.done("search_memories", json!({ "query": "cluster", "user_id": "eve" }));
    assert_eq!(nobody["results"], json!([]));
    // A reader's token writes nothing.
    for (tool, arguments) in [
        ("add_memory", json!({ "text": "planted" })),
        ("update_memory", json!({ "memory_id": id, "text": "planted" })),
        ("delete_memory", json!({ "memory_id": id })),
        ("delete_all_memories", json!({ "user_id": "mia", "confirm": true })),
    ] {
        assert!(ray.refused(tool, arguments).contains("a reader may not"), "{tool}");
    }
    let changed = json!({ "memory_id": id, "text": "Deployments go through the green cluster" });
    mia.done("update_memory", changed);
    let listed = ray.done("list_memories", json!({ "page_size": 10 }));
    assert_eq!((&listed["total"], listed["results"].as_array().unwrap().len()), (&json!(1), 1));
    assert!(listed["results"][0]["memory"].as_str().unwrap().contains("green"));
    assert!(
        mia.refused("update_memory", json!({ "memory_id": "x", "text": "y" })).contains("no id")
    );
    assert!(ray.refused("list_memories", json!({ "page_size": 0 })).contains("1 to 100"));
    assert!(ray.refused("list_memories", json!({ "page": 0 })).contains("begins with 1"));

    // Of an owner only an admin deletes all, with a name and after a word more.
    let boss = Model::of(&admin);
    let of_mia = json!({ "user_id": "mia", "confirm": true });
    assert!(mia.refused("delete_all_memories", of_mia.clone()).contains("role admin"));
    assert!(boss.refused("delete_all_memories", json!({ "user_id": "mia" })).contains("confirm"));
    boss.refused("delete_all_memories", json!({ "confirm": true }));
    assert_eq!(ray.done("list_memories", json!({}))["total"], 1, "nothing was deleted so far");
    assert_eq!(boss.done("delete_all_memories", of_mia)["deleted"], 1);
    let again = mia.done("add_memory", json!({ "text": "One more" }));
    let id = again["results"][0]["id"].clone();
    assert_eq!(mia.done("delete_memory", json!({ "memory_id": id }))["deleted"], 1);
    mia.refused("delete_memory", json!({ "memory_id": id }));

    // Who did it is in the audit log, and what was said is not.
    let audit = admin.get("/api/team/audit?limit=1000").body;
    for action in ["add_memory", "update_memory", "delete_memory", "delete_all_memories"] {
        assert!(audit.contains(&format!("\"{action}\"")), "{audit}");
    }
    assert!(!audit.contains("cluster"));
    // Nobody comes in without a token.
    let nobody = admin.with("");
    nobody.post("/mcp", &json!({})).refused(401, "unauthorized");
}

#[test]
fn a_models_token_of_one_project_or_of_another_organisation_sees_nothing_else() {
    let Some(database) = database() else { return };
    let server = Server::on(&database);
    let boss = Model::of(&server.admin());
    let secret = "The vault opens at nine";
    let added =
        boss.done("add_memory", json!({ "text": secret, "metadata": { "project": "vault" } }));
    let id = added["results"][0]["id"].clone();
    let bound = Model::of(&server.issue("default", "sam", "admin", &["--project", "shop"]));
    let eve = Model::of(&server.issue("elsewhere", "eve", "admin", &[]));
    for stranger in [&bound, &eve] {
        let found = stranger.done("search_memories", json!({ "query": "vault opens" }));
        assert_eq!(found["results"], json!([]));
        assert_eq!(stranger.done("list_memories", json!({}))["total"], 0);
        stranger.refused("update_memory", json!({ "memory_id": id, "text": "planted" }));
        stranger.refused("delete_memory", json!({ "memory_id": id }));
    }
    let all = json!({ "user_id": "admin", "confirm": true });
    assert!(bound.refused("delete_all_memories", all.clone()).contains("one project"));
    assert_eq!(eve.done("delete_all_memories", all)["deleted"], 0);
    // What is told without a project is told to the token's own.
    bound.done("add_memory", json!({ "text": "The shop opens at ten" }));
    bound.refused("add_memory", json!({ "text": "planted", "metadata": { "project": "vault" } }));
    assert_eq!(bound.done("list_memories", json!({}))["total"], 1);
    let found = boss.done("search_memories", json!({ "query": "opens" }));
    assert_eq!(found["results"].as_array().unwrap().len(), 2, "{found}");
}
