use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::Value;

use crate::host::{Guest, Host, PATIENCE};

/// A longer body is refused without reading it, as servers with a limit do.
const MAX_BODY_BYTES: usize = 4 << 20;
const TOO_LARGE: &[u8] = b"HTTP/1.1 413 Payload Too Large\r\nContent-Type: text/plain\r\n\
    Content-Length: 9\r\nConnection: close\r\n\r\ntoo large";

/// A server on a free loopback port that answers every request by a script, byte for byte. It ends
/// when it is dropped.
pub(crate) struct Server {
    host: Host,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    given_up: Mutex<usize>,
    gave_up: Condvar,
    live: AtomicUsize,
    live_max: AtomicUsize,
    heard: Mutex<Vec<Heard>>,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    /// Number of its connection, from 0.
    pub(crate) connection: usize,
    /// Requests before it on that connection.
    pub(crate) before: usize,
    /// Request line and headers, without the empty line.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What the server does next.
pub(crate) enum Act {
    Write(Vec<u8>),
    /// Each byte with a call of its own.
    WriteEach(Vec<u8>),
    Close,
    /// Says nothing more and waits for the peer to give the connection up.
    Hang,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The id as it was written.
    pub(crate) fn id(&self) -> String {
        self.json()["id"].to_string()
    }

    pub(crate) fn round(&self) -> u16 {
        let id = self.json()["id"].as_str().unwrap().to_owned();
        id.split_once('.').unwrap().1.parse().unwrap()
    }

    pub(crate) fn workflow(&self) -> usize {
        let id = self.json()["id"].as_str().unwrap().to_owned();
        id.split_once('.').unwrap().0.parse().unwrap()
    }

    pub(crate) fn is_discover(&self) -> bool {
        self.json()["method"] == "server/discover"
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

impl Server {
    pub(crate) fn new(script: impl Fn(&Heard) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let of = Arc::clone(&shared);
        let host = Host::new(move |guest| {
            let live = of.live.fetch_add(1, Ordering::SeqCst) + 1;
            of.live_max.fetch_max(live, Ordering::SeqCst);
            serve(guest, &of, &script);
            of.live.fetch_sub(1, Ordering::SeqCst);
        });
        Self { host, shared }
    }

    pub(crate) fn url(&self) -> String {
        self.host.url()
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.shared.heard.lock().unwrap().clone()
    }

    /// Connections so far.
    pub(crate) fn accepted(&self) -> usize {
        self.host.accepted()
    }

    /// Most connections at one time.
    pub(crate) fn live_max(&self) -> usize {
        self.shared.live_max.load(Ordering::SeqCst)
    }

    /// Returns when the peer has given so many connections up while the server hung.
    pub(crate) fn wait_until_given_up(&self, count: usize) {
        let given_up = self.shared.given_up.lock().unwrap();
        let waited = self
            .shared
            .gave_up
            .wait_timeout_while(given_up, PATIENCE, |n| *n < count);
        assert!(
            !waited.unwrap().1.timed_out(),
            "a connection was never given up"
        );
    }
}

fn serve(guest: &Guest<'_>, shared: &Shared, script: &impl Fn(&Heard) -> Vec<Act>) {
    let stream = guest.stream;
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    for before in 0.. {
        let Some(head) = head(&mut reader) else {
            return;
        };
        if length(&head) > MAX_BODY_BYTES {
            let _ = writer.write_all(TOO_LARGE);
            return;
        }
        let Some(body) = body(&mut reader, length(&head)) else {
            return;
        };
        let heard = Heard {
            connection: guest.number,
            before,
            head,
            body,
        };
        shared.heard.lock().unwrap().push(heard.clone());
        for act in script(&heard) {
            let written = match act {
                Act::Write(bytes) => writer.write_all(&bytes),
                Act::WriteEach(bytes) => bytes.iter().try_for_each(|b| writer.write_all(&[*b])),
                Act::Close => return,
                Act::Hang => {
                    let left = reader.read(&mut [0]);
                    if !guest.is_over() && !matches!(left, Ok(1..)) {
                        *shared.given_up.lock().unwrap() += 1;
                        shared.gave_up.notify_all();
                    }
                    return;
                }
            };
            if written.is_err() {
                return;
            }
        }
    }
}

/// Request line and headers of the next request; `None` when the peer is gone.
fn head(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(0) | Err(_) => return None,
            Ok(_) if line == "\r\n" => return Some(head),
            Ok(_) => head.push_str(&line),
        }
    }
}

fn length(head: &str) -> usize {
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    });
    length.unwrap_or(0)
}

fn body(reader: &mut impl Read, length: usize) -> Option<String> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(String::from_utf8(body).unwrap())
}
