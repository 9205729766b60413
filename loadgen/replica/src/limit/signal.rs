//! What a refusal by the limiter looks like on the wire. MCP 2026-07-28 names no status, header or
//! code for it, so servers differ; a [`Signal`] can be any of what they do.

use http::StatusCode;
use loadgen_protocol::ErrorObject;
use loadgen_seal::UnixSeconds;
use serde_json::{Map, Value};

use crate::http::reply::Field;
use crate::limit::Allowance;

mod body;
mod fields;
mod preset;
mod words;

use body::{Form, WaitMember};
use fields::Fields;
pub use words::SignalError;

/// How a limiter refuses: read from words separated by commas, of which each adds to or changes
/// what the ones before it said. `docs/rate-limit-signals.md` has the words; a name from
/// [`Signal::PRESETS`] stands for some of them.
///
/// Waits are rounded up to whole seconds, and moments lie one second later still, because the
/// clock's own second has begun: whoever obeys is not refused again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    form: Form,
    status: StatusCode,
    fields: Fields,
    /// Whether admitted replies have the fields.
    always: bool,
}

/// A refusal as it goes out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signalled {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<Field>,
    pub(crate) body: Body,
}

/// What a refusal says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    /// Under the request's id.
    Rpc(ErrorObject<'static>),
    /// A tool result under the request's id; the replica adds its `_meta`.
    Result(Map<String, Value>),
    /// Bytes of this media type.
    Other(&'static str, String),
}

impl Signal {
    /// Names for how servers were described, or seen, to refuse in 2026, and the words they stand
    /// for.
    pub const PRESETS: &[(&str, &str)] = preset::PRESETS;

    pub(crate) fn refusal(&self, left: &Allowance, now: UnixSeconds, is_tool: bool) -> Signalled {
        Signalled {
            status: self.status,
            headers: self.fields.refused(left, now),
            body: self.form.body(left, &self.fields.policy, is_tool),
        }
    }

    /// The fields of an admitted reply.
    pub(crate) fn admitted(&self, left: &Allowance, now: UnixSeconds) -> Vec<Field> {
        if self.always {
            self.fields.quota(left, now)
        } else {
            Vec::new()
        }
    }
}

impl Default for Signal {
    /// HTTP 429 with `Retry-After` in seconds and a JSON-RPC error.
    fn default() -> Self {
        "retry-after".parse().expect("a word of this language")
    }
}

/// Whole seconds, rounded up.
fn seconds(wait: std::time::Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// The moment that lies `wait` after now.
fn moment(now: UnixSeconds, wait: std::time::Duration) -> u64 {
    now.0.saturating_add(seconds(wait)).saturating_add(1)
}
