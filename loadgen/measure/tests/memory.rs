//! Heap of the recorder. A binary of its own, because the counting allocator is global.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    Archive, ConnectionFacts, Environment, GeneratorFacts, Outcome, Recorder, RoundSample,
    RunClock, RunFacts, RunResult, ScenarioRecord, ServerTiming, Shape, Tool, Workload,
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const ROUNDS: u16 = 4;
const PER_SECOND: u32 = 100;
/// Only one test at a time can count.
static COUNTING: Mutex<()> = Mutex::new(());

/// Records one second of load: the times of a round are spread evenly over 100 buckets or more,
/// the same ones in every second.
fn second(recorder: &mut Recorder, second: u32) {
    for step in 0..PER_SECOND {
        for round in 0..ROUNDS {
            let sent = Duration::from_secs(u64::from(second)) + Duration::from_millis(100);
            let done = sent + Duration::from_micros(100) * (1 + step * u32::from(1 + round));
            recorder.round(&RoundSample {
                kind: 0,
                round,
                outcome: Outcome::Ok,
                attempts: 1,
                intended: sent,
                ready: sent,
                first_sent: Some(sent),
                sent: Some(sent),
                done,
                replica: 0,
                minted_by: (round > 0).then_some(0),
                request_bytes: 400,
                response_bytes: Some(600),
                state_sent_bytes: (round > 0).then_some(100),
                state_received_bytes: Some(180),
                server: ServerTiming {
                    open: Some(Duration::from_micros(2)),
                    handle: Some(Duration::from_micros(9)),
                    seal: Some(Duration::from_micros(2)),
                    store: None,
                },
                reused_connection: true,
            });
        }
    }
}

fn recorder() -> Recorder {
    Recorder::new(&Shape {
        kinds: vec!["wizard".into()],
        replicas: vec!["http://127.0.0.1:1/mcp".into()],
    })
}

fn facts() -> RunFacts {
    let (start, length) = (SystemTime::UNIX_EPOCH, Duration::from_secs(601));
    RunFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0".into(),
        },
        scenario: ScenarioRecord {
            name: "memory".into(),
            text: String::new(),
            sha256: String::new(),
        },
        seed: 0,
        options: Default::default(),
        targets: Vec::new(),
        replicas: Vec::new(),
        unused_answers: std::collections::BTreeMap::new(),
        breaks_states: Vec::new(),
        events: Vec::new(),
        environment: Environment::default(),
        clock: RunClock::new(start, start + length, length, length),
        workload: Workload {
            label: "closed".into(),
            arrival_rate_per_s: None,
            round_cap: Some(10),
            concurrency: Some(1),
        },
        planned: 0,
        in_flight: None,
        connections: ConnectionFacts::default(),
        failures: Vec::new(),
        generator: GeneratorFacts::default(),
        thresholds: Vec::new(),
        interrupted: false,
        partial: false,
    }
}

#[test]
fn a_second_takes_a_few_hundred_bytes_for_each_round_and_a_sample_none() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut recorder = recorder();
    second(&mut recorder, 0);
    let first = dhat::HeapStats::get();
    assert!(first.curr_bytes < 8 << 20, "{} bytes", first.curr_bytes);

    second(&mut recorder, 0);
    let again = dhat::HeapStats::get();
    assert_eq!(again.total_blocks, first.total_blocks, "per sample");

    for number in 1..=600 {
        second(&mut recorder, number);
    }
    let grown = dhat::HeapStats::get().curr_bytes - again.curr_bytes;
    let per_second_and_round = grown / 600 / usize::from(ROUNDS);
    // At least a byte for each of the 100 buckets, or nothing was kept.
    assert!(
        (100..1000).contains(&per_second_and_round),
        "{per_second_and_round} bytes"
    );

    // The histograms of all seconds and rounds together would be some 200 MB.
    let result = RunResult::new(facts(), &recorder);
    assert_eq!(result.seconds.len(), 601);
    let peak = dhat::HeapStats::get().max_bytes;
    assert!(peak < 24 << 20, "{peak} bytes at most");
}

#[test]
fn seconds_that_stand_in_a_file_take_no_memory_nor_does_their_result() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut recorder = recorder();
    let mut archive = Archive::default();
    archive.spill_to(folder.path());
    let mut early = 0;
    for number in 0..=600 {
        second(&mut recorder, number);
        if number % 5 == 0 {
            archive.add(recorder.take_finished());
        }
        if number == 60 {
            early = dhat::HeapStats::get().curr_bytes;
        }
    }
    let late = dhat::HeapStats::get();
    let per_second_and_round = (late.curr_bytes - early) / 540 / usize::from(ROUNDS);
    assert!(per_second_and_round < 200, "{per_second_and_round} bytes");
    assert!(archive.trouble().is_none());

    // A recorder is megabytes; what is made of it is to be less, whatever the length.
    archive.lend(&mut recorder);
    let result = RunResult::new(facts(), &recorder);
    result.save(&path).unwrap();
    assert_eq!(result.seconds[600].rounds.len(), usize::from(ROUNDS));
    assert!(result.steady.is_some());
    let peak = dhat::HeapStats::get().max_bytes - late.curr_bytes;
    assert!(
        peak < late.curr_bytes,
        "{peak} bytes beside {}",
        late.curr_bytes
    );
}
