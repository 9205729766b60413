use std::collections::HashMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longest wait for a peer, against a test that would never end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A free loopback port whose connections have a thread each. It ends when it is dropped, whatever
/// its peers do.
pub(crate) struct Host {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    over: AtomicBool,
    accepted: AtomicUsize,
    /// Open connections by number.
    streams: Mutex<HashMap<usize, TcpStream>>,
}

/// One connection of it.
pub(crate) struct Guest<'a> {
    pub(crate) stream: &'a TcpStream,
    /// From 0.
    pub(crate) number: usize,
    shared: &'a Shared,
}

impl Guest<'_> {
    /// Whether the host ends.
    pub(crate) fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::SeqCst)
    }
}

impl Host {
    pub(crate) fn new(serve: impl Fn(&Guest<'_>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let (serve, of) = (Arc::new(serve), Arc::clone(&shared));
        let accepting = std::thread::spawn(move || {
            let mut threads = Vec::new();
            for stream in listener.incoming() {
                if of.over.load(Ordering::SeqCst) {
                    break;
                }
                let stream = stream.unwrap();
                let number = of.accepted.fetch_add(1, Ordering::SeqCst);
                let copy = stream.try_clone().unwrap();
                of.streams.lock().unwrap().insert(number, copy);
                let (serve, of) = (Arc::clone(&serve), Arc::clone(&of));
                threads.push(std::thread::spawn(move || {
                    serve(&Guest {
                        stream: &stream,
                        number,
                        shared: &of,
                    });
                    // The last descriptor closes here: with a reset, if anything was left unread.
                    of.streams.lock().unwrap().remove(&number);
                }));
            }
            for thread in threads {
                thread.join().unwrap();
            }
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Connections so far.
    pub(crate) fn accepted(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        for stream in self.shared.streams.lock().unwrap().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the accepting thread, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
        let ended = self.accepting.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}
