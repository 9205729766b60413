use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    Comparison, ConnectionFacts, Environment, FailureExample, GeneratorFacts, InFlight, Outcome,
    Phase, Recorder, Refusal, Replay, ReplicaDeath, ReplicaFacts, RoundSample, RunClock, RunFacts,
    RunResult, ScenarioRecord, SdkView, Sealing, ServerTiming, Shape, SupersededAttempt, Threshold,
    ThrottleSignal, Tool, WorkflowSample, Workload,
};

const US: Duration = Duration::from_micros(1);
const REPLICAS: u16 = 3;

fn shape() -> Shape {
    Shape {
        kinds: vec!["echo".into(), "wizard".into()],
        replicas: (9101..9101 + REPLICAS)
            .map(|port| format!("http://127.0.0.1:{port}/mcp"))
            .collect(),
    }
}

fn facts(planned: u64) -> RunFacts {
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let ten = Duration::from_secs(10);
    RunFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "quickstart".into(),
            text: String::new(),
            sha256: "00".repeat(32),
        },
        seed: 42,
        options: BTreeMap::new(),
        targets: Vec::new(),
        replicas: shape()
            .replicas
            .into_iter()
            .map(|url| ReplicaFacts {
                url,
                started_by_run: true,
                sealing: Some(Sealing {
                    algorithm: "aes-256-gcm".into(),
                    backend: "ring".into(),
                    seal_bound_log2: Some(32),
                    key_shared: true,
                }),
                cpu_s: Some(1.25),
                rss_bytes: Some(9 << 20),
                ..ReplicaFacts::default()
            })
            .collect(),
        unused_answers: BTreeMap::new(),
        breaks_states: Vec::new(),
        events: Vec::new(),
        environment: Environment {
            fingerprint: "Example 3000; 2 cores; x86_64; 8 GiB; Linux 6.12".into(),
            ..Environment::default()
        },
        clock: RunClock::new(start, start + ten, ten, ten),
        workload: Workload {
            label: "partly open".into(),
            arrival_rate_per_s: Some(planned as f64 / 10.0),
            round_cap: Some(10),
            concurrency: None,
        },
        planned,
        in_flight: None,
        failures: Vec::new(),
        connections: ConnectionFacts {
            asked: Some(64),
            open_max: 7,
            ..ConnectionFacts::default()
        },
        generator: GeneratorFacts {
            threads: 2,
            cpu_s: Some(3.5),
            run_queue_delay_s: Some(0.2),
            rss_at_5s_bytes: Some(21 << 20),
            rss_at_end_bytes: Some(22 << 20),
        },
        thresholds: vec![Threshold {
            metric: "ok.rate".parse().unwrap(),
            comparison: Comparison::AtLeast,
            limit: 0.99,
        }],
        interrupted: false,
        partial: false,
    }
}

/// What becomes of a round, by (workflow, round, minted by, opened by).
type Fate = fn(u32, u16, Option<u16>, u16) -> Outcome;

/// Records workflows; the first round of number `resent` is sent twice.
/// Answers what the failed rounds were told.
fn record(
    recorder: &mut Recorder,
    count: u32,
    resent: Option<u32>,
    fate: Fate,
) -> Vec<FailureExample> {
    let mut failures: Vec<FailureExample> = Vec::new();
    let mut connected = [false; REPLICAS as usize];
    for id in 0..count {
        let kind = usize::from(id % 2 == 1);
        let intended = 10_000 * US * id;
        recorder.started(kind, intended);
        let (mut due, mut minted_by, mut rounds) = (intended, None, 0);
        let mut outcome = Outcome::Ok;
        for round in 0..if kind == 0 { 1_u16 } else { 4 } {
            // Mixed up, so that every pair of replicas comes.
            let mixed = id.wrapping_mul(2_654_435_761) >> (4 + 3 * round);
            let replica = u16::try_from(mixed % 3).unwrap();
            outcome = fate(id, round, minted_by, replica);
            let answered = !matches!(outcome, Outcome::Timeout | Outcome::ConnectError);
            let sent = (outcome != Outcome::ConnectError).then_some(due + 40 * US);
            let spread = 1 + mixed % 50 + if mixed % 97 == 0 { 4000 } else { 0 };
            let work = if answered {
                300 * US + 60 * US * u32::from(round) + US * 10 * spread
            } else {
                2_000_000 * US
            };
            let done = due + 40 * US + work;
            let more = answered && kind == 1 && round < 3;
            let reused = sent.is_some() && connected[usize::from(replica)];
            if sent.is_some() && !reused {
                recorder.connect(replica, 150 * US * (1 + u32::from(replica)));
                connected[usize::from(replica)] = true;
            }
            recorder.round(&RoundSample {
                kind,
                round,
                outcome,
                attempts: match sent {
                    Some(_) if resent == Some(id) && round == 0 => 2,
                    _ => 1,
                },
                intended: due,
                ready: due,
                first_sent: sent,
                sent,
                done,
                replica,
                minted_by,
                request_bytes: 420 + 380 * u64::from(round),
                response_bytes: answered.then_some(700 + 250 * u64::from(round)),
                state_sent_bytes: minted_by.map(|_| 40 + 160 * u64::from(round)),
                state_received_bytes: more.then_some(200 + 160 * u64::from(round)),
                server: ServerTiming {
                    open: minted_by.map(|_| 3 * US),
                    handle: answered.then_some(25 * US),
                    seal: more.then_some(4 * US),
                    store: None,
                },
                reused_connection: reused,
            });
            rounds += 1;
            (due, minted_by) = (done, Some(replica));
            if outcome != Outcome::Ok {
                note(&mut failures, outcome, usize::from(replica), id);
                break;
            }
        }
        recorder.workflow(&WorkflowSample {
            kind,
            outcome,
            rounds,
            intended,
            started: intended,
            done: due,
            think: Duration::ZERO,
        });
    }
    failures
}

fn note(failures: &mut Vec<FailureExample>, outcome: Outcome, replica: usize, id: u32) {
    let text = match outcome {
        Outcome::StateRejected => {
            "HTTP 400, JSON-RPC error -32602: Invalid or expired requestState".to_owned()
        }
        Outcome::ProtocolError => "HTTP 413 with text/html: <html>\u{1b}[2J <head><title>413 \
            Request Entity Too Large</title></head> <body> <center><h1>413 Request Entity Too \
            Large</h1></center>"
            .to_owned(),
        Outcome::ToolError => format!("isError: no berth number {id}"),
        Outcome::Timeout => "no whole answer in 2 s".to_owned(),
        _ => "connection refused".to_owned(),
    };
    let known = failures
        .iter_mut()
        .find(|known| (known.outcome, known.replica, &known.text) == (outcome, replica, &text));
    if let Some(known) = known {
        known.count += 1;
    } else {
        failures.push(FailureExample {
            outcome,
            replica,
            text,
            count: 1,
        });
    }
}

/// A good run of a minute.
pub(crate) fn long() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    record(&mut recorder, 6000, None, |_, _, _, _| Outcome::Ok);
    let mut facts = facts(6000);
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let minute = Duration::from_secs(60);
    facts.clock = RunClock::new(start, start + minute, minute, minute);
    facts.workload.arrival_rate_per_s = Some(100.0);
    RunResult::new(facts, &recorder)
}

/// A good run of 1000 workflows.
pub(crate) fn good() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    record(&mut recorder, 1000, None, |_, _, _, _| Outcome::Ok);
    let mut facts = facts(1000);
    facts.in_flight = Some(InFlight {
        mean: 0.274,
        max: 4,
        looks: 1000,
    });
    RunResult::new(facts, &recorder)
}

/// Keys not shared, timeouts, one second attempt, one replica that dies on the way.
pub(crate) fn bad() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    let failures = record(
        &mut recorder,
        300,
        Some(2),
        |id, _, minted_by, opened_by| match minted_by {
            _ if opened_by == 1 && id >= 200 => Outcome::ConnectError,
            Some(minted_by) if minted_by != opened_by => Outcome::StateRejected,
            None if id % 50 == 0 => Outcome::Timeout,
            None if id % 70 == 4 => Outcome::ProtocolError,
            None if id % 90 == 6 => Outcome::ToolError,
            _ => Outcome::Ok,
        },
    );
    recorder.superseded(&SupersededAttempt {
        kind: 0,
        round: 0,
        intended: Duration::ZERO,
        outcome: Outcome::StaleConnection,
        service: Some(100 * US),
    });
    let mut facts = facts(400);
    facts.failures = failures;
    facts.replicas[1].died = Some(ReplicaDeath {
        status: "signal: 9 (SIGKILL)".into(),
        stderr_tail: "listening\nout of \u{1b}[31mmemory".into(),
    });
    facts.replicas[1].cpu_s = None;
    facts.replicas[1].rss_bytes = None;
    facts.connections.answering_max = Some(7);
    facts.connections.answering_min = Some(2);
    for n in 0..100 {
        recorder.not_started(loadgen_measure::NotStarted::NoFreeWorker, 100_000 * US * n);
    }
    RunResult::new(facts, &recorder)
}

/// Stopped after 5 s of a warm-up of 60 s.
pub(crate) fn warming() -> RunResult {
    let phase = |name: &str, warmup, from, to| Phase {
        name: name.into(),
        warmup,
        from: Duration::from_secs(from),
        to: Duration::from_secs(to),
        rate_per_s: Some((100.0, 100.0)),
    };
    let phases = [
        phase("warm-up", true, 0, 60),
        phase("measured", false, 60, 90),
    ];
    let mut recorder = Recorder::with_phases(&shape(), &phases);
    let mut facts = facts(9000);
    facts.failures = record(&mut recorder, 500, None, |_, _, _, _| Outcome::Ok);
    recorder.given_up(loadgen_measure::NotStarted::Interrupted, 0, 5500);
    recorder.given_up(loadgen_measure::NotStarted::Interrupted, 1, 3000);
    let (start, five) = (SystemTime::UNIX_EPOCH, Duration::from_secs(5));
    facts.clock = RunClock::new(start, start + five, five, five);
    facts.interrupted = true;
    RunResult::new(facts, &recorder)
}

/// Two replicas refuse in two ways, and rounds are attempted again.
pub(crate) fn throttled() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    record(&mut recorder, 300, Some(2), |_, _, _, _| Outcome::Ok);
    recorder.limit(25.0);
    for id in 0..60_u32 {
        let replica = u16::try_from(id % 2).unwrap();
        let by_header = replica == 0;
        recorder.refused(&Refusal {
            replica,
            signal: if by_header {
                ThrottleSignal::RetryAfterSeconds
            } else {
                ThrottleSignal::IsErrorText
            },
            certain: by_header,
            sdk: if by_header {
                SdkView::Hidden
            } else {
                SdkView::Seen
            },
            told: by_header.then_some(Duration::from_secs(2)),
            unreadable: id == 1,
            at: 100_000 * US * id,
        });
        recorder.waited(2_000_000 * US + 10_000 * US * id);
        recorder.new_attempt(2_000_000 * US + 10_000 * US * id);
    }
    recorder.clipped_wait();
    recorder.budget_refused();
    recorder.recovered(3_000_000 * US);
    RunResult::new(facts(300), &recorder)
}

/// States that three replicas get at once, of which the records of two are their own.
pub(crate) fn replayed() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    record(&mut recorder, 300, None, |_, _, _, _| Outcome::Ok);
    for id in 0..150 {
        let ok = if id % 3 == 0 { 1 } else { 2 };
        recorder.replayed(
            1,
            &Replay {
                requests: 3,
                ok,
                refused: 2 - ok,
            },
        );
    }
    let mut facts = facts(300);
    for replica in &mut facts.replicas {
        replica.store = Some("memory".into());
    }
    RunResult::new(facts, &recorder)
}

/// Interrupted before anything was sent.
pub(crate) fn empty() -> RunResult {
    let recorder = Recorder::new(&shape());
    let mut facts = facts(0);
    facts.interrupted = true;
    facts.generator = GeneratorFacts::default();
    facts.replicas.clear();
    RunResult::new(facts, &recorder)
}

/// Every connection refused.
pub(crate) fn refused() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    let mut facts = facts(20);
    facts.failures = record(&mut recorder, 20, None, |_, _, _, _| Outcome::ConnectError);
    RunResult::new(facts, &recorder)
}

/// A good run of that many workflows in turn over the kinds, each of that many rounds; all take
/// the same time unless `spread`.
pub(crate) fn regular(kinds: usize, rounds: u16, workflows: u32, spread: bool) -> RunResult {
    let shape = Shape {
        kinds: (0..kinds).map(|kind| format!("kind-{kind}")).collect(),
        ..shape()
    };
    let mut recorder = Recorder::new(&shape);
    for id in 0..workflows {
        let kind = usize::try_from(id).unwrap() % kinds;
        let intended = 10_000 * US * id;
        recorder.started(kind, intended);
        let mut due = intended;
        for round in 0..rounds {
            let extra = if spread {
                13 * US * (id % 71)
            } else {
                Duration::ZERO
            };
            let done = due + 540 * US + 90 * US * u32::from(round) + extra;
            let state = |round: u16| 100 + 50 * u64::from(round);
            recorder.round(&RoundSample {
                kind,
                round,
                outcome: Outcome::Ok,
                attempts: 1,
                intended: due,
                ready: due,
                first_sent: Some(due + 40 * US),
                sent: Some(due + 40 * US),
                done,
                replica: round % REPLICAS,
                minted_by: (round > 0).then(|| (round - 1) % REPLICAS),
                request_bytes: 300 + state(round),
                response_bytes: Some(400 + state(round)),
                state_sent_bytes: (round > 0).then(|| state(round - 1)),
                state_received_bytes: (round + 1 < rounds).then(|| state(round)),
                server: ServerTiming {
                    open: (round > 0).then_some(2 * US),
                    handle: Some(20 * US),
                    seal: (round + 1 < rounds).then_some(2 * US + extra / 100),
                    store: None,
                },
                reused_connection: true,
            });
            due = done;
        }
        recorder.workflow(&WorkflowSample {
            kind,
            outcome: Outcome::Ok,
            rounds,
            intended,
            started: intended,
            done: due,
            think: Duration::ZERO,
        });
    }
    RunResult::new(facts(u64::from(workflows)), &recorder)
}

/// The same without any member that its schema does not require.
pub(crate) fn least(result: &RunResult) -> RunResult {
    let schema = loadgen_measure::result_schema();
    let schema = serde_json::from_str(&schema).unwrap();
    let mut value = serde_json::to_value(result).unwrap();
    strip(&mut value, &schema, &schema);
    serde_json::from_value(value).unwrap()
}

fn strip(value: &mut serde_json::Value, schema: &serde_json::Value, root: &serde_json::Value) {
    use serde_json::Value;
    let schema = match schema["$ref"].as_str() {
        Some(name) => root.pointer(name.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    match value {
        Value::Object(members) if schema["properties"].is_object() => {
            let required = schema["required"].as_array();
            let required: Vec<&str> = required
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            members.retain(|name, _| required.contains(&name.as_str()));
            for (name, member) in members {
                strip(member, &schema["properties"][name], root);
            }
        }
        Value::Array(items) => {
            for item in items {
                strip(item, &schema["items"], root);
            }
        }
        _ => {}
    }
}
