//! Live events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde_json::json;
use tokio_stream::wrappers::{BroadcastStream, WatchStream};
use tokio_stream::{Stream, StreamExt as _};

use crate::api::door::Door;

/// How often a line is sent to a quiet watcher, so that both sides notice a dead connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// `GET /stream`: no event names, the type inside the data.
pub(super) async fn unnamed(
    State(door): State<Arc<Door>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let hello = json!({ "type": "connected", "timestamp": door.engine.clock().now().millis() });
    let live = BroadcastStream::new(door.engine.watch()).filter_map(|event| {
        let event = event.ok()?;
        Event::default().json_data(event).ok().map(Ok)
    });
    let first = tokio_stream::once(Ok(Event::default().data(hello.to_string())));
    // Ends with the server, which would wait for it otherwise.
    let stopping = WatchStream::new(door.stopping()).filter(|stop| *stop).map(|_| None);
    let until_stopped =
        live.map(Some).merge(stopping).take_while(Option::is_some).filter_map(|event| event);
    Sse::new(first.chain(until_stopped)).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}
