use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::host::{Guest, Host, PATIENCE};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

pub(crate) const NO_ERROR: u32 = 0;
pub(crate) const INTERNAL_ERROR: u32 = 2;
pub(crate) const REFUSED_STREAM: u32 = 7;

/// An HTTP/2 server on a free loopback port that answers every request by a script, frame for frame
/// (RFC 9113). It ends when it is dropped.
pub(crate) struct H2Server {
    host: Host,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    open_streams_max: AtomicUsize,
    asked: Mutex<Vec<Asked>>,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Number of its connection, from 0.
    pub(crate) connection: usize,
    /// Requests before it on that connection.
    pub(crate) before: usize,
    pub(crate) stream: u32,
    pub(crate) body: Value,
}

/// What the server does next.
pub(crate) enum Act {
    /// Completes the call of this stream.
    Reply(u32),
    /// Keeps the request for a later `Reply`.
    Hold,
    Reset(u32, u32),
    /// The last stream that is taken up, and the error code.
    GoAway(u32, u32),
    Close,
}

impl H2Server {
    /// `max_streams` goes into the settings.
    pub(crate) fn new(
        max_streams: u32,
        script: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        let of = Arc::clone(&shared);
        let host = Host::new(move |guest| {
            // It ends with its peer, at whatever point that leaves.
            let _ = serve(guest, max_streams, &of, &script);
            let _ = guest.stream.shutdown(Shutdown::Both);
        });
        Self { host, shared }
    }

    pub(crate) fn url(&self) -> String {
        self.host.url()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.host.accepted()
    }

    /// Most requests that one connection held at one time.
    pub(crate) fn open_streams_max(&self) -> usize {
        self.shared.open_streams_max.load(Ordering::SeqCst)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }
}

fn serve(
    guest: &Guest<'_>,
    max_streams: u32,
    shared: &Shared,
    script: &impl Fn(&Asked) -> Vec<Act>,
) -> std::io::Result<()> {
    let mut stream = guest.stream;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut preface = [0; PREFACE.len()];
    stream.read_exact(&mut preface)?;
    assert_eq!(preface, PREFACE);
    // SETTINGS_MAX_CONCURRENT_STREAMS is number 3.
    let mut settings = vec![0, 3];
    settings.extend(max_streams.to_be_bytes());
    frame(stream, SETTINGS, 0, 0, &settings)?;
    let mut bodies: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut held: Vec<Asked> = Vec::new();
    let mut before = 0;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let (kind, flags) = (head[3], head[4]);
        let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload)?;
        match kind {
            SETTINGS if flags & ACK == 0 => frame(stream, SETTINGS, ACK, 0, &[])?,
            PING if flags & ACK == 0 => frame(stream, PING, ACK, 0, &payload)?,
            HEADERS => bodies.push((number, Vec::new())),
            DATA => {
                // What was taken may be sent anew (RFC 9113, section 5.2): the connection has room
                // for 65 535 bytes.
                if length > 0 {
                    let taken = u32::try_from(length).unwrap().to_be_bytes();
                    frame(stream, WINDOW_UPDATE, 0, 0, &taken)?;
                }
                let (_, body) = bodies.iter_mut().find(|(n, _)| *n == number).unwrap();
                body.extend(payload);
                if flags & END_STREAM == 0 {
                    continue;
                }
                let asked = Asked {
                    connection: guest.number,
                    before,
                    stream: number,
                    body: serde_json::from_slice(body).unwrap(),
                };
                before += 1;
                held.push(asked.clone());
                shared
                    .open_streams_max
                    .fetch_max(held.len(), Ordering::SeqCst);
                shared.asked.lock().unwrap().push(asked.clone());
                for act in script(&asked) {
                    match act {
                        Act::Hold => {}
                        Act::Close => return Ok(()),
                        Act::Reply(number) => reply(stream, &mut held, number)?,
                        Act::Reset(number, code) => {
                            held.retain(|asked| asked.stream != number);
                            frame(stream, RST_STREAM, 0, number, &code.to_be_bytes())?;
                        }
                        Act::GoAway(last, code) => {
                            held.retain(|asked| asked.stream <= last);
                            let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
                            frame(stream, GO_AWAY, 0, 0, &payload)?;
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

fn reply(stream: &TcpStream, held: &mut Vec<Asked>, number: u32) -> std::io::Result<()> {
    let at = held
        .iter()
        .position(|asked| asked.stream == number)
        .unwrap();
    let id = &held.remove(at).body["id"];
    // Number 8 of the static table is `:status: 200` (RFC 7541, appendix A).
    frame(stream, HEADERS, END_HEADERS, number, &[0x88])?;
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete"}}}}"#);
    frame(stream, DATA, END_STREAM, number, body.as_bytes())
}

fn frame(
    mut stream: &TcpStream,
    kind: u8,
    flags: u8,
    number: u32,
    payload: &[u8],
) -> std::io::Result<()> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend(number.to_be_bytes());
    bytes.extend(payload);
    stream.write_all(&bytes)
}
