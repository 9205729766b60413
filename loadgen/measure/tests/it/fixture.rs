use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    ConnectionFacts, Environment, GeneratorFacts, InFlight, Outcome, Recorder, ReplicaFacts,
    RoundSample, RunClock, RunFacts, RunResult, ScenarioRecord, ServerTiming, Shape, Threshold,
    Tool, WorkflowSample, Workload,
};

pub(crate) const MS: Duration = Duration::from_millis(1);
pub(crate) const REPLICAS: u16 = 3;

pub(crate) fn shape() -> Shape {
    Shape {
        kinds: vec!["echo".into(), "wizard".into()],
        replicas: (1..=REPLICAS)
            .map(|port| format!("http://127.0.0.1:{port}/mcp"))
            .collect(),
    }
}

pub(crate) fn facts(planned: u64) -> RunFacts {
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let ten = Duration::from_secs(10);
    RunFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "small".into(),
            text: "[load]\n".into(),
            sha256: "00".repeat(32),
        },
        seed: 7,
        options: BTreeMap::from([("spread".into(), "random".into())]),
        targets: Vec::new(),
        replicas: shape()
            .replicas
            .into_iter()
            .map(|url| ReplicaFacts {
                url,
                started_by_run: true,
                cpu_s: Some(1.5),
                rss_bytes: Some(12 << 20),
                ..ReplicaFacts::default()
            })
            .collect(),
        unused_answers: BTreeMap::new(),
        breaks_states: Vec::new(),
        events: Vec::new(),
        environment: Environment::read(),
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
            open_max: 9,
            answering_max: Some(9),
            answering_min: Some(8),
        },
        generator: GeneratorFacts {
            threads: 1,
            cpu_s: Some(2.0),
            run_queue_delay_s: Some(0.1),
            rss_at_5s_bytes: Some(20 << 20),
            rss_at_end_bytes: Some(20 << 20),
        },
        thresholds: vec![threshold("ok.rate >= 0.99")],
        interrupted: false,
        partial: false,
    }
}

pub(crate) fn threshold(text: &str) -> Threshold {
    text.parse().unwrap()
}

/// Wizards of three rounds, 100 ms apart, over all pairs of replicas in turn. `refuse` says
/// which states (minted by, opened by) are refused.
pub(crate) fn wizards(recorder: &mut Recorder, count: u32, refuse: impl Fn(u16, u16) -> bool) {
    for id in 0..count {
        let due = 100 * MS * id;
        recorder.started(1, due);
        let mut at = due;
        let mut minted_by = None;
        let mut ended = Outcome::Ok;
        let mut rounds = 0;
        for round in 0..3_u16 {
            let number = u16::try_from(id).unwrap() + round * (u16::try_from(id).unwrap() / 3);
            let replica = number % REPLICAS;
            let refused = minted_by.is_some_and(|minted| refuse(minted, replica));
            let outcome = if refused {
                Outcome::StateRejected
            } else {
                Outcome::Ok
            };
            let sent = at + MS / 10;
            let done = sent + MS * (1 + u32::from(round)) + MS / 1000 * id;
            recorder.round(&RoundSample {
                kind: 1,
                round,
                outcome,
                attempts: 1,
                intended: at,
                ready: at,
                first_sent: Some(sent),
                sent: Some(sent),
                done,
                replica,
                minted_by,
                request_bytes: 400 + 100 * u64::from(round),
                response_bytes: Some(600),
                state_sent_bytes: (round > 0).then_some(120 + 40 * u64::from(round)),
                state_received_bytes: (round < 2).then_some(160 + 40 * u64::from(round)),
                server: ServerTiming {
                    open: (round > 0).then_some(MS / 100),
                    handle: Some(MS / 50),
                    seal: (round < 2).then_some(MS / 100),
                    store: None,
                },
                reused_connection: id > 2,
            });
            rounds += 1;
            at = done;
            minted_by = Some(replica);
            if refused {
                ended = outcome;
                break;
            }
        }
        recorder.workflow(&WorkflowSample {
            kind: 1,
            outcome: ended,
            rounds,
            intended: due,
            started: due,
            done: at,
            think: Duration::ZERO,
        });
    }
}

pub(crate) fn in_flight(mean: f64) -> InFlight {
    InFlight {
        mean,
        max: 3,
        looks: 100_000,
    }
}

pub(crate) fn json(result: &RunResult) -> String {
    let mut text = Vec::new();
    result.write_json(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}
