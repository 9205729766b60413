//! One workflow as a state machine without sockets or clocks: it gives the next request and is fed
//! with the reply.

mod own;
mod request_id;
mod template;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use loadgen_measure::Outcome;
use loadgen_protocol::{ClientCapabilities, Entries, InputRequest};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::to_string;
use serde_json::value::RawValue;

use self::own::Own;
use self::request_id::RequestId;
use crate::answers::{answers, up_front};
use crate::classify::{Meaning, Reply, classify, lacks};
use crate::plan::{Kind, Plan};
use crate::throttle::Notice;

pub(crate) use template::{Template, request_headers, request_meta};

/// What a reply leads to.
#[derive(Debug)]
pub(crate) enum Step {
    /// Another round, after this pause for answering or pacing.
    Again {
        /// How long the user thinks, or how long a state-only round is held back.
        pause: Duration,
        /// Whether anything was asked; otherwise the server wants its state back, and no more.
        asked: bool,
    },
    /// The user was asked something and leaves: the round went well, the workflow is abandoned.
    Leave,
    /// Refused by a rate limit: over, unless another attempt is made.
    Throttled {
        /// How the server said so and how long to wait.
        notice: Notice,
        /// What the server said.
        why: String,
    },
    /// The workflow is over, unless the round is attempted again.
    Over {
        /// How.
        outcome: Outcome,
        /// What the server said; empty for a success.
        why: String,
    },
}

impl Step {
    /// How the round ended, as far as its last attempt says.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::Again { .. } | Self::Leave => Outcome::Ok,
            Self::Throttled { .. } => Outcome::Throttled,
            Self::Over { outcome, .. } => *outcome,
        }
    }
}

/// A workflow between two replies.
#[derive(Debug)]
pub(crate) struct Workflow {
    id: u64,
    rng: Xoshiro256PlusPlus,
    round: u16,
    attempt: u16,
    requests: u16,
    /// JSON text, not a byte more: a user may think long, and many may think at one time.
    answers: Option<Box<str>>,
    state: Option<Box<RawValue>>,
    /// Fingerprint of the newest questions.
    asked: Option<NonZeroU64>,
    own: Option<Box<Own>>,
}

impl Workflow {
    /// Before round 0. `rng` is the workflow's own stream.
    pub(crate) fn new(id: u64, mut rng: Xoshiro256PlusPlus, plan: &Plan, kind: &Kind) -> Self {
        let answers = up_front(&kind.answers, &mut rng).map(Box::from);
        Self {
            id,
            rng,
            round: 0,
            attempt: 0,
            requests: 0,
            answers,
            // Without a state there is nothing to break, but one can be invented.
            state: kind.break_state.and_then(|fault| fault.apply(None)),
            asked: None,
            own: Own::new(id, plan, kind),
        }
    }

    /// The round that is due, from 0.
    pub(crate) fn round(&self) -> u16 {
        self.round
    }

    /// The workflow's random stream.
    pub(crate) fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    /// Requests before the due one, over all rounds and their attempts.
    pub(crate) fn requests(&self) -> u16 {
        self.requests
    }

    /// Makes the due round's next attempt due: the same request with an id of its own.
    pub(crate) fn attempt_again(&mut self) {
        self.attempt += 1;
        self.requests = self.requests.saturating_add(1);
    }

    /// The JSON-RPC id of the due round's attempt.
    pub(crate) fn request_id(&self) -> RequestId {
        RequestId::new(self.id, self.round, self.attempt)
    }

    /// How long the request that is due waits before its connection is closed, when it is one of those
    /// that do not wait for their reply.
    pub(crate) fn disconnects_after(&mut self, kind: &Kind) -> Option<Duration> {
        let departure = &kind.departure;
        (departure.disconnect > 0.0 && self.rng.random::<f64>() < departure.disconnect)
            .then_some(departure.after)
    }

    /// Bytes of the state that the due round sends back; `None` when there is none.
    pub(crate) fn state_bytes(&self) -> Option<u64> {
        self.state.as_deref().map(state_bytes)
    }

    /// The body of the due round: the kind's unchanging bytes, the workflow's own, the newest answers,
    /// the newest state.
    pub(crate) fn body(&mut self, template: &Template) -> Vec<u8> {
        let id = self.request_id();
        let id = id.as_str();
        let own = self.own.as_deref_mut();
        let trace = own.and_then(|own| own.traceparent(id));
        let arguments = self.own.as_ref().and_then(|own| own.arguments.as_deref());
        let arguments = arguments.unwrap_or("");
        let state = self.state.as_ref().map_or("", |s| s.get());
        let answers = self.answers.as_deref().unwrap_or("");
        let trace = trace.as_deref().unwrap_or("");
        let member = |name: &'static str, value: &str| match value {
            "" => "",
            _ => name,
        };
        let parts = [
            r#"{"jsonrpc":"2.0","id":"#,
            id,
            &template.head,
            member(r#","traceparent":""#, trace),
            trace,
            member("\"", trace),
            &template.tail,
            member(r#","arguments":"#, arguments),
            arguments,
            member(r#","inputResponses":"#, answers),
            answers,
            member(r#","requestState":"#, state),
            state,
            "}}",
        ];
        // Of the very length: bytes that are shared later need no other place then.
        let mut body = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            body.extend_from_slice(part.as_bytes());
        }
        body
    }

    /// Bytes of the body that are the trace context: none of what the workflow itself has to say.
    pub(crate) fn trace_bytes(&self) -> u64 {
        self.own.as_ref().map_or(0, |own| own.trace_bytes())
    }

    /// Bytes of its header fields that are the trace context: names and values.
    pub(crate) fn trace_header_bytes(&self) -> u64 {
        self.own.as_ref().map_or(0, |own| own.trace_header_bytes())
    }

    /// Headers of the request whose body was made last, beside those of its kind.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        self.own.as_ref().map_or(&[], |own| &own.headers)
    }

    /// Takes the reply to the due round. Also gives the bytes of the state in it, if there is one.
    pub(crate) fn take(&mut self, reply: &Reply, plan: &Plan, kind: &Kind) -> (Step, Option<u64>) {
        let sent_state = self.state.is_some();
        match classify(
            reply,
            self.request_id().as_str(),
            sent_state,
            &plan.throttle.result_text,
        ) {
            Meaning::Complete => (complete(reply, kind), None),
            Meaning::Throttled { notice, why } => (Step::Throttled { notice, why }, None),
            Meaning::Failed { outcome, why } => (over(outcome, why), None),
            Meaning::Ask { questions, state } => {
                let bytes = state.as_deref().map(state_bytes);
                (self.ask(&questions, state, plan, kind), bytes)
            }
        }
    }

    fn ask(
        &mut self,
        questions: &Entries<InputRequest>,
        state: Option<Box<RawValue>>,
        plan: &Plan,
        kind: &Kind,
    ) -> Step {
        if self.round >= plan.round_cap {
            let why = format!("still asked for input after {} retries", plan.round_cap);
            return over(Outcome::RoundCap, why);
        }
        if let Some(what) = undeclared(questions, &plan.client.capabilities) {
            let why = format!("asked for {what}, which this client did not declare");
            return over(Outcome::ProtocolError, why);
        }
        let asked = (!questions.is_empty()).then(|| fingerprint(questions));
        // The same question with the very same state, although it was answered: nothing that this
        // client can send will be new to the server.
        let same_state = self.state.as_ref().map(|s| s.get()) == state.as_ref().map(|s| s.get());
        if asked.is_some() && asked == self.asked && same_state {
            let why = "asked the same question again with the same state".to_owned();
            return over(Outcome::NoProgress, why);
        }
        let abandon = kind.departure.abandon;
        if asked.is_some() && abandon > 0.0 && self.rng.random::<f64>() < abandon {
            return Step::Leave;
        }
        let pause = if asked.is_some() {
            Duration::from_secs_f64(kind.think.sample(&mut self.rng))
        } else {
            plan.state_only_pause
        };
        self.answers = None;
        if asked.is_some() {
            match answers(questions, &kind.answers, &mut self.rng) {
                Ok(made) => self.answers = Some(made.into_boxed_str()),
                Err(excess) => return over(Outcome::ProtocolError, excess.to_string()),
            }
        }
        self.asked = asked;
        // Without a new state the old one is dropped: it may not be sent again.
        self.state = match kind.break_state {
            None => state,
            Some(fault) => fault.apply(state),
        };
        self.round += 1;
        self.attempt = 0;
        self.requests = self.requests.saturating_add(1);
        Step::Again {
            pause,
            asked: self.asked.is_some(),
        }
    }
}

/// Tells questions apart: one that thinks long need not keep their text. Two that differ are taken
/// for the same once in 2^64.
fn fingerprint(questions: &Entries<InputRequest>) -> NonZeroU64 {
    let text = to_string(questions).expect("questions came from JSON and go back to it");
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN)
}

/// What is asked although the client's capabilities do not allow it.
fn undeclared(
    questions: &Entries<InputRequest>,
    declared: &ClientCapabilities,
) -> Option<&'static str> {
    questions.iter().find_map(|(_, question)| match question {
        InputRequest::Form(_) => (!declared.allows_form()).then_some("a form"),
        InputRequest::Url(_) => (!declared.allows_url()).then_some("a URL visit"),
        InputRequest::Sampling(asked) if !asked.tools.is_empty() && !declared.allows_tools() => {
            Some("sampling with tools")
        }
        InputRequest::Sampling(_) => declared.sampling.is_none().then_some("sampling"),
        InputRequest::Roots => declared.roots.is_none().then_some("roots"),
    })
}

/// A success, unless it lacks the text that its kind expects.
fn complete(reply: &Reply, kind: &Kind) -> Step {
    let expected = kind.expect_text.as_deref();
    match expected.and_then(|expected| lacks(reply, expected)) {
        Some(why) => over(Outcome::WrongContent, why),
        None => over(Outcome::Ok, String::new()),
    }
}

fn over(outcome: Outcome, why: String) -> Step {
    Step::Over { outcome, why }
}

/// Bytes of the string that this JSON text means. Length alone: the content is opaque.
fn state_bytes(state: &RawValue) -> u64 {
    let written = state.get();
    let inner = &written[1..written.len() - 1];
    let length = if inner.contains('\\') {
        serde_json::from_str::<String>(written).map_or(inner.len(), |text| text.len())
    } else {
        inner.len()
    };
    length as u64
}

#[cfg(test)]
mod tests;
