//! Records synthetic load of 2000 workflows of four rounds a second, writes a checkpoint every 5 s as a
//! run does, and prints what the process takes by the minute, and what the result takes:
//! `cargo run --release -p loadgen-measure --example long_run [MINUTES [FOLDER]]`, ten of them if none
//! are given. Time is simulated. It fails when memory or file take more than the bounds below. The result
//! stays in the folder, if one is given.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use loadgen_measure::{
    Archive, ConnectionFacts, Environment, GeneratorFacts, Outcome, ProcessUsage, Recorder,
    RoundSample, RunClock, RunFacts, RunResult, ScenarioRecord, ServerTiming, Shape, Tool,
    WorkflowSample, Workload,
};

const ROUNDS: u16 = 4;
const REPLICAS: u16 = 3;
const PER_S: u32 = 2000;
const CHECKPOINT_EVERY: Duration = Duration::from_secs(5);
/// By how much the most that is resident in a minute may grow after the first tenth of the run, for
/// each second and each of its series (rounds, and whole workflows).
const MOST_GROWTH_BYTES: u64 = 400;
/// What making and writing the result may take beyond that.
const MOST_RESULT_KIB: u64 = 4096;
/// Result file of one minute.
const MOST_JSON_BYTES: u64 = 2_000_000;

fn main() {
    let minutes = std::env::args().nth(1);
    let minutes = minutes.map_or(10, |text| text.parse().expect("a number of minutes"));
    if let Some(folder) = std::env::args().nth(2) {
        run(minutes, Path::new(&folder));
    } else {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        run(minutes, folder.path());
    }
}

/// Records so many minutes.
fn run(minutes: u32, folder: &Path) {
    let shape = Shape {
        kinds: vec!["wizard".into()],
        replicas: (1..=REPLICAS).map(|n| format!("replica {n}")).collect(),
    };
    let file = folder.join("result.json");
    let length = Duration::from_secs(60) * minutes;
    let mut recorder = Recorder::new(&shape);
    let mut archive = Archive::default();
    archive.spill_to(folder);
    let mut random = Random(1);
    let mut checkpoint = Duration::from_secs(2);
    let mut next_minute = Duration::from_secs(60);
    let (mut early, mut most) = (0, 0);
    let begun = Instant::now();
    for id in 0..60 * minutes * PER_S {
        let intended = Duration::from_secs(1) / PER_S * id;
        workflow(&mut recorder, &mut random, intended);
        if intended >= checkpoint {
            checkpoint += CHECKPOINT_EVERY;
            archive.add(recorder.take_finished());
            let mut copy = recorder.clone();
            archive.lend(&mut copy);
            let facts = facts(intended, u64::from(id), true);
            let result = RunResult::new(facts, &copy);
            result.save(&file).expect("a checkpoint can be written");
        }
        if intended >= next_minute {
            next_minute += Duration::from_secs(60);
            let (now, peak) = (rss_bytes() >> 10, peak_kib());
            println!(
                "{:4.0} s: {now} KiB, at most {peak} KiB in this minute",
                intended.as_secs_f64()
            );
            let so_far = if intended <= length / 10 + CHECKPOINT_EVERY {
                &mut early
            } else {
                &mut most
            };
            *so_far = peak.max(*so_far);
            forget_peak();
        }
    }
    println!(
        "at most {early} KiB in the first tenth and {most} KiB later, after {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    forget_peak();
    let begun = Instant::now();
    archive.add(recorder.take_finished());
    archive.lend(&mut recorder);
    let facts = facts(length, recorder.started_count(), false);
    let result = RunResult::new(facts, &recorder);
    let made = begun.elapsed().as_secs_f64();
    let with_result = peak_kib();
    result.save(&file).expect("a result can be written");
    let hlog = result.save_hlog(&folder.join("rounds.hlog"));
    hlog.expect("a log can be written");
    let end = peak_kib();
    let bytes = std::fs::metadata(&file).expect("it was written").len();
    println!(
        "the result took {made:.2} s to make and {:.2} s to write: at most {with_result} KiB while it \
         was made, {end} KiB in all; result.json has {bytes} bytes",
        begun.elapsed().as_secs_f64() - made,
    );
    assert!(
        bytes <= MOST_JSON_BYTES * u64::from(minutes),
        "{bytes} bytes"
    );
    // Less than ten minutes have no minute in their first tenth.
    let series = length.as_secs() * u64::from(ROUNDS + 1);
    assert!(
        early == 0 || most <= early + MOST_GROWTH_BYTES * series / 1024,
        "memory grows"
    );
    assert!(
        early == 0 || end <= most + MOST_RESULT_KIB,
        "the result takes much memory"
    );
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
                store: None,
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

/// The most that was resident since [`forget_peak`], in KiB; 0 where the system does not say.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|text| text.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

fn forget_peak() {
    // Where this is not allowed the peak is that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn facts(length: Duration, planned: u64, partial: bool) -> RunFacts {
    let start = SystemTime::UNIX_EPOCH;
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
            arrival_rate_per_s: Some(planned as f64 / length.as_secs_f64()),
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
        partial,
    }
}
