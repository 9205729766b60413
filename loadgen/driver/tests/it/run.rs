use std::collections::BTreeMap;

use loadgen_driver::{Plan, Run, RunOutput, Scenario, Source, Target};
use loadgen_measure::{
    Environment, FailureExample, GeneratorFacts, Outcome, RunFacts, RunResult, Tool,
};

use tokio::net::TcpSocket;

use crate::server::{Act, Heard, Server};

/// The plan of this scenario.
pub(crate) fn scenario(text: &str) -> Plan {
    let source = Source::new("it.toml", text);
    Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap()
}

/// A plan of one thread with these lines in `[load]` and one workflow of these lines. Its drain is
/// so long that a slow machine loses nothing.
pub(crate) fn plan(load: &str, workflow: &str) -> Plan {
    scenario(&format!(
        "[load]\nthreads = 1\ndrain_s = 60\n{load}\n[[workflow]]\n{workflow}\n"
    ))
}

/// `count` workflows that all arrive in a moment.
pub(crate) fn burst(count: u32, more: &str) -> Plan {
    plan(
        &format!("rate_per_s = {}\nduration_s = 0.02\n{more}", count * 50),
        "tool = \"t\"",
    )
}

/// One workflow after the other, which needs a connection limit of 1 and nothing else.
pub(crate) fn in_turn(count: u32, more: &str) -> Plan {
    burst(count, &format!("connections = 1\n{more}"))
}

pub(crate) fn targets(urls: &[String]) -> Vec<Target> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    urls.iter()
        .map(|url| runtime.block_on(Target::resolve(url)).unwrap())
        .collect()
}

/// A port that nobody listens at, held so that nobody else can.
pub(crate) struct ClosedPort(TcpSocket);

impl ClosedPort {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.0.local_addr().unwrap())
    }
}

/// Runs a plan to its end, with its seconds in a file.
pub(crate) fn run(plan: &Plan, urls: &[String]) -> RunResult {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::start(plan.clone(), &targets(urls)).unwrap();
    run.spill_to(folder.path());
    assert!(run.spill_trouble().is_none());
    let result = result(plan, urls, run.join());
    for second in &result.seconds {
        let counts = second.rounds.iter().map(|round| round.count);
        assert_eq!(counts.sum::<u64>(), second.ok, "{second:?}");
        let held = second.rounds.iter().map(|round| round.histogram.latency());
        let held = held.map(|latency| latency.unwrap().count());
        assert_eq!(held.sum::<u64>(), second.ok, "{second:?}");
    }
    let not_started: u64 = result.load.not_started.values().sum();
    assert_eq!(result.load.planned, result.load.started + not_started);
    let ended: u64 = result.load.outcomes.values().sum();
    assert_eq!(result.load.started, ended);
    result
}

/// Runs a plan against one server with this script. Gives the server too, for what it saw.
pub(crate) fn run_against(
    plan: &Plan,
    script: impl Fn(&Heard) -> Vec<Act> + Send + Sync + 'static,
) -> (RunResult, Server) {
    let server = Server::new(script);
    (run(plan, &[server.url()]), server)
}

pub(crate) fn result(plan: &Plan, urls: &[String], output: RunOutput) -> RunResult {
    let facts = RunFacts {
        tool: Tool {
            name: "loadgen".to_owned(),
            version: "0".to_owned(),
        },
        scenario: plan.scenario.clone(),
        seed: plan.seed,
        options: BTreeMap::new(),
        targets: urls.to_vec(),
        replicas: Vec::new(),
        unused_answers: BTreeMap::new(),
        breaks_states: Vec::new(),
        events: Vec::new(),
        environment: Environment::default(),
        clock: output.clock,
        workload: plan.workload(),
        planned: output.planned,
        in_flight: output.in_flight,
        connections: output.connections,
        failures: output.failures,
        generator: GeneratorFacts::default(),
        thresholds: Vec::new(),
        interrupted: false,
        partial: false,
    };
    RunResult::new(facts, &output.samples)
}

/// How many workflows ended so.
pub(crate) fn count(result: &RunResult, outcome: Outcome) -> u64 {
    result.load.outcomes.get(&outcome).copied().unwrap_or(0)
}

/// The one thing that was said about failures.
pub(crate) fn said(result: &RunResult) -> &FailureExample {
    let [failure] = result.failures.as_slice() else {
        panic!("{:?}", result.failures);
    };
    failure
}

/// A reply with a JSON body and its length.
pub(crate) fn http(status: &str, media_type: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The JSON-RPC response to a request.
pub(crate) fn response(heard: &Heard, result: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        heard.id()
    )
}

pub(crate) fn complete(heard: &Heard) -> Vec<u8> {
    let text = r#"{"resultType":"complete","content":[{"type":"text","text":"世界"}]}"#;
    http("200 OK", "application/json", &response(heard, text))
}

/// A question with this state, which is put in as it is written.
pub(crate) fn question_text(state: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{"k":{{"method":"elicitation/create","params":{{"message":"世界?","requestedSchema":{{"type":"object","properties":{{"n":{{"type":"integer"}}}}}}}}}}}},"requestState":{state}}}"#
    )
}

pub(crate) fn question(heard: &Heard, state: &str) -> Vec<u8> {
    let text = question_text(state);
    http("200 OK", "application/json", &response(heard, &text))
}
