//! Connections: accepted, bounded in number and patience, and ended in time.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use std::{fmt, io};

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use super::refusal::Refusing;

/// Most connections of one person's server at a time; more wait to be accepted. Keeps descriptors
/// for the database.
const CONNECTIONS: usize = 256;

/// How long a connection may take to send the head of a request, the first one or a further one.
const HEAD: Duration = Duration::from_secs(10);

/// How long a connection may take none of what is written to it. Whoever reads at all, however
/// slowly, makes room long before; a watcher of live events is written to rarely.
const UNREAD: Duration = Duration::from_secs(30);

/// How long connections of one person's server may take to finish once it is to stop.
const GRACE: Duration = Duration::from_secs(2);

/// How long an encrypted connection may take to come about.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Pause after a connection could not be accepted because the system had no room for it.
const FULL: Duration = Duration::from_millis(50);

/// How connections are served.
#[derive(Clone)]
pub struct Serving {
    /// Most connections at a time; more wait to be accepted.
    pub connections: usize,
    /// How long they may take to finish once the server is to stop.
    pub grace: Duration,
    /// How long a connection may take none of what is written to it.
    pub unread: Duration,
    /// Encrypts them; without it they are as they come.
    pub tls: Option<TlsAcceptor>,
}

impl Default for Serving {
    /// As one person's server does.
    fn default() -> Self {
        Self { connections: CONNECTIONS, grace: GRACE, unread: UNREAD, tls: None }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("connections", &self.connections).finish_non_exhaustive()
    }
}

/// The address at the other end of the connection; it stands in every request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Answers on a listener until `stopping` turns true, then finishes what is in flight.
///
/// Returns within the time of grace after being asked to stop: whoever is silent, half done or
/// still listening to live events by then is cut off.
///
/// Nobody keeps one of the places for nothing: a head has to come within 10 s, a body and its answer
/// within two minutes, and an answer that nobody reads is given up after a while.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stopping: watch::Receiver<bool>,
    serving: Serving,
) {
    let mut asked = stopping.clone();
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let room = connections.len() < serving.connections;
        tokio::select! {
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, peer)) => {
                    let service = ForPeer { router: router.clone(), peer: Peer(peer) };
                    drop(connections.spawn(answer(stream, service, stopping.clone(), serving.clone())));
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
    if tokio::time::timeout(serving.grace, finished).await.is_err() {
        tracing::warn!("some connections did not finish and are cut off");
    }
    connections.shutdown().await;
}

/// The router, for the requests of one connection.
#[derive(Clone)]
struct ForPeer {
    router: Router,
    peer: Peer,
}

impl Service<Request<Incoming>> for ForPeer {
    type Response = axum::response::Response;
    type Error = Infallible;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        TowerToHyperService::new(self.router.clone()).call(request)
    }
}

async fn answer(
    stream: TcpStream,
    service: ForPeer,
    stopping: watch::Receiver<bool>,
    serving: Serving,
) {
    // Only speed is at stake.
    stream.set_nodelay(true).ok();
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(serving.unread));
    let stream = Box::pin(stream);
    match serving.tls {
        None => answer_on(stream, service, stopping).await,
        Some(tls) => {
            // What does not come about is the caller's affair.
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                answer_on(stream, service, stopping).await;
            }
        }
    }
}

async fn answer_on<S>(stream: S, service: ForPeer, mut stopping: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(Refusing::new(stream)), service)
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
        let serving = Serving { unread, ..Serving::default() };
        let server = tokio::spawn(serve(listener, router, stopping, serving));
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
