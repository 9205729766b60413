//! Records ten minutes of synthetic load, 10 million rounds, and prints what the recorder and the
//! result file take: `cargo run --release -p loadgen-measure --example long_run`. It fails when
//! they take more than the bounds below.

use std::time::{Duration, SystemTime};

use loadgen_measure::{
    ConnectionFacts, Environment, GeneratorFacts, Outcome, ProcessUsage, Recorder, RoundSample,
    RunClock, RunFacts, RunResult, ScenarioRecord, ServerTiming, Shape, Tool, WorkflowSample,
    Workload,
};

const ROUNDS: u16 = 4;
const REPLICAS: u16 = 3;
/// Growth of the resident memory from the fifth second on.
const MOST_GROWTH_BYTES: u64 = 8 << 20;
/// Result file of one minute.
const MOST_JSON_BYTES: usize = 2_000_000;

fn main() {
    let minute = run(60, 1_000_000);
    assert!(minute <= MOST_JSON_BYTES, "{minute} bytes for one minute");
    run(600, 10_000_000);
}

/// Records that many rounds evenly over the seconds; size of the result file in bytes.
fn run(seconds: u64, rounds: u64) -> usize {
    let shape = Shape {
        kinds: vec!["wizard".into()],
        replicas: (1..=REPLICAS).map(|n| format!("replica {n}")).collect(),
    };
    let mut recorder = Recorder::new(&shape);
    let workflows = rounds / u64::from(ROUNDS);
    let between = Duration::from_secs(seconds) / u32::try_from(workflows).expect("few enough");
    let mut random = Random(1);
    let mut after_5_s = None;
    for id in 0..workflows {
        let intended = between * u32::try_from(id).expect("few enough");
        if after_5_s.is_none() && intended >= Duration::from_secs(5) {
            after_5_s = Some(rss_bytes());
        }
        workflow(&mut recorder, &mut random, intended);
    }
    let growth = rss_bytes().saturating_sub(after_5_s.unwrap_or_default());
    let json = RunResult::new(facts(seconds, workflows), &recorder)
        .to_json()
        .len();
    println!(
        "{seconds} s, {rounds} rounds: memory grew by {growth} bytes after 5 s, result.json has \
         {json} bytes"
    );
    assert!(growth <= MOST_GROWTH_BYTES, "{growth} bytes");
    json
}

fn workflow(recorder: &mut Recorder, random: &mut Random, intended: Duration) {
    recorder.started(0, intended);
    let (mut due, mut minted_by) = (intended, None);
    for round in 0..ROUNDS {
        let replica = u16::try_from(random.next() % u64::from(REPLICAS)).expect("below 3");
        let sent = due + Duration::from_micros(20 + random.next() % 50);
        let done = sent + random.latency();
        recorder.round(&RoundSample {
            kind: 0,
            round,
            outcome: Outcome::Ok,
            attempts: 1,
            intended: due,
            ready: due,
            first_sent: Some(sent),
            sent: Some(sent),
            done,
            replica,
            minted_by,
            request_bytes: 400 + 200 * u64::from(round),
            response_bytes: Some(600 + 100 * u64::from(round)),
            state_sent_bytes: minted_by.map(|_| 100 + 80 * u64::from(round)),
            state_received_bytes: Some(180 + 80 * u64::from(round)),
            server: ServerTiming {
                open: minted_by.map(|_| Duration::from_nanos(900 + random.next() % 4000)),
                handle: Some(Duration::from_nanos(2000 + random.next() % 9000)),
                seal: Some(Duration::from_nanos(900 + random.next() % 4000)),
            },
            reused_connection: true,
        });
        (due, minted_by) = (done, Some(replica));
    }
    recorder.workflow(&WorkflowSample {
        kind: 0,
        outcome: Outcome::Ok,
        rounds: ROUNDS,
        intended,
        started: intended,
        done: due,
        think: Duration::ZERO,
    });
}

/// Marsaglia's xorshift64 ("Xorshift RNGs", Journal of Statistical Software 8, 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between 100 us and 10 ms, evenly in the logarithm: more different values than most servers
    /// have.
    fn latency(&mut self) -> Duration {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        Duration::from_micros(100).mul_f64(100_f64.powf(share))
    }
}

fn rss_bytes() -> u64 {
    ProcessUsage::of_self().map_or(0, |usage| usage.rss_bytes)
}

fn facts(seconds: u64, planned: u64) -> RunFacts {
    let start = SystemTime::UNIX_EPOCH;
    let length = Duration::from_secs(seconds);
    RunFacts {
        tool: Tool {
            name: "long_run".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        scenario: ScenarioRecord {
            name: "synthetic".into(),
            text: String::new(),
            sha256: String::new(),
        },
        seed: 1,
        options: Default::default(),
        targets: Vec::new(),
        replicas: Vec::new(),
        unused_answers: std::collections::BTreeMap::new(),
        breaks_states: Vec::new(),
        events: Vec::new(),
        environment: Environment::read(),
        clock: RunClock::new(start, start + length, length, length),
        workload: Workload {
            label: "partly open".into(),
            arrival_rate_per_s: Some(planned as f64 / seconds as f64),
            round_cap: Some(10),
            concurrency: None,
        },
        planned,
        in_flight: None,
        connections: ConnectionFacts::default(),
        failures: Vec::new(),
        generator: GeneratorFacts::default(),
        thresholds: Vec::new(),
        interrupted: false,
        partial: false,
    }
}
