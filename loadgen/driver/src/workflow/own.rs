use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rand::RngExt;

use super::template::mirrored;
use crate::content::Maker;
use crate::plan::{Kind, Plan};
use crate::schedule::workflow_rng;

/// Mixed into the seed for trace numbers.
const STREAM: u64 = 0x7472_6163_6570_6172;
/// Characters of a trace context of version 00.
const VALUE_BYTES: u64 = 55;
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// What a workflow's requests have that others of its kind do not: pure functions of seed and
/// workflow number, kept for all of its rounds. Workflows without any of it carry none of this.
#[derive(Debug)]
pub(super) struct Own {
    /// JSON text of the arguments, when they hold templates.
    pub(super) arguments: Option<String>,
    /// Further headers. With a trace context, that is the last one.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// The number of the trace, when there is one.
    trace: Option<u128>,
}

impl Own {
    pub(super) fn new(id: u64, plan: &Plan, kind: &Kind) -> Option<Box<Self>> {
        let arguments = kind
            .arguments
            .as_ref()
            .filter(|arguments| arguments.fixed().is_none());
        let token = plan.client.principals.token(plan.principal(id));
        let traced = plan.client.trace_context;
        if arguments.is_none() && token.is_none() && !traced {
            return None;
        }
        let arguments =
            arguments.map(|a| a.make(&mut Maker::new(plan.seed, id, plan.rows.as_deref())));
        let token = token.map(|token| (AUTHORIZATION, token.clone()));
        let mirrored = arguments.iter().flat_map(|text| mirrored(kind, text));
        let mirrored = mirrored.map(|(name, value)| {
            let name = HeaderName::try_from(name).expect("marks are tokens");
            (
                name,
                HeaderValue::try_from(value).expect("values are encoded"),
            )
        });
        let headers = token.into_iter().chain(mirrored).collect();
        Some(Box::new(Self {
            arguments,
            headers,
            // All zeroes would mean "no trace".
            trace: traced.then(|| workflow_rng(plan.seed ^ STREAM, id).random::<u128>() | 1),
        }))
    }

    /// Bytes that a trace context takes in a body: `,"traceparent":""` and its value.
    pub(super) fn trace_bytes(&self) -> u64 {
        self.trace.map_or(0, |_| 17 + VALUE_BYTES)
    }

    /// Bytes that it takes in the header fields: name and value.
    pub(super) fn trace_header_bytes(&self) -> u64 {
        self.trace
            .map_or(0, |_| TRACEPARENT.as_str().len() as u64 + VALUE_BYTES)
    }

    /// The trace context of the request with this id, also put among the headers: version 00, the
    /// workflow's trace, a parent of its own for every request, sampled (W3C Trace Context, level 1,
    /// section 3.2).
    pub(super) fn traceparent(&mut self, request_id: &str) -> Option<String> {
        let trace = self.trace?;
        // FNV-1a: the parent must differ between requests, no more.
        let parent = request_id.bytes().fold(trace as u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let text = format!("00-{trace:032x}-{:016x}-01", parent.max(1));
        let value = HeaderValue::try_from(&text).expect("hexadecimal digits are legal in a header");
        self.headers.retain(|(name, _)| *name != TRACEPARENT);
        self.headers.push((TRACEPARENT, value));
        Some(text)
    }
}
