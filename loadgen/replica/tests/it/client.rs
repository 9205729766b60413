use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::running::Running;
use crate::shapes;

pub(crate) const VERSION: &str = "2026-07-28";
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// One HTTP request, right in every respect until something is changed.
#[derive(Clone)]
pub(crate) struct Post {
    pub(crate) verb: &'static str,
    pub(crate) path: &'static str,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    /// Chunk size in bytes; `None` sends Content-Length.
    pub(crate) chunk: Option<usize>,
}

/// One HTTP reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Post {
    /// A request of this method. `params` gets its `_meta`, unless it has one; the headers follow
    /// the body.
    pub(crate) fn rpc(method: &str, params: Value) -> Self {
        Self::rpc_with_id("1", method, params)
    }

    /// The same under an id given as JSON text.
    pub(crate) fn rpc_with_id(id: &str, method: &str, mut params: Value) -> Self {
        if params.get("_meta").is_none() {
            params["_meta"] = meta();
        }
        let name = params["name"].as_str().or(params["uri"].as_str());
        let mut headers = vec![
            ("host", b"localhost".to_vec()),
            ("accept", b"application/json, text/event-stream".to_vec()),
            ("content-type", b"application/json".to_vec()),
            ("mcp-protocol-version", VERSION.into()),
            ("mcp-method", method.into()),
        ];
        if let Some(name) = name {
            headers.push((
                "mcp-name",
                loadgen_protocol::header_value::encode(name)
                    .as_bytes()
                    .into(),
            ));
        }
        let method = json!(method);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#);
        Self {
            verb: "POST",
            path: "/mcp",
            headers,
            body: body.into_bytes(),
            chunk: None,
        }
    }

    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::rpc(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(n, _)| *n != name);
        self
    }

    pub(crate) fn header(self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.without(name).also(name, value)
    }

    /// One field more, even when there is one of this name.
    pub(crate) fn also(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = format!("{} {} HTTP/1.1\r\n", self.verb, self.path).into_bytes();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        match self.chunk {
            None => {
                out.extend_from_slice(
                    format!("content-length: {}\r\n\r\n", self.body.len()).as_bytes(),
                );
                out.extend_from_slice(&self.body);
            }
            Some(size) => {
                out.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
                for chunk in self.body.chunks(size) {
                    out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    out.extend_from_slice(chunk);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"0\r\n\r\n");
            }
        }
        out
    }

    /// Sends it on a connection of its own. Every message must have the shape that its method
    /// and its `resultType` ask for.
    pub(crate) async fn send(&self, to: &Running) -> Reply {
        let reply = self.send_unchecked(to).await;
        self.check(&reply);
        reply
    }

    /// Sends it on a connection that is there already; the rest as [`Post::send`].
    pub(crate) async fn send_over(&self, stream: &mut TcpStream) -> Reply {
        stream.write_all(&self.bytes()).await.unwrap();
        let reply = read_reply(stream).await;
        self.check(&reply);
        reply
    }

    fn check(&self, reply: &Reply) {
        assert_eq!(reply.header("mcp-session-id"), None, "no session is minted");
        let method = serde_json::from_slice::<Value>(&self.body)
            .ok()
            .and_then(|m| m["method"].as_str().map(str::to_owned));
        match reply.header("content-type") {
            Some("application/json") => {
                shapes::same_id(&self.body, &reply.body);
                shapes::check(method.as_deref(), reply, &reply.json());
            }
            Some("text/event-stream") => {
                let mut messages = reply.events();
                let last = messages.pop().expect("a last message");
                messages.iter().for_each(shapes::notification);
                shapes::check(method.as_deref(), reply, &last);
            }
            _ => {}
        }
    }

    /// Sends it on a connection of its own and takes whatever comes back, for replies that are
    /// meant to differ.
    pub(crate) async fn send_unchecked(&self, to: &Running) -> Reply {
        let stream = TcpStream::connect(to.address).await.unwrap();
        exchange(stream, &self.bytes()).await
    }
}

/// Writes and reads at the same time, so that neither side waits for the other.
async fn exchange(stream: TcpStream, bytes: &[u8]) -> Reply {
    let (mut read, mut write) = stream.into_split();
    let sending = async {
        // The replica may stop reading and close: what it said still counts.
        let _ = write.write_all(bytes).await;
        write
    };
    let receiving = read_reply(&mut read);
    let (_write, reply) = tokio::join!(sending, receiving);
    reply
}

/// Reads one reply that has a Content-Length or no body.
pub(crate) async fn read_reply(from: &mut (impl tokio::io::AsyncRead + Unpin)) -> Reply {
    // Byte by byte, so that nothing of a following reply is taken.
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        seen.push(from.read_u8().await.expect("a whole head"));
    }
    let head = String::from_utf8(seen).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let status = lines
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let value = |of: &str| headers.iter().find(|(name, _)| name == of);
    if value("transfer-encoding").is_some_and(|(_, value)| value == "chunked") {
        let body = read_chunks(from).await;
        return Reply {
            status,
            headers,
            body,
        };
    }
    let length: usize = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    from.read_exact(&mut body).await.expect("a whole body");
    Reply {
        status,
        headers,
        body,
    }
}

async fn read_chunks(from: &mut (impl tokio::io::AsyncRead + Unpin)) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut size = Vec::new();
        while !size.ends_with(b"\r\n") {
            size.push(from.read_u8().await.expect("a chunk's size"));
        }
        let size = std::str::from_utf8(&size).unwrap().trim_end();
        let size = usize::from_str_radix(size, 16).unwrap();
        let start = body.len();
        body.resize(start + size + 2, 0);
        from.read_exact(&mut body[start..]).await.expect("a chunk");
        body.truncate(start + size);
        if size == 0 {
            return body;
        }
    }
}

impl Reply {
    /// The messages of a reply in events, each checked to be one event of one data line.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        assert_eq!(self.header("x-accel-buffering"), Some("no"));
        let text = std::str::from_utf8(&self.body).unwrap();
        let events = text.strip_suffix("\n\n").expect("a whole last event");
        events
            .split("\n\n")
            .map(|event| event.strip_prefix("event: message\ndata: ").unwrap())
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// HTTP status and JSON-RPC error code.
    pub(crate) fn error(&self) -> (u16, i64) {
        let code = self.json()["error"]["code"].as_i64();
        (
            self.status,
            code.unwrap_or_else(|| panic!("no error: {}", self.json())),
        )
    }

    pub(crate) fn result(&self) -> Value {
        let result = self.json()["result"].take();
        assert!(
            self.status == 200 && !result.is_null(),
            "no result: {self:?}"
        );
        result
    }

    /// The text of a completed tool, prompt or resource.
    pub(crate) fn text(&self) -> String {
        let result = self.result();
        let text = [
            &result["content"][0]["text"],
            &result["messages"][0]["content"]["text"],
            &result["contents"][0]["text"],
        ];
        let found = text.iter().find_map(|t| t.as_str());
        found
            .unwrap_or_else(|| panic!("no text: {result}"))
            .to_owned()
    }

    /// The keys that are asked for, and the state.
    pub(crate) fn asked(&self) -> (Vec<String>, String) {
        let result = self.result();
        assert_eq!(result["resultType"], "input_required", "{result}");
        let keys = result["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        (keys, result["requestState"].as_str().unwrap().to_owned())
    }
}

/// A `_meta` that declares forms.
pub(crate) fn meta() -> Value {
    json!({ VERSION_KEY: VERSION, CAPABILITIES_KEY: { "elicitation": {} } })
}
