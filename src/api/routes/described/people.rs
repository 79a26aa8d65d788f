//! What people's commands and programs of theirs ask.

use afterword_domain::event::Event;
use afterword_domain::project::ProjectRef;
use afterword_domain::wire::context::{ContextBlock, ContextQuestion};
use afterword_domain::wire::daemon::Ping;
use afterword_domain::wire::events::EventAnswer;
use afterword_domain::wire::jobs::{JobList, JobRequest, JobsDropped, JobsRetried};
use afterword_domain::wire::memory::{ForgetRequest, Forgotten, RememberRequest, Remembered};
use afterword_domain::wire::portable::ImportReport;
use afterword_domain::wire::recall::{FileAnswer, FileQuestion};
use afterword_domain::wire::search::{SearchAnswer, SearchRequest};
use afterword_domain::wire::spend::SpendReport;
use afterword_domain::wire::status::Status;
use afterword_domain::wire::timeline::{RowsAnswer, RowsRequest, Timeline, TimelineRequest};

use super::Object;
use crate::api::openapi::{Operation, Parameter, gives, parameter};
use crate::api::routes::portable::ExportPage;

const PROJECT: Parameter = parameter("project", "string", "The name of a project.");
const QUERY: Parameter = parameter("query", "string", "What is searched for.");

const SEARCH: &[Parameter] = &[
    QUERY,
    PROJECT,
    parameter("kind", "string", "observation, summary, prompt, memory or snapshot."),
    parameter("since", "string", "Only what was made at this time or later."),
    parameter("until", "string", "Only what was made before this time; a day counts itself."),
    parameter("file", "string", "Only what names this file."),
    parameter("agent", "string", "Only what this agent did."),
    parameter("limit", "integer", "Most rows."),
    parameter("highlight", "boolean", "Mark the words that were found."),
    parameter("explain", "boolean", "Say what each score is made of."),
];

pub(super) fn operations() -> Vec<Operation> {
    [server(), rows(), events()].concat()
}

/// The server itself.
fn server() -> Vec<Operation> {
    vec![
        gives::<Object>("GET", "/openapi.json", "This document"),
        gives::<Ping>("GET", "/api/ping", "Whether the server is there and takes the token"),
        gives::<Object>("GET", "/api/prove", "Prove that the server knows the token")
            .asks(&[parameter("nonce", "string", "1 to 128 characters.")])
            .raw("text/plain"),
        gives::<Object>("GET", "/health", "Whether the server is there"),
        gives::<Status>("GET", "/api/stats", "What is kept, what waits, what failed"),
        gives::<SpendReport>("GET", "/api/spend", "What models cost").asks(&[
            parameter("days", "integer", "The last days, today counted."),
            parameter("by", "string", "day, model or project."),
        ]),
        gives::<Object>("GET", "/api/troubles", "What has failed for longer than it may"),
        gives::<Object>("GET", "/api/check", "What is wrong with the database"),
        gives::<Object>("POST", "/api/admin/shutdown", "Ask the server to leave")
            .asks(&[parameter("pid", "integer", "Only this process.")]),
        gives::<Object>("POST", "/api/admin/rotate-token", "Put a new token in force"),
        gives::<JobList>("GET", "/api/jobs", "What waits to be distilled, and what was parked"),
        gives::<JobsRetried>("POST", "/api/jobs/retry", "Try parked jobs again")
            .takes::<JobRequest>(),
        gives::<JobsDropped>("POST", "/api/jobs/drop", "Give parked jobs up").takes::<JobRequest>(),
    ]
}

/// What is remembered.
fn rows() -> Vec<Operation> {
    vec![
        gives::<ContextBlock>("POST", "/api/context", "What a session would be given now")
            .takes::<ContextQuestion>(),
        gives::<SearchAnswer>("GET", "/api/search", "Find rows").asks(SEARCH),
        gives::<SearchAnswer>("POST", "/api/search", "Find rows").takes::<SearchRequest>(),
        gives::<Timeline>("GET", "/api/timeline", "What stood around a row or a time").asks(&[
            parameter("anchor", "string", "The id of a row, or a time."),
            QUERY,
            PROJECT,
            parameter("before", "integer", "Rows before it."),
            parameter("after", "integer", "Rows after it."),
        ]),
        gives::<Timeline>("POST", "/api/timeline", "What stood around a row or a time")
            .takes::<TimelineRequest>(),
        gives::<RowsAnswer>("POST", "/api/rows", "Whole rows by their ids").takes::<RowsRequest>(),
        gives::<Object>("GET", "/api/projects", "Every project, last seen first"),
        gives::<Object>("POST", "/api/projects/find", "The project that a reference means")
            .takes::<ProjectRef>(),
        gives::<Remembered>("POST", "/api/memories", "Remember a text").takes::<RememberRequest>(),
        gives::<Forgotten>("POST", "/api/forget", "Delete rows for good").takes::<ForgetRequest>(),
        gives::<ExportPage>("GET", "/api/export", "Every row, page by page").asks(&[
            parameter("project_id", "integer", "Only of this project."),
            parameter("after", "string", "The last row of the page before."),
            parameter("limit", "integer", "1 to 500."),
        ]),
        gives::<ImportReport>("POST", "/api/import", "Take in rows as JSON Lines").asks(&[
            parameter("first_line", "integer", "The number of the first line."),
            parameter("project", "string", "JSON of the project of rows that name none."),
        ]),
    ]
}

/// What hooks say, and what happens.
fn events() -> Vec<Operation> {
    const SINCE: &[Parameter] = &[parameter("lastEventId", "string", "As Last-Event-ID.")];
    vec![
        gives::<EventAnswer>("POST", "/api/events", "Take one event of a hook")
            .takes::<Event>()
            .asks(&[
                parameter("store", "boolean", "Whether it is kept."),
                parameter("reply", "boolean", "Whether it is answered."),
                parameter("block", "boolean", "Whether a first prompt is given the block."),
                parameter("memories", "boolean", "Whether prompts are given memories."),
            ]),
        gives::<FileAnswer>("POST", "/api/recall/file", "What is known of a file")
            .takes::<FileQuestion>(),
        gives::<Object>("GET", "/stream", "Live events, the type inside the data")
            .asks(SINCE)
            .raw("text/event-stream"),
        gives::<Object>("GET", "/api/events/stream", "Live events with names")
            .asks(SINCE)
            .raw("text/event-stream"),
    ]
}
