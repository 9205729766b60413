use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use loadgen_protocol::names::method;
use loadgen_protocol::{ErrorCode, ErrorObject, Message, STATE_REJECTED_MESSAGE};

use crate::faults::fault::Fault;
use crate::faults::request::Misled;
use crate::faults::snapshot::Interruption;
use crate::faults::values::{ErrorKind, StateRefusal};
use crate::http::reply::{self, Reply};
use crate::http::reply_body::ReplyBody;
use crate::refusal::Refusal;
use crate::server::cut::Cut;

/// How a refusal is told instead of in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retold {
    /// The same error with this HTTP status.
    Status(StatusCode),
    /// A tool result that is an error, with this text.
    ToolError(&'static str),
}

impl Misled {
    /// What is answered to a request with this body instead of executing it, if anything.
    pub(crate) fn instead(&self, body: &[u8]) -> Option<Reply> {
        Some(match self.interruption()? {
            Interruption::Close => cut(),
            Interruption::Html(status) => {
                let page = format!(
                    "<!DOCTYPE html>\n<html><head><title>{status}</title></head>\n\
                     <body><h1>{status}</h1></body></html>\n"
                );
                reply::text(status, "text/html; charset=utf-8", page)
            }
            Interruption::Error(kind) => error(kind, body),
        })
    }

    /// How a refusal of a request of this method is told, if not in its own way.
    pub(crate) fn retell(&self, refusal: &Refusal, method: &str) -> Option<Retold> {
        match refusal {
            Refusal::Capability(_) => {
                let status = self.settings().capability_status?;
                self.count(Fault::CapabilityStatus);
                Some(Retold::Status(status.get()))
            }
            Refusal::State => {
                let told = self.settings().state_refusal?;
                self.count(Fault::StateRefusal);
                Some(match told {
                    StateRefusal::ToolError if method == method::TOOLS_CALL => {
                        Retold::ToolError(STATE_REJECTED_MESSAGE)
                    }
                    StateRefusal::ToolError | StateRefusal::Http200 => {
                        Retold::Status(StatusCode::OK)
                    }
                })
            }
            Refusal::Version { only: Some(_), .. } => {
                self.count(Fault::OnlyVersion);
                None
            }
            _ => None,
        }
    }

    /// The reply as it leaves.
    pub(crate) async fn end(&self, reply: Reply) -> Reply {
        if Cut::is_wanted(&reply) {
            return reply;
        }
        if self.closes_after() {
            // What streams is executed while it is read.
            let _ = reply.into_body().collect().await;
            return cut();
        }
        if self.settings().drip.is_some() {
            self.count(Fault::Drip);
        }
        self.with_line_end(reply)
    }

    fn with_line_end(&self, reply: Reply) -> Reply {
        let Some(end) = self.settings().sse_line_end else {
            return reply;
        };
        let kind = reply.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != "text/event-stream") {
            return reply;
        }
        self.count(Fault::SseLineEnd);
        reply.map(|body| body.with_line_end(end))
    }
}

/// Tells the transport to close the connection, or to reset the stream, instead of answering.
fn cut() -> Reply {
    let mut reply = Reply::new(ReplyBody::empty());
    reply.extensions_mut().insert(Cut);
    reply
}

fn error(kind: ErrorKind, body: &[u8]) -> Reply {
    let text = |status: StatusCode| {
        reply::text(status, "text/plain; charset=utf-8", format!("{status}\n"))
    };
    let rpc = |status| {
        let id = match Message::parse(body) {
            Ok(Message::Request(request)) => Some(request.id),
            Ok(Message::Notification) => None,
            Err(unusable) => unusable.id,
        };
        let error = ErrorObject {
            code: ErrorCode::INTERNAL,
            message: "Internal error".into(),
            data: None,
        };
        reply::error(status, id, &error)
    };
    match kind {
        ErrorKind::Http500 => text(StatusCode::INTERNAL_SERVER_ERROR),
        ErrorKind::Http503 => text(StatusCode::SERVICE_UNAVAILABLE),
        ErrorKind::Rpc500 => rpc(StatusCode::INTERNAL_SERVER_ERROR),
        ErrorKind::Rpc200 => rpc(StatusCode::OK),
    }
}
