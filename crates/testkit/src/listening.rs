//! The listening side of every stub.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A listener on loopback; it and its connections end when it is dropped.
#[derive(Debug)]
pub(crate) struct Listening {
    address: SocketAddr,
    open: Arc<Mutex<Open>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Open {
    connections: Vec<TcpStream>,
    stopped: bool,
}

impl Listening {
    /// Listens on a free port and serves each connection on a thread of its own, until `serve`
    /// returns.
    pub(crate) fn start(
        serve: impl Fn(&TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let open = Arc::new(Mutex::new(Open::default()));
        let shared = Arc::clone(&open);
        let thread = std::thread::spawn(move || accept(&listener, &shared, &Arc::new(serve)));
        Self { address, open, thread: Some(thread) }
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as the beginning of addresses.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.stopped = true;
        for connection in &open.connections {
            drop(connection.shutdown(Shutdown::Both));
        }
        drop(open);
        // The listener sits in `accept`; one more connection lets it see that it has to stop.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// What a stub shares with its connections. A test that failed while it held it must not hide its
/// own message behind a poisoned lock.
pub(crate) fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept<F>(listener: &TcpListener, open: &Mutex<Open>, serve: &Arc<F>)
where
    F: Fn(&TcpStream) -> io::Result<()> + Send + Sync + 'static,
{
    for connection in listener.incoming() {
        let mut open = lock(open);
        if open.stopped {
            return;
        }
        let Ok(connection) = connection else { continue };
        if let Ok(copy) = connection.try_clone() {
            open.connections.push(copy);
        }
        let serve = Arc::clone(serve);
        std::thread::spawn(move || {
            drop(connection.set_nodelay(true).and_then(|()| serve(&connection)));
            // The copy kept for the stop would hold the connection open.
            drop(connection.shutdown(Shutdown::Both));
        });
    }
}
