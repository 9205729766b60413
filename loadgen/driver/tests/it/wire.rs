use std::collections::BTreeSet;

use loadgen_measure::{Outcome, RunResult};

use crate::run::{complete, count, plan, question, response, run_against, scenario};
use crate::server::{Act, Heard};

/// States with every way to write a character, one per round; the last one is empty.
const STATES: [&str; 4] = [
    r#""plain-_.~A0""#,
    r#""a\u00E9\/\\\"\n\ud83d\ude00é😀""#,
    r#"" \u0000 ""#,
    r#""""#,
];

fn script(heard: &Heard) -> Vec<Act> {
    let reply = match STATES.get(usize::from(heard.round())) {
        Some(state) => question(heard, state),
        None => complete(heard),
    };
    // A session id means nothing here and must not come back.
    let reply = String::from_utf8(reply).unwrap();
    let reply = reply.replacen("\r\n", "\r\nMcp-Session-Id: abc\r\n", 1);
    vec![Act::Write(reply.into_bytes())]
}

#[test]
fn every_round_repeats_the_request_byte_for_byte() {
    let plan = plan(
        "rate_per_s = 150\nduration_s = 0.02\nconnections = 1",
        "tool = \"trière\"\narguments = { text = \"é\\n😀\", whole = 31, part = 31.0, deep = [{ b = true }] }",
    );
    let (result, server) = run_against(&plan, script);
    assert_eq!(count(&result, Outcome::Ok), 3, "{:?}", result.failures);
    let heard = server.heard();
    assert_eq!(heard.len(), 15);
    let ids: BTreeSet<String> = heard.iter().map(Heard::id).collect();
    assert_eq!(ids.len(), 15, "a new id for every round");
    let arguments = r#""arguments":{"deep":[{"b":true}],"part":31.0,"text":"é\n😀","whole":31}"#;
    let meta = heard[0].json()["params"]["_meta"].clone();
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert!(meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"]["form"].is_object());
    for request in &heard {
        let (round, json) = (usize::from(request.round()), request.json());
        assert!(request.body.contains(arguments), "{}", request.body);
        assert_eq!(json["jsonrpc"], "2.0");
        assert_eq!(json["params"]["name"], "trière");
        assert_eq!(json["params"]["_meta"], meta);
        match round.checked_sub(1) {
            None => {
                assert!(json["params"].get("requestState").is_none());
                assert!(json["params"].get("inputResponses").is_none());
            }
            Some(before) => {
                let state = format!(r#""requestState":{}"#, STATES[before]);
                assert!(request.body.contains(&state), "{}", request.body);
                let answer = &json["params"]["inputResponses"]["k"];
                assert_eq!(answer["action"], "accept");
                assert!(answer["content"]["n"].is_i64());
            }
        }
    }
}

/// A gateway that relays states, or puts its route before those of the server behind it and takes it away
/// again: a client sees nothing but longer states.
#[test]
fn states_that_a_gateway_wraps_are_longer_and_nothing_else() {
    const ROUTE: &str = "route=b;";
    let through = |route: &'static str| {
        let gateway = move |heard: &Heard| {
            let round = heard.round();
            if let Some(before) = round.checked_sub(1) {
                let json = heard.json();
                let state = json["params"]["requestState"].as_str().unwrap();
                let behind = state.strip_prefix(route).expect("the gateway's own state");
                assert_eq!(behind, format!("state of round {before}"));
            }
            vec![Act::Write(match round {
                0..3 => question(heard, &format!("\"{route}state of round {round}\"")),
                _ => complete(heard),
            })]
        };
        let plan = plan(
            "rate_per_s = 250\nduration_s = 0.02\nconnections = 1",
            "tool = \"t\"",
        );
        run_against(&plan, gateway).0
    };
    let (relayed, wrapped) = (through(""), through(ROUTE));
    for result in [&relayed, &wrapped] {
        assert_eq!(count(result, Outcome::Ok), 5, "{:?}", result.failures);
    }
    for round in 0..3 {
        let received = |result: &RunResult| {
            let sizes = result.all.rounds[round].state_received.as_ref().unwrap();
            (sizes.min_bytes, sizes.max_bytes)
        };
        let sent = |result: &RunResult| {
            let sizes = result.all.rounds[round + 1].state_sent.as_ref().unwrap();
            (sizes.min_bytes, sizes.max_bytes)
        };
        let longer = |(min, max): (u64, u64)| (min + 8, max + 8);
        assert_eq!(received(&wrapped), longer(received(&relayed)), "{round}");
        assert_eq!(sent(&wrapped), received(&wrapped), "{round}");
    }
}

#[test]
fn the_headers_are_those_of_the_contract() {
    let plan = plan(
        "rate_per_s = 50\nduration_s = 0.02",
        "tool = \"trière\"\narguments = { a = 1 }",
    );
    let (_, server) = run_against(&plan, script);
    let host = server
        .url()
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .to_owned();
    for request in server.heard() {
        assert!(
            request.head.starts_with("POST /mcp HTTP/1.1\r\n"),
            "{}",
            request.head
        );
        let length = request.body.len().to_string();
        for (name, value) in [
            ("Host", host.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "=?base64?dHJpw6hyZQ==?="),
            ("Content-Length", &length),
        ] {
            assert_eq!(request.header(name), Some(value), "{name}");
        }
        assert_eq!(
            request.head.lines().count(),
            8,
            "no other header: {}",
            request.head
        );
    }
}

#[test]
fn requests_look_the_same_whatever_their_connection_has_seen() {
    let plan = scenario(
        "[load]\nrate_per_s = 150\nduration_s = 0.02\nthreads = 1\ndrain_s = 60\nconnections = 1\n\
         [client]\ntrace_context = true\nheaders = { X-Own = \"a b\" }\n[[workflow]]\ntool = \"t\"\n",
    );
    // After chunks a connection is looked at in another way.
    let (result, server) = run_against(&plan, |heard| {
        if heard.workflow() != 1 {
            return vec![Act::Write(complete(heard))];
        }
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let body = response(heard, "{}");
        let reply = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        vec![Act::Write(reply.into_bytes())]
    });
    assert_eq!(count(&result, Outcome::Ok), 3, "{:?}", result.failures);
    assert_eq!(server.accepted(), 1);
    let plain = |heard: &Heard| {
        let lines = heard.head.lines();
        let lines = lines.map(|line| match line.split_once(": ") {
            Some(("traceparent", _)) => "traceparent",
            _ => line,
        });
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let heard = server.heard();
    assert_eq!(heard.len(), 3, "none was sent twice");
    assert_eq!(plain(&heard[0]).len(), 10);
    for later in &heard[1..] {
        assert_eq!(plain(later), plain(&heard[0]));
        assert_eq!(later.body.len(), heard[0].body.len());
    }
}

#[test]
fn prompts_and_resources_are_named_as_the_contract_says() {
    for (workflow, method, name) in [
        (
            "prompt = \"p\"\narguments = { a = \"1\" }",
            "prompts/get",
            "name",
        ),
        ("resource = \"memo://1\"", "resources/read", "uri"),
    ] {
        let plan = plan("rate_per_s = 50\nduration_s = 0.02", workflow);
        let (result, server) = run_against(&plan, script);
        assert_eq!(count(&result, Outcome::Ok), 1, "{:?}", result.failures);
        for request in server.heard() {
            let json = request.json();
            assert_eq!(json["method"], method);
            assert_eq!(request.header("Mcp-Method"), Some(method));
            assert_eq!(request.header("Mcp-Name"), json["params"][name].as_str());
            assert_eq!(
                json["params"].get("arguments").is_some(),
                method == "prompts/get"
            );
        }
    }
}

#[test]
fn sizes_in_the_result_are_those_on_the_wire() {
    let plan = plan("rate_per_s = 50\nduration_s = 0.02", "tool = \"t\"");
    let (result, server) = run_against(&plan, script);
    for (round, request) in result.all.rounds.iter().zip(server.heard()) {
        let bytes = request.body.len() as u64;
        assert_eq!(round.request.as_ref().unwrap().max_bytes, bytes);
    }
    let sent: Vec<_> = result
        .all
        .rounds
        .iter()
        .map(|round| &round.state_sent)
        .collect();
    let lengths: Vec<_> = sent
        .iter()
        .map(|size| size.as_ref().map(|s| s.max_bytes))
        .collect();
    // In UTF-8: 11 plain; a, é, four signs, 😀, é, 😀; two spaces round a zero; nothing.
    assert_eq!(lengths, [None, Some(11), Some(17), Some(3), Some(0)]);
}
