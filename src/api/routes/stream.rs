//! Live events: what happens, as it happens, and what was missed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use afterword_domain::wire::live::LiveMessage;
use afterword_engine::{Follower, LiveEvent, Place};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_stream::wrappers::ReceiverStream;

use crate::api::body::Query;
use crate::api::door::Door;
use crate::api::error::ApiResult;

/// How often something is sent to a quiet watcher, so that both sides notice a dead connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a watcher is to wait before it connects again.
const RETRY: Duration = Duration::from_secs(1);

/// Messages that wait for a watcher who does not read. Then reading the log for it stops; the server
/// gives it up when it reads nothing for long.
const WAITING: usize = 32;

/// Where a browser says what it has seen last.
const LAST_EVENT_ID: &str = "last-event-id";

type Messages = Sse<ReceiverStream<Result<Event, Infallible>>>;

/// The query string of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Since {
    /// As the header `Last-Event-ID`, which a page cannot send when it first connects.
    last_event_id: Option<String>,
}

/// `GET /stream`: no event names, the type inside the data.
pub(super) async fn unnamed(
    State(door): State<Arc<Door>>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> ApiResult<Messages> {
    begin(door, place(&headers, &since), Dialect::Unnamed).await
}

/// `GET /api/events/stream`: the same with event names.
pub(super) async fn named(
    State(door): State<Arc<Door>>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> ApiResult<Messages> {
    begin(door, place(&headers, &since), Dialect::Named).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Unnamed,
    Named,
}

/// The header goes before the parameter: a browser that connects again sends what it saw since.
fn place(headers: &HeaderMap, since: &Since) -> Place {
    let sent = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or_default());
    match sent.or(since.last_event_id.as_deref()).map(str::trim) {
        None | Some("") => Place::Now,
        Some(id) => id.parse().map_or(Place::Unknown, Place::After),
    }
}

async fn begin(door: Arc<Door>, place: Place, dialect: Dialect) -> ApiResult<Messages> {
    let room = door.watcher()?;
    let follower = door.engine.follow(place).await?;
    let (send, messages) = mpsc::channel(WAITING);
    drop(tokio::spawn(pass_on(door, follower, dialect, send, room)));
    Ok(Sse::new(ReceiverStream::new(messages)))
}

/// Passes on what happens until the watcher has gone or the server is to stop, which would wait for
/// it otherwise.
async fn pass_on(
    door: Arc<Door>,
    mut follower: Follower,
    dialect: Dialect,
    send: mpsc::Sender<Result<Event, Infallible>>,
    _room: OwnedSemaphorePermit,
) {
    let mut stopping = door.stopping();
    let mut beat = Instant::now() + HEARTBEAT;
    let mut first = Some(RETRY);
    loop {
        let event = tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            () = send.closed() => return,
            event = follower.next() => match event {
                Ok(event) => encode(&event, dialect, first.take()),
                Err(error) => {
                    // The watcher connects again with the id of what it has seen last.
                    tracing::warn!(%error, "live events cannot be read");
                    return;
                }
            },
            () = sleep_until(beat) => heartbeat(&door, dialect),
        };
        beat = Instant::now() + HEARTBEAT;
        // Whoever watches keeps the server up.
        door.touch();
        tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            passed = send.send(Ok(event)) => if passed.is_err() { return },
        }
    }
}

fn encode(event: &LiveEvent, dialect: Dialect, retry: Option<Duration>) -> Event {
    let mut sent = named_event(&event.message, dialect);
    if let Some(id) = event.id {
        sent = sent.id(id.to_string());
    }
    match retry {
        Some(retry) => sent.retry(retry),
        None => sent,
    }
}

fn named_event(message: &LiveMessage, dialect: Dialect) -> Event {
    let event = Event::default().json_data(message).expect("messages are always written");
    if dialect == Dialect::Named { event.event(message.name()) } else { event }
}

/// A watcher of the observer's stream takes every message for an event, so it is sent a remark.
fn heartbeat(door: &Door, dialect: Dialect) -> Event {
    let timestamp = door.engine.clock().now().millis();
    match dialect {
        Dialect::Named => named_event(&LiveMessage::Heartbeat { timestamp }, dialect),
        Dialect::Unnamed => Event::default().comment("heartbeat"),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_header_goes_before_the_parameter() {
        let at = |header: Option<&'static str>, query: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(value) = header {
                headers.insert(LAST_EVENT_ID, HeaderValue::from_static(value));
            }
            place(&headers, &Since { last_event_id: query.map(str::to_owned) })
        };
        assert_eq!(at(None, None), Place::Now);
        assert_eq!(at(None, Some("")), Place::Now);
        assert_eq!(at(None, Some("7")), Place::After(7));
        assert_eq!(at(Some("9"), Some("7")), Place::After(9));
        assert_eq!(at(Some("o12"), None), Place::Unknown);
        assert_eq!(at(Some("99999999999999999999"), None), Place::Unknown);
    }
}
