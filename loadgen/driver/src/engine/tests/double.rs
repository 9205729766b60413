use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, RETRY_AFTER};
use loadgen_measure::{ConnectionFacts, SlotLimit};
use serde_json::{Value, json};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::classify::Reply;
use crate::transport::{Failure, Outgoing, Trace, Transport};

/// A transport without sockets: a script says what each request gets and how long it takes, and
/// paused time passes as it says.
pub(super) struct Double<S> {
    pub(super) script: S,
    pub(super) asked: Rc<RefCell<Vec<Asked>>>,
}

/// A request as a replica sees it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) to: u16,
    pub(super) workflow: u64,
    pub(super) round: u16,
    pub(super) attempt: u16,
    pub(super) at: Instant,
    pub(super) token: Option<String>,
    pub(super) params: Value,
    pub(super) body_bytes: usize,
}

impl Asked {
    pub(super) fn state(&self) -> Option<&str> {
        self.params["requestState"].as_str()
    }
}

/// What a request lacks.
#[derive(Debug, Clone, Copy)]
enum Lacks {
    Nothing,
    Connection,
    /// A right to a connection.
    Slot,
}

/// What a request gets.
pub(super) struct Answer {
    /// From the call to the send: a wait for a connection.
    hold: Duration,
    /// How long the whole thread stands still before the send.
    freeze: Duration,
    takes: Duration,
    /// From the whole reply to when the engine has it.
    looks: Duration,
    /// What keeps the request from being sent.
    lacks: Lacks,
    status: u16,
    fields: HeaderMap,
    gives: Result<Value, Failure>,
}

impl Answer {
    /// A result, after a service time in milliseconds.
    pub(super) fn result(takes_ms: u64, result: &Value) -> Self {
        Self {
            hold: Duration::ZERO,
            freeze: Duration::ZERO,
            takes: Duration::from_millis(takes_ms),
            looks: Duration::ZERO,
            lacks: Lacks::Nothing,
            status: 200,
            fields: HeaderMap::new(),
            gives: Ok(json!({ "result": result })),
        }
    }

    pub(super) fn complete(takes_ms: u64) -> Self {
        Self::result(takes_ms, &json!({"resultType": "complete"}))
    }

    /// A question with this state.
    pub(super) fn question(takes_ms: u64, state: &str) -> Self {
        let form = json!({"method": "elicitation/create", "params": {
            "message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}});
        Self::result(
            takes_ms,
            &json!({"resultType": "input_required", "inputRequests": {"q": form}, "requestState": state}),
        )
    }

    pub(super) fn state_only(takes_ms: u64, state: &str) -> Self {
        Self::result(
            takes_ms,
            &json!({"resultType": "input_required", "requestState": state}),
        )
    }

    pub(super) fn rejected(takes_ms: u64) -> Self {
        Self {
            gives: Ok(
                json!({"error": {"code": -32602, "message": "Invalid or expired requestState",
                "data": {"reason": "invalid_request_state"}}}),
            ),
            ..Self::complete(takes_ms)
        }
    }

    /// HTTP 429 with a JSON-RPC error, and `Retry-After` unless that is empty.
    pub(super) fn throttled(takes_ms: u64, retry_after: &str) -> Self {
        let fields = [(RETRY_AFTER, retry_after)].into_iter();
        let fields = fields.filter(|(_, text)| !text.is_empty());
        Self {
            status: 429,
            fields: fields
                .map(|(name, text)| (name, text.parse().unwrap()))
                .collect(),
            gives: Ok(json!({"error": {"code": 429, "message": "Too many requests"}})),
            ..Self::complete(takes_ms)
        }
    }

    /// A JSON-RPC error with HTTP status 200.
    pub(super) fn error(takes_ms: u64, error: &Value) -> Self {
        Self {
            gives: Ok(json!({ "error": error })),
            ..Self::complete(takes_ms)
        }
    }

    /// A JSON-RPC error of the server's own, with this HTTP status.
    pub(super) fn broken(takes_ms: u64, status: u16) -> Self {
        Self::coded(takes_ms, -32603, status)
    }

    /// A JSON-RPC error of this code, with this HTTP status.
    pub(super) fn coded(takes_ms: u64, code: i64, status: u16) -> Self {
        Self {
            status,
            ..Self::error(takes_ms, &json!({"code": code, "message": "no"}))
        }
    }

    /// A body that is no JSON-RPC, with this HTTP status.
    pub(super) fn page(takes_ms: u64, status: u16) -> Self {
        Self {
            status,
            gives: Ok(json!({"page": true})),
            ..Self::complete(takes_ms)
        }
    }

    pub(super) fn failure(takes_ms: u64, failure: Failure) -> Self {
        Self {
            gives: Err(failure),
            ..Self::complete(takes_ms)
        }
    }

    /// No connection, seen after so many milliseconds.
    pub(super) fn refused(takes_ms: u64) -> Self {
        Self {
            lacks: Lacks::Connection,
            ..Self::failure(takes_ms, Failure::Connection("refused".to_owned()))
        }
    }

    /// No connection to send on, ever.
    pub(super) fn in_line() -> Self {
        Self {
            lacks: Lacks::Slot,
            ..Self::never()
        }
    }

    /// No reply, ever.
    pub(super) fn never() -> Self {
        Self {
            takes: Duration::from_secs(1 << 30),
            ..Self::complete(0)
        }
    }

    /// The same after a service time in microseconds.
    pub(super) fn taking_us(self, takes_us: u64) -> Self {
        Self {
            takes: Duration::from_micros(takes_us),
            ..self
        }
    }

    /// The same, looked at for so many microseconds before the engine goes on.
    pub(super) fn looked_at_us(self, looks_us: u64) -> Self {
        Self {
            looks: Duration::from_micros(looks_us),
            ..self
        }
    }

    /// The same after a wait before the send, in milliseconds.
    pub(super) fn held(self, hold_ms: u64) -> Self {
        Self {
            hold: Duration::from_millis(hold_ms),
            ..self
        }
    }

    /// The same after the generator's thread did not run for so many milliseconds.
    pub(super) fn frozen(self, freeze_ms: u64) -> Self {
        Self {
            freeze: Duration::from_millis(freeze_ms),
            ..self
        }
    }
}

impl<S: Fn(&Asked) -> Answer> Transport for Double<S> {
    async fn send(
        &self,
        request: &Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["id"].to_string(), request.id, "the id in the body");
        let mut numbers = body["id"].as_str().unwrap().split('.');
        let mut number = || numbers.next().unwrap_or("0").parse().unwrap();
        let asked = Asked {
            to: request.to,
            workflow: number(),
            round: u16::try_from(number()).unwrap(),
            attempt: u16::try_from(number()).unwrap(),
            at: Instant::now(),
            token: request
                .own_headers
                .iter()
                .find(|(name, _)| *name == AUTHORIZATION)
                .map(|(_, value)| value.to_str().unwrap().to_owned()),
            params: body["params"].clone(),
            body_bytes: request.body.len(),
        };
        let answer = (self.script)(&asked);
        self.asked.borrow_mut().push(asked);
        if !answer.hold.is_zero() {
            sleep(answer.hold).await;
        }
        if !answer.freeze.is_zero() {
            advance(answer.freeze).await;
        }
        match answer.lacks {
            Lacks::Nothing => {
                trace.sent.set(Some(Instant::now()));
                trace.first_sent.set(trace.sent.get());
            }
            Lacks::Connection => {}
            Lacks::Slot => trace.stands_in_line(SlotLimit::Connections),
        }
        if timeout(request.timeout, sleep(answer.takes)).await.is_err() {
            return Err(Failure::Timeout);
        }
        let mut reply = answer.gives?;
        reply["id"] = body["id"].clone();
        let body = reply.to_string().into_bytes();
        let reply = Reply {
            status: answer.status,
            fields: answer.fields.into(),
            body_bytes: body.len() as u64,
            body,
            ..Reply::default()
        };
        let done = Instant::now();
        if !answer.looks.is_zero() {
            sleep(answer.looks).await;
        }
        Ok((reply, done))
    }

    fn connections(&self) -> ConnectionFacts {
        ConnectionFacts::default()
    }
}
