mod questions;

use super::*;
use crate::scenario::{Scenario, Source};
use crate::schedule::workflow_rng;
use loadgen_protocol::header_value;
use proptest::prelude::*;
use serde_json::{Value, json};

const GOOD: &str = "[load]\nrate_per_s = 1\nduration_s = 1\nround_cap = 3\n[[workflow]]\n\
    tool = \"trière\"\narguments = { n = 1 }\nthink_s = 2\n";

fn plan_of(text: &str) -> Plan {
    let source = Source::new("x.toml", text);
    Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap()
}

struct Talk {
    plan: Plan,
    template: Template,
    workflow: Workflow,
}

impl Talk {
    fn new() -> Self {
        Self::of(GOOD)
    }

    fn of(text: &str) -> Self {
        let plan = plan_of(text);
        Self {
            template: Template::new(&plan.client, &plan.kinds[0]),
            workflow: Workflow::new(4, workflow_rng(1, 4), &plan, &plan.kinds[0]),
            plan,
        }
    }

    fn sent(&mut self) -> Value {
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
    assert!(matches!(step, Step::Again { pause, .. } if pause == Duration::from_secs(2)));
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
    assert!(matches!(step, Step::Again { pause, .. } if pause == Duration::from_millis(250)));
    let sent = talk.sent();
    assert_eq!(
        sent["params"]["requestState"], "",
        "an empty state is present"
    );
    assert!(sent["params"].get("inputResponses").is_none());
    assert_eq!(talk.workflow.state_bytes(), Some(0));
}

#[test]
fn another_attempt_is_the_same_request_with_an_id_of_its_own() {
    let mut talk = Talk::new();
    talk.reply(&question("one", r#","requestState":"a""#));
    let mut first = talk.sent();
    talk.workflow.attempt_again();
    let mut second = talk.sent();
    assert_eq!(
        (&first["id"], &second["id"]),
        (&"4.1".into(), &"4.1.1".into())
    );
    first["id"].take();
    second["id"].take();
    assert_eq!(first, second);
    assert_eq!((talk.workflow.round(), talk.workflow.requests()), (1, 2));
    talk.reply(&question("two", r#","requestState":"b""#));
    assert_eq!(talk.sent()["id"], "4.2", "a new round begins anew");
    assert_eq!(talk.workflow.requests(), 3);
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
                assert_eq!(sent.len(), sent.capacity());
                prop_assert!(serde_json::from_slice::<Box<RawValue>>(&sent).is_ok());
                prop_assert_eq!(state, talk.workflow.state_bytes());
            }
            Step::Leave => prop_assert!(false, "nobody leaves"),
            Step::Throttled { why, .. } => prop_assert!(!why.is_empty()),
            Step::Over { outcome, why } => {
                prop_assert!(why.is_empty() == (outcome == Outcome::Ok), "{outcome}: {why}");
            }
        }
    }
}

#[test]
fn templates_are_filled_once_for_all_rounds() {
    let text = GOOD.replace(
        "n = 1",
        "n = \"{{int 1 1000000}}\", id = \"{{id}}\", u = \"{{uuid}}\"",
    );
    let mut talk = Talk::of(&text);
    let first = talk.sent();
    assert_eq!(first["params"]["arguments"]["id"], 4);
    assert!(first["params"]["arguments"]["n"].is_u64());
    let before = raw_arguments(&mut talk);
    talk.reply(&question("one", r#","requestState":"s""#));
    let second = talk.sent();
    assert_eq!(raw_arguments(&mut talk), before, "byte for byte");
    assert_eq!(second["params"]["requestState"], "s");
    let mut other = Workflow::new(5, workflow_rng(1, 5), &talk.plan, &talk.plan.kinds[0]);
    let other: Value = serde_json::from_slice(&other.body(&talk.template)).unwrap();
    assert_ne!(other["params"]["arguments"], first["params"]["arguments"]);
}

fn raw_arguments(talk: &mut Talk) -> String {
    #[derive(serde::Deserialize)]
    struct Sent {
        params: Params,
    }
    #[derive(serde::Deserialize)]
    struct Params {
        arguments: Box<RawValue>,
    }
    let body = talk.workflow.body(&talk.template);
    let sent: Sent = serde_json::from_slice(&body).unwrap();
    sent.params.arguments.get().to_owned()
}

#[test]
fn a_trace_context_keeps_its_trace_and_has_a_parent_for_every_request() {
    let text = format!("[client]\ntrace_context = true\n{GOOD}");
    let mut talk = Talk::of(&text);
    let mut seen = Vec::new();
    for _ in 0..2 {
        let sent = talk.sent();
        let context = sent["params"]["_meta"]["traceparent"]
            .as_str()
            .unwrap()
            .to_owned();
        let [(name, header)] = talk.workflow.headers() else {
            panic!("one header");
        };
        assert_eq!(
            (name.as_str(), header.to_str().unwrap()),
            ("traceparent", context.as_str())
        );
        assert_eq!(context.len(), 55, "{context}");
        assert!(
            context.starts_with("00-") && context.ends_with("-01"),
            "{context}"
        );
        let state = if seen.is_empty() { "s" } else { "t" };
        seen.push(context);
        talk.reply(&question("one", &format!(r#","requestState":"{state}""#)));
    }
    let traced = talk.workflow.body(&talk.template).len() as u64;
    let mut plain = Talk::new();
    plain.reply(&question("one", r#","requestState":"s""#));
    plain.reply(&question("one", r#","requestState":"t""#));
    assert_eq!(plain.workflow.trace_bytes(), 0);
    assert_eq!(
        traced - talk.workflow.trace_bytes(),
        plain.workflow.body(&plain.template).len() as u64,
        "counted apart"
    );
    assert_eq!(seen[0][..36], seen[1][..36], "one trace");
    assert_ne!(seen[0][36..52], seen[1][36..52], "two parents");
    assert!(
        Talk::new().sent()["params"]["_meta"]
            .get("traceparent")
            .is_none()
    );
}

#[test]
fn the_client_is_who_the_scenario_says() {
    let text = format!(
        "[client]\nname = \"probe\"\nversion = \"9\"\ncapabilities = [\"url\"]\n\
         headers = {{ X-Tenant = \"a b\", accept = \"application/json\" }}\n{GOOD}"
    );
    let mut talk = Talk::of(&text);
    let meta = talk.sent()["params"]["_meta"].clone();
    assert_eq!(
        meta["io.modelcontextprotocol/clientInfo"],
        json!({"name": "probe", "version": "9"})
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({"elicitation": {"url": {}}})
    );
    let headers = &talk.template.headers;
    assert!(
        headers.contains(&("x-tenant".into(), "a b".to_owned())),
        "{headers:?}"
    );
    assert!(talk.workflow.headers().is_empty());
}

/// Five shapes of the capability and both modes: what is not declared may not be asked.
#[test]
fn a_question_that_was_not_declared_is_a_protocol_error() {
    let form = r#"{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}"#;
    let url = r#"{"method":"elicitation/create","params":{"mode":"url","message":"?","url":"https://load.example"}}"#;
    let sampling = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}"#;
    let tools = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9,"tools":[{}]}}"#;
    let roots = r#"{"method":"roots/list"}"#;
    for (declared, allowed) in [
        ("", [false, false, false, false, false]),
        ("\"elicitation\"", [true, false, false, false, false]),
        ("\"form\"", [true, false, false, false, false]),
        ("\"url\"", [false, true, false, false, false]),
        ("\"form\", \"url\"", [true, true, false, false, false]),
        ("\"sampling\"", [false, false, true, false, false]),
        ("\"sampling.tools\"", [false, false, true, true, false]),
        ("\"roots\"", [false, false, false, false, true]),
    ] {
        for (asked, allowed) in [form, url, sampling, tools, roots].into_iter().zip(allowed) {
            let text = format!("[client]\ncapabilities = [{declared}]\n{GOOD}");
            let step = Talk::of(&text).reply(&format!(
                r#"{{"resultType":"input_required","inputRequests":{{"k":{asked}}}}}"#
            ));
            match step {
                Step::Leave | Step::Throttled { .. } => panic!("nobody leaves or is refused"),
                Step::Again { .. } => assert!(allowed, "[{declared}] {asked}"),
                Step::Over { outcome, why } => {
                    assert!(!allowed, "[{declared}] {asked}");
                    assert_eq!(outcome, Outcome::ProtocolError);
                    assert!(why.ends_with("did not declare"), "{why}");
                }
            }
        }
    }
}

#[test]
fn thinking_takes_as_long_as_its_distribution_says_and_never_less_than_nothing() {
    let text = GOOD.replace(
        "think_s = 2",
        "think = { kind = \"normal\", mean_s = 0.01, deviation_s = 0.05, most_s = 0.02 }",
    );
    let talk = Talk::of(&text);
    let (mut at_once, mut longest) = (0, 0);
    for id in 0..1000 {
        let kind = &talk.plan.kinds[0];
        let mut workflow = Workflow::new(id, workflow_rng(1, id), &talk.plan, kind);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
            workflow.request_id(),
            question("one", "")
        );
        let reply = Reply {
            status: 200,
            body: body.into_bytes(),
            ..Reply::default()
        };
        match workflow.take(&reply, &talk.plan, kind).0 {
            Step::Again { pause, .. } => {
                assert!(pause <= Duration::from_millis(20));
                at_once += u32::from(pause.is_zero());
                longest += u32::from(pause == Duration::from_millis(20));
            }
            step => panic!("{step:?}"),
        }
    }
    // Each has a share of 0.4207, the normal distribution below -0.2; three sigma are 47.
    assert!(
        at_once.abs_diff(421) < 48 && longest.abs_diff(421) < 48,
        "{at_once} {longest}"
    );
}

#[test]
fn a_user_leaves_as_often_as_planned_and_only_when_asked() {
    let talk = Talk::of(&format!("{GOOD}abandon = 0.25\n"));
    let (plan, kind) = (&talk.plan, &talk.plan.kinds[0]);
    let mut left = 0_u32;
    for id in 0..1000 {
        let mut workflow = Workflow::new(id, workflow_rng(1, id), plan, kind);
        let mut step = |result: &str| {
            let id = workflow.request_id();
            let reply = Reply {
                status: 200,
                body: format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes(),
                ..Reply::default()
            };
            workflow.take(&reply, plan, kind).0
        };
        let state_only = step(r#"{"resultType":"input_required","requestState":"s"}"#);
        assert!(matches!(state_only, Step::Again { .. }), "{state_only:?}");
        match step(&question("one", "")) {
            Step::Leave => left += 1,
            Step::Again { .. } => {}
            step @ (Step::Over { .. } | Step::Throttled { .. }) => panic!("{step:?}"),
        }
    }
    // Three sigma of a binomial with n = 1000, p = 1/4 is 41.
    assert!(left.abs_diff(250) < 42, "{left}");
}

#[test]
fn marked_arguments_are_repeated_in_headers() {
    let schema = json!({"properties": {
        "n": {"type": "integer", "x-mcp-header": "Number"},
        "t": {"type": "string", "x-mcp-header": "Text"}}});
    let with_marks = |arguments: &str| {
        let mut plan = plan_of(&GOOD.replace("n = 1", arguments));
        plan.kinds[0].mirrored = crate::plan::Mirrored::all(&schema).unwrap();
        plan
    };
    let fixed = with_marks("n = 1");
    let template = Template::new(&fixed.client, &fixed.kinds[0]);
    assert!(
        template
            .headers
            .contains(&("mcp-param-number".into(), "1".to_owned()))
    );
    assert_eq!(template.headers.len(), 4, "no header for what is not there");
    let filled = with_marks("n = \"{{id}}\", t = \"é {{id}}\"");
    let template = Template::new(&filled.client, &filled.kinds[0]);
    assert_eq!(template.headers.len(), 3);
    let workflow = Workflow::new(7, workflow_rng(1, 7), &filled, &filled.kinds[0]);
    let headers: Vec<_> = workflow
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let text = header_value::encode("é 7");
    assert_eq!(
        headers,
        [("mcp-param-number", "7"), ("mcp-param-text", &*text)]
    );
}

#[test]
fn a_state_is_broken_as_the_scenario_says() {
    for (fault, sent) in [
        ("cut", json!("stat")),
        ("omitted", Value::Null),
        ("invented", json!("an-invented-state")),
    ] {
        let mut talk = Talk::of(&format!("{GOOD}break_state = \"{fault}\"\n"));
        let invents = fault == "invented";
        assert_eq!(talk.sent()["params"].get("requestState").is_some(), invents);
        talk.reply(&question("one", r#","requestState":"state""#));
        assert_eq!(talk.sent()["params"]["requestState"], sent, "{fault}");
    }
}
