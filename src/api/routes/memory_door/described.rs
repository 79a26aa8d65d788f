//! What the routes of this door take and give.

use serde_json::{Map, Value};

use super::add::AddBody;
use super::batch::BatchBody;
use super::feedback::{FeedbackBody, Noted};
use super::find::FindBody;
use super::list::ListBody;
use super::one::ChangeBody;
use super::ping::Pong;
use super::shape::{
    Added, AddedItem, Entities, Event, HistoryItem, Item, ListOrPage, ListOrResults, OwnedBy, Page,
    Results, Shown, Told,
};
use crate::api::openapi::{Operation, Parameter, gives, parameter};

const USER: Parameter = parameter("user_id", "string", "A person.");
const AGENT: Parameter = parameter("agent_id", "string", "An agent.");
const APP: Parameter = parameter("app_id", "string", "An application, or a project.");
const RUN: Parameter = parameter("run_id", "string", "A run, a session.");
const PAGE: Parameter = parameter("page", "integer", "From 1 on.");
const SIZE: Parameter = parameter("page_size", "integer", "How many a page has, 1 to 200.");
const MOST: Parameter = parameter("top_k", "integer", "Most memories, 0 to 1000.");
const EXPIRED: Parameter = parameter("show_expired", "boolean", "Also memories that have expired.");
const FORMAT: Parameter =
    parameter("output_format", "string", "`v1.1`: the list stands under the name `results`.");

/// Every operation of this door.
pub(in crate::api) fn operations() -> Vec<Operation> {
    [platform(), platform_of_old(), bare(), at_mem()].concat()
}

fn platform() -> Vec<Operation> {
    vec![
        gives::<Pong>("GET", "/v1/ping/", "Whether the service is there and takes the token"),
        gives::<Added>("POST", "/v3/memories/add/", "Remember messages").takes::<AddBody>(),
        gives::<Results<Shown>>("POST", "/v3/memories/search/", "Find memories")
            .takes::<FindBody>(),
        gives::<Page<Shown>>("POST", "/v3/memories/", "List memories, newest first")
            .takes::<ListBody>()
            .asks(&[PAGE, SIZE]),
        gives::<Item>("GET", "/v1/memories/{id}/", "A memory"),
        gives::<Item>("PUT", "/v1/memories/{id}/", "Change a memory").takes::<ChangeBody>(),
        gives::<Told>("DELETE", "/v1/memories/{id}/", "Delete a memory"),
        gives::<Vec<HistoryItem>>(
            "GET",
            "/v1/memories/{id}/history/",
            "What became of a memory, oldest first",
        ),
        gives::<Told>(
            "DELETE",
            "/v1/memories/",
            "Delete all memories of an owner; * is every name",
        )
        .asks(&[USER, AGENT, APP, RUN]),
        gives::<Told>("PUT", "/v1/batch/", "Change several memories, all or none")
            .takes::<BatchBody>(),
        gives::<Told>("DELETE", "/v1/batch/", "Delete several memories").takes::<BatchBody>(),
        gives::<Entities>("GET", "/v1/entities/", "Names that own memories").asks(&[PAGE, SIZE]),
        gives::<Told>("DELETE", "/v2/entities/{type}/{name}/", "Delete all memories of a name"),
        gives::<Page<Event>>("GET", "/v1/events/", "Adds and what came of them, newest first")
            .asks(&[PAGE, SIZE]),
        gives::<Event>("GET", "/v1/event/{id}/", "What came of an add"),
        gives::<Noted>("POST", "/v1/feedback/", "Say what you think of a memory")
            .takes::<FeedbackBody>(),
    ]
}

fn platform_of_old() -> Vec<Operation> {
    vec![
        gives::<ListOrResults<AddedItem>>("POST", "/v1/memories/", "Remember messages")
            .takes::<AddBody>(),
        gives::<ListOrResults<Shown>>("GET", "/v1/memories/", "List memories, newest first")
            .asks(&[USER, AGENT, APP, RUN, PAGE, SIZE, EXPIRED, FORMAT]),
        gives::<ListOrResults<Shown>>("POST", "/v1/memories/search/", "Find memories")
            .takes::<FindBody>(),
        gives::<ListOrResults<Shown>>("POST", "/v2/memories/search/", "Find memories")
            .takes::<FindBody>(),
        gives::<ListOrPage<Shown>>("POST", "/v2/memories/", "List memories, newest first")
            .takes::<ListBody>()
            .asks(&[PAGE, SIZE]),
        gives::<Told>("DELETE", "/v1/entities/{type}/{name}/", "Delete all memories of a name"),
    ]
}

fn bare() -> Vec<Operation> {
    vec![
        gives::<Results<AddedItem>>("POST", "/memories", "Remember messages").takes::<AddBody>(),
        gives::<Results<Shown>>("GET", "/memories", "List memories, newest first")
            .asks(&[USER, AGENT, APP, RUN, MOST, EXPIRED]),
        gives::<Told>("DELETE", "/memories", "Delete all memories of an owner; * is every name")
            .asks(&[USER, AGENT, APP, RUN]),
        gives::<Results<Shown>>("POST", "/search", "Find memories").takes::<FindBody>(),
        gives::<Option<Item>>("GET", "/memories/{id}", "A memory, or null"),
        gives::<Told>("PUT", "/memories/{id}", "Change a memory").takes::<ChangeBody>(),
        gives::<Told>("DELETE", "/memories/{id}", "Delete a memory"),
        gives::<Vec<HistoryItem>>(
            "GET",
            "/memories/{id}/history",
            "What became of a memory, oldest first",
        ),
        gives::<Vec<OwnedBy>>("GET", "/entities", "Names that own memories"),
        gives::<Told>("DELETE", "/entities/{type}/{name}", "Delete all memories of a name"),
        gives::<Told>("POST", "/reset", "Delete all memories that belong to anybody"),
    ]
}

/// The bare paths under the prefix of AnalyticDB.
fn at_mem() -> Vec<Operation> {
    const PREFIXED: [(&str, &str); 7] = [
        ("/memories", "/mem/memories"),
        ("/search", "/mem/search"),
        ("/memories/{id}", "/mem/memories/{id}"),
        ("/memories/{id}/history", "/mem/memories/{id}/history"),
        ("/entities", "/mem/entities"),
        ("/entities/{type}/{name}", "/mem/entities/{type}/{name}"),
        ("/reset", "/mem/reset"),
    ];
    let bare = bare();
    let health = gives::<Map<String, Value>>("GET", "/mem/health", "Whether the service is there");
    let prefixed = PREFIXED
        .iter()
        .flat_map(|(path, at)| bare.iter().filter(|one| one.is_at(path)).map(|one| one.at(at)));
    std::iter::once(health).chain(prefixed).collect()
}
