//! HTTP servers that answer as a test says, and a port that nobody listens on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

/// Status line and headers apart, what a scripted server sends; `None` means that it never answers.
type Answer = Option<(&'static str, &'static str, String)>;

/// A server on 127.0.0.1 that reads JSON-RPC requests and answers from a closure.
pub(crate) struct Scripted {
    address: SocketAddr,
    requests: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
}

impl Scripted {
    pub(crate) fn start(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Self {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = socket.local_addr().expect("a bound socket has an address");
        let (requests, ended) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let listener = {
            let (requests, ended) = (Arc::clone(&requests), Arc::clone(&ended));
            let answer = Arc::new(answer);
            std::thread::spawn(move || {
                for stream in socket.incoming().flatten() {
                    if ended.load(Ordering::SeqCst) {
                        return;
                    }
                    let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                    // Ends with its connection, which ends with the program under test.
                    std::thread::spawn(move || serve(stream, &*answer, &requests));
                }
            })
        };
        Self {
            address,
            requests,
            ended,
            listener: Some(listener),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Requests that have come so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over.
        let woken = TcpStream::connect(self.address);
        if let (Ok(_), Some(listener)) = (woken, self.listener.take()) {
            let _ = listener.join();
        }
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Value) -> Answer, requests: &AtomicU64) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        requests.fetch_add(1, Ordering::SeqCst);
        let Some((status, headers, body)) = answer(&request) else {
            continue;
        };
        let length = body.len();
        let reply =
            format!("HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}");
        if reader.get_mut().write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

/// The body of the next request; `None` at the end of the connection.
fn read(reader: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// `Content-Type` of JSON.
pub(crate) const JSON: &str = "Content-Type: application/json";

/// A result for this request.
pub(crate) fn result(request: &Value, result: &Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    Some(("200 OK", JSON, body.to_string()))
}

/// An error for this request.
pub(crate) fn error(request: &Value, code: i32, message: &str) -> Answer {
    let error = json!({"code": code, "message": message});
    let body = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
    Some(("400 Bad Request", JSON, body.to_string()))
}

/// The answer of a server of this revision to `server/discover`; `None` for any other request.
pub(crate) fn discovered(request: &Value) -> Option<Answer> {
    let capabilities = json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "resultType": "complete",
    });
    (request["method"] == "server/discover").then(|| result(request, &capabilities))
}

/// A result that ends a workflow.
pub(crate) fn complete() -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})
}

/// A port that refuses connections for as long as this lives: bound, so that nobody else gets it,
/// and not listening.
#[derive(Debug)]
pub(crate) struct ClosedPort {
    address: SocketAddr,
    _socket: Socket,
}

impl ClosedPort {
    pub(crate) fn new() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        socket.bind(&any.into()).expect("a free port");
        let address = socket.local_addr().expect("a bound socket has an address");
        Self {
            address: address.as_socket().expect("an IP address"),
            _socket: socket,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}
