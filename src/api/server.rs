//! Connections: accepted, bounded in number and patience, and ended in time.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Most connections at a time; more wait to be accepted. Keeps descriptors for the database.
const CONNECTIONS: usize = 256;

/// How long a connection may take to send the head of a request, the first one or a further one.
const HEAD: Duration = Duration::from_secs(10);

/// How long connections may take to finish once the server is to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Pause after a connection could not be accepted because the system had no room for it.
const FULL: Duration = Duration::from_millis(50);

/// Answers on a listener until `stopping` turns true, then finishes what is in flight.
///
/// Returns within 2 s of being asked to stop: whoever is silent, half done or still listening to
/// live events by then is cut off.
pub async fn serve(listener: TcpListener, router: Router, stopping: watch::Receiver<bool>) {
    let mut asked = stopping.clone();
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let room = connections.len() < CONNECTIONS;
        tokio::select! {
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, _)) => {
                    drop(connections.spawn(answer(stream, router.clone(), stopping.clone())));
                }
                Err(error) => pause_after(&error).await,
            },
            _ = connections.join_next(), if !room => {}
            () = turns_true(&mut asked) => break,
        }
    }
    // Whoever calls now is refused at once instead of waiting in vain.
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, finished).await.is_err() {
        tracing::warn!("some connections did not finish and are cut off");
    }
    connections.shutdown().await;
}

async fn answer(stream: TcpStream, router: Router, mut stopping: watch::Receiver<bool>) {
    // Only speed is at stake.
    stream.set_nodelay(true).ok();
    let service = TowerToHyperService::new(router);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        // How a connection ends is the caller's affair.
        _ = connection.as_mut() => return,
        () = turns_true(&mut stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

/// Also where nobody is left who could ask.
async fn turns_true(stopping: &mut watch::Receiver<bool>) {
    drop(stopping.wait_for(|yes| *yes).await);
}

/// A connection that broke before it was accepted says nothing about the next one; anything else
/// means that the system has no room, which takes a moment.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%error, "a connection cannot be accepted");
        tokio::time::sleep(FULL).await;
    }
}
