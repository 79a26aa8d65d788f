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
use tokio_io_timeout::TimeoutStream;

use super::refusal::Refusing;

/// Most connections at a time; more wait to be accepted. Keeps descriptors for the database.
const CONNECTIONS: usize = 256;

/// How long a connection may take to send the head of a request, the first one or a further one.
const HEAD: Duration = Duration::from_secs(10);

/// How long a connection may take none of what is written to it. Whoever reads at all, however
/// slowly, makes room long before; a watcher of live events is written to rarely.
const UNREAD: Duration = Duration::from_secs(30);

/// How long connections may take to finish once the server is to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Pause after a connection could not be accepted because the system had no room for it.
const FULL: Duration = Duration::from_millis(50);

/// Answers on a listener until `stopping` turns true, then finishes what is in flight.
///
/// Returns within 2 s of being asked to stop: whoever is silent, half done or still listening to
/// live events by then is cut off.
///
/// Nobody keeps one of the places for nothing: a head has to come within 10 s, a body and its answer
/// within two minutes, and an answer that nobody reads is given up after 30 s.
pub async fn serve(listener: TcpListener, router: Router, stopping: watch::Receiver<bool>) {
    serve_with(listener, router, stopping, UNREAD).await;
}

async fn serve_with(
    listener: TcpListener,
    router: Router,
    stopping: watch::Receiver<bool>,
    unread: Duration,
) {
    let mut asked = stopping.clone();
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let room = connections.len() < CONNECTIONS;
        tokio::select! {
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, _)) => {
                    drop(connections.spawn(answer(stream, router.clone(), stopping.clone(), unread)));
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

async fn answer(
    stream: TcpStream,
    router: Router,
    mut stopping: watch::Receiver<bool>,
    unread: Duration,
) {
    // Only speed is at stake.
    stream.set_nodelay(true).ok();
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(unread));
    let service = TowerToHyperService::new(router);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(Refusing::new(Box::pin(stream))), service)
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

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// More than the system keeps between two ends.
    const BYTES: usize = 64 << 20;

    /// A server whose one answer is long, and a connection that has asked for it.
    async fn asked(
        unread: Duration,
    ) -> (TcpStream, tokio::task::JoinHandle<()>, watch::Sender<bool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let router = Router::new().route("/long", get(async || vec![b'x'; BYTES]));
        let server = tokio::spawn(serve_with(listener, router, stopping, unread));
        let mut caller = TcpStream::connect(at).await.unwrap();
        caller
            .write_all(b"GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        (caller, server, stop)
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_given_up() {
        let (mut caller, server, stop) = asked(Duration::from_millis(50)).await;
        // The server is what ends it: nothing is read before the connection is over there.
        let patience = tokio::time::timeout(Duration::from_mins(1), async {
            while caller.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        patience.await.expect("the connection is ended by the server");
        let mut rest = Vec::new();
        drop(caller.read_to_end(&mut rest).await);
        assert!(rest.len() < BYTES, "cut off");
        stop.send_replace(true);
        server.await.unwrap();
    }

    #[tokio::test]
    async fn an_answer_that_is_read_slowly_comes_whole() {
        let (mut caller, server, stop) = asked(Duration::from_secs(30)).await;
        let (mut piece, mut read) = (vec![0; 32 * 1024], 0);
        loop {
            match caller.read(&mut piece).await.unwrap() {
                0 => break,
                n => read += n,
            }
            tokio::task::yield_now().await;
        }
        assert!(read > BYTES, "{read}");
        stop.send_replace(true);
        server.await.unwrap();
    }
}
