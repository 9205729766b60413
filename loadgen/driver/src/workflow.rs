//! One workflow as a state machine without sockets or clocks: it gives the next request and is fed
//! with the reply.

use std::time::Duration;

use loadgen_measure::Outcome;
use loadgen_protocol::names::{header, meta};
use loadgen_protocol::{ClientCapabilities, Entries, InputRequest, PROTOCOL_VERSION, header_value};
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::value::RawValue;
use serde_json::{json, to_string};

use crate::answers::answer;
use crate::classify::{Meaning, Reply, classify};
use crate::plan::{Kind, Plan};

/// The parts of a kind's requests that never change: made once, spliced into every round.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// From after the id up to the end of the arguments.
    head: String,
    /// Headers beside the transport's own, as names and values.
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Template {
    pub(crate) fn new(kind: &Kind) -> Self {
        let meta = json!({
            meta::PROTOCOL_VERSION: PROTOCOL_VERSION,
            meta::CLIENT_INFO: {"name": "loadgen", "version": env!("CARGO_PKG_VERSION")},
            meta::CLIENT_CAPABILITIES: ClientCapabilities::all(),
        });
        let name = if kind.method == loadgen_protocol::names::method::RESOURCES_READ {
            "uri"
        } else {
            "name"
        };
        let mut head = format!(
            r#","method":"{}","params":{{"_meta":{meta},"{name}":{}"#,
            kind.method,
            json!(kind.target)
        );
        if let Some(arguments) = &kind.arguments {
            head.push_str(r#","arguments":"#);
            head.push_str(arguments);
        }
        Self {
            head,
            headers: vec![
                (header::PROTOCOL_VERSION, PROTOCOL_VERSION.to_owned()),
                (header::METHOD, kind.method.to_owned()),
                (
                    header::NAME,
                    header_value::encode(&kind.target).into_owned(),
                ),
            ],
        }
    }
}

/// What a reply leads to.
#[derive(Debug)]
pub(crate) enum Step {
    /// Another round, after this pause for answering or pacing.
    Again {
        /// How long the user thinks, or how long a state-only round is held back.
        pause: Duration,
    },
    /// The workflow is over.
    Over {
        /// How.
        outcome: Outcome,
        /// What the server said; empty for a success.
        why: String,
    },
}

/// A workflow between two replies.
#[derive(Debug)]
pub(crate) struct Workflow {
    id: u64,
    rng: Xoshiro256PlusPlus,
    round: u16,
    answers: Option<String>,
    state: Option<Box<RawValue>>,
    asked: Option<String>,
}

impl Workflow {
    /// Before round 0. `rng` is the workflow's own stream.
    pub(crate) fn new(id: u64, rng: Xoshiro256PlusPlus) -> Self {
        Self {
            id,
            rng,
            round: 0,
            answers: None,
            state: None,
            asked: None,
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

    /// The JSON-RPC id of the due round: a string, different for every round of every workflow.
    pub(crate) fn request_id(&self) -> String {
        format!("\"{}.{}\"", self.id, self.round)
    }

    /// Bytes of the state that the due round sends back; `None` when there is none.
    pub(crate) fn state_bytes(&self) -> Option<u64> {
        self.state.as_deref().map(state_bytes)
    }

    /// The body of the due round: the kind's unchanging bytes, the newest answers, the newest state.
    pub(crate) fn body(&self, template: &Template) -> Vec<u8> {
        let id = self.request_id();
        let state = self.state.as_ref().map_or("", |s| s.get());
        let answers = self.answers.as_deref().unwrap_or("");
        let mut body = String::with_capacity(
            80 + id.len() + template.head.len() + state.len() + answers.len(),
        );
        body.push_str(r#"{"jsonrpc":"2.0","id":"#);
        body.push_str(&id);
        body.push_str(&template.head);
        if !answers.is_empty() {
            body.push_str(r#","inputResponses":"#);
            body.push_str(answers);
        }
        if !state.is_empty() {
            body.push_str(r#","requestState":"#);
            body.push_str(state);
        }
        body.push_str("}}");
        body.into_bytes()
    }

    /// Takes the reply to the due round. Also gives the bytes of the state in it, if there is one.
    pub(crate) fn take(&mut self, reply: &Reply, plan: &Plan, kind: &Kind) -> (Step, Option<u64>) {
        match classify(reply, &self.request_id(), self.state.is_some()) {
            Meaning::Complete => (over(Outcome::Ok, String::new()), None),
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
        let asked = (!questions.is_empty())
            .then(|| to_string(questions).expect("questions came from JSON and go back to it"));
        // The same question with the very same state, although it was answered: nothing that this
        // client can send will be new to the server.
        let same_state = self.state.as_ref().map(|s| s.get()) == state.as_ref().map(|s| s.get());
        if asked.is_some() && asked == self.asked && same_state {
            let why = "asked the same question again with the same state".to_owned();
            return over(Outcome::NoProgress, why);
        }
        let pause = if asked.is_some() {
            kind.think
        } else {
            plan.state_only_pause
        };
        self.answers = asked.is_some().then(|| {
            let answers: Entries<_> = questions
                .iter()
                .map(|(key, question)| (key.to_owned(), answer(question, &mut self.rng)))
                .collect();
            to_string(&answers).expect("answers hold only JSON values")
        });
        self.asked = asked;
        // Without a new state the old one is dropped: it may not be sent again.
        self.state = state;
        self.round += 1;
        Step::Again { pause }
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
mod tests {
    use super::*;
    use crate::scenario::{Scenario, Source};
    use crate::schedule::workflow_rng;
    use proptest::prelude::*;
    use serde_json::Value;

    fn plan() -> Plan {
        let source = Source::new(
            "x.toml",
            "[load]\nrate_per_s = 1\nduration_s = 1\nround_cap = 3\n[[workflow]]\ntool = \"trière\"\n\
             arguments = { n = 1 }\nthink_s = 2\n",
        );
        Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap()
    }

    struct Talk {
        plan: Plan,
        template: Template,
        workflow: Workflow,
    }

    impl Talk {
        fn new() -> Self {
            let plan = plan();
            Self {
                template: Template::new(&plan.kinds[0]),
                workflow: Workflow::new(4, workflow_rng(1, 4)),
                plan,
            }
        }

        fn sent(&self) -> Value {
            serde_json::from_slice(&self.workflow.body(&self.template)).unwrap()
        }

        fn reply(&mut self, result: &str) -> Step {
            let id = self.workflow.request_id();
            let reply = Reply {
                status: 200,
                body: format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes(),
                ..Reply::default()
            };
            self.workflow
                .take(&reply, &self.plan, &self.plan.kinds[0])
                .0
        }
    }

    fn question(key: &str, state: &str) -> String {
        format!(
            r#"{{"resultType":"input_required","inputRequests":{{"{key}":{{"method":"elicitation/create","params":{{"message":"?","requestedSchema":{{"type":"object","properties":{{"a":{{"type":"string"}}}}}}}}}}}}{state}}}"#
        )
    }

    #[test]
    fn rounds_repeat_the_request_and_carry_only_the_newest_answers_and_state() {
        let mut talk = Talk::new();
        let first = talk.sent();
        assert_eq!(first["params"]["arguments"]["n"], 1);
        assert!(first["params"].get("requestState").is_none());
        assert_eq!(talk.template.headers[2].1, header_value::encode("trière"));

        let step = talk.reply(&question("one", r#","requestState":"a\u00e9\/b""#));
        assert!(matches!(step, Step::Again { pause } if pause == Duration::from_secs(2)));
        let body = String::from_utf8(talk.workflow.body(&talk.template)).unwrap();
        assert!(body.contains(r#""requestState":"a\u00e9\/b""#), "{body}");
        assert_eq!(talk.workflow.state_bytes(), Some(5), "aé/b in UTF-8");
        let second = talk.sent();
        assert_ne!(second["id"], first["id"]);
        for same in ["_meta", "name", "arguments"] {
            assert_eq!(second["params"][same], first["params"][same]);
        }
        assert_eq!(
            second["params"]["inputResponses"]["one"]["action"],
            "accept"
        );

        talk.reply(&question("two", ""));
        let third = talk.sent();
        assert!(
            third["params"].get("requestState").is_none(),
            "no new state, none sent"
        );
        assert!(third["params"]["inputResponses"].get("one").is_none());
        assert!(matches!(
            talk.reply("{}"),
            Step::Over {
                outcome: Outcome::Ok,
                ..
            }
        ));
    }

    #[test]
    fn a_state_only_reply_is_paced_and_answered_without_answers() {
        let mut talk = Talk::new();
        let step = talk.reply(r#"{"resultType":"input_required","requestState":""}"#);
        assert!(matches!(step, Step::Again { pause } if pause == Duration::from_millis(250)));
        let sent = talk.sent();
        assert_eq!(
            sent["params"]["requestState"], "",
            "an empty state is present"
        );
        assert!(sent["params"].get("inputResponses").is_none());
        assert_eq!(talk.workflow.state_bytes(), Some(0));
    }

    #[test]
    fn an_endless_prompter_stops_exactly_at_the_cap() {
        let mut talk = Talk::new();
        for round in 0..3 {
            assert_eq!(talk.workflow.round(), round);
            let asked = question("again", &format!(r#","requestState":"s{round}""#));
            assert!(matches!(talk.reply(&asked), Step::Again { .. }));
        }
        let step = talk.reply(&question("again", r#","requestState":"s3""#));
        assert!(matches!(
            step,
            Step::Over {
                outcome: Outcome::RoundCap,
                ..
            }
        ));
        assert_eq!(talk.workflow.round(), 3, "three retries were sent");
    }

    #[test]
    fn the_same_question_with_the_same_state_is_no_progress() {
        let mut talk = Talk::new();
        let asked = question("again", r#","requestState":"s""#);
        assert!(matches!(talk.reply(&asked), Step::Again { .. }));
        assert!(matches!(
            talk.reply(&asked),
            Step::Over {
                outcome: Outcome::NoProgress,
                ..
            }
        ));
    }

    proptest! {
        #[test]
        fn any_reply_leads_to_a_whole_request_or_to_an_end(
            changes in prop::collection::vec((0_usize..1000, any::<u8>()), 0..4),
            cut in 0_usize..1000,
        ) {
            let mut talk = Talk::new();
            let id = talk.workflow.request_id();
            let asked = question("one", r#","requestState":"a\u00e9\/b\ud83d\ude00""#);
            let mut body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{asked}}}"#).into_bytes();
            for (at, byte) in changes {
                let at = at % body.len();
                body[at] = byte;
            }
            // Most are left whole: a cut one is refused before anything else is looked at.
            if cut < body.len() / 2 {
                body.truncate(cut);
            }
            let reply = Reply { status: 200, body, ..Reply::default() };
            let (step, state) = talk.workflow.take(&reply, &talk.plan, &talk.plan.kinds[0]);
            match step {
                Step::Again { .. } => {
                    // A lone half of a surrogate pair is sent back as it came, although no reader
                    // can give it a meaning.
                    let sent = talk.workflow.body(&talk.template);
                    prop_assert!(serde_json::from_slice::<Box<RawValue>>(&sent).is_ok());
                    prop_assert_eq!(state, talk.workflow.state_bytes());
                }
                Step::Over { outcome, why } => {
                    prop_assert!(why.is_empty() == (outcome == Outcome::Ok), "{outcome}: {why}");
                }
            }
        }
    }
}
