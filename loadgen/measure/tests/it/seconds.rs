use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    Archive, Finding, FindingCode, KindResult, LatencyFigures, Outcome, Recorder, RoundSample,
    RunClock, RunResult, ServerTiming, Steady, WorkflowSample,
};

use crate::fixture::{MS, facts, shape};

const SECONDS: u32 = 120;
const PER_S: u32 = 200;

/// Marsaglia's xorshift64, so that the figures below stay what they are.
struct Random(u64);

impl Random {
    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Workflows of one or two rounds over two minutes. Times fall to a third over the first ten
/// seconds, are evenly spread in their logarithm otherwise, and every 20 s there is a stall of 300 ms.
fn two_minutes(mut each: impl FnMut(&mut dyn FnMut(&mut Recorder))) {
    let mut random = Random(0x5eed);
    for id in 0..SECONDS * PER_S {
        let due = Duration::from_secs(1) / PER_S * id;
        let slow = 1.0 + 2.0 * f64::max(1.0 - due.as_secs_f64() / 10.0, 0.0);
        let stall = 0.3 - due.as_secs_f64() % 20.0;
        let rounds = 1 + u16::from(id % 3 == 0);
        let times: Vec<Duration> = (0..rounds)
            .map(|round| {
                let time = MS.mul_f64(slow * 10_f64.powf(2.0 * random.share()));
                let wait = if round == 0 { stall.max(0.0) } else { 0.0 };
                time + Duration::from_secs_f64(wait)
            })
            .collect();
        each(&mut |recorder| workflow(recorder, due, &times));
    }
}

fn workflow(recorder: &mut Recorder, due: Duration, times: &[Duration]) {
    recorder.started(1, due);
    let mut at = due;
    for (round, time) in (0..).zip(times) {
        recorder.round(&RoundSample {
            kind: 1,
            round,
            outcome: Outcome::Ok,
            attempts: 1,
            intended: at,
            ready: at,
            first_sent: Some(at),
            sent: Some(at),
            done: at + *time,
            replica: 0,
            minted_by: (round > 0).then_some(0),
            request_bytes: 400,
            response_bytes: Some(600),
            state_sent_bytes: None,
            state_received_bytes: None,
            server: ServerTiming::default(),
            reused_connection: true,
        });
        at += *time;
    }
    recorder.workflow(&WorkflowSample {
        kind: 1,
        outcome: Outcome::Ok,
        rounds: u16::try_from(times.len()).unwrap(),
        intended: due,
        started: due,
        done: at,
        think: Duration::ZERO,
    });
}

fn result(recorder: &Recorder) -> RunResult {
    let (start, length) = (
        SystemTime::UNIX_EPOCH,
        Duration::from_secs(u64::from(SECONDS)),
    );
    let mut facts = facts(u64::from(SECONDS * PER_S));
    facts.clock = RunClock::new(start, start + length, length, length);
    RunResult::new(facts, recorder)
}

/// What comes from the seconds, as text.
fn told(result: &RunResult) -> String {
    let mut text = String::new();
    kind(&mut text, &result.all);
    kind(&mut text, &result.kinds[1]);
    steady(&mut text, result.steady.as_ref().unwrap());
    for second in result.seconds.iter().filter(|second| {
        second.second < 3 || second.second % 20 == 0 || second.second >= u64::from(SECONDS)
    }) {
        for round in &second.rounds {
            let latency = round.histogram.latency().unwrap();
            writeln!(
                text,
                "second {} round {}: {} times, p50 {} p99 {} max {}, {} buckets, {} together",
                second.second,
                round.round,
                round.count,
                round.p50_ns,
                round.p99_ns,
                round.max_ns,
                latency.buckets().count(),
                latency.sum_ns(),
            )
            .unwrap();
        }
    }
    text
}

fn kind(text: &mut String, kind: &KindResult) {
    writeln!(text, "{}", kind.name).unwrap();
    let workflows = kind.workflows[&Outcome::Ok].response.as_ref();
    figures(text, "workflow", workflows.unwrap());
    for round in &kind.rounds {
        let response = round.ok().unwrap().response.as_ref();
        figures(text, &format!("round {}", round.round), response.unwrap());
    }
}

fn steady(text: &mut String, steady: &Steady) {
    writeln!(text, "cut {:?}: {}", steady.warmup_cut_s, steady.reason).unwrap();
    let drift = steady.drift.unwrap();
    // Logarithms may differ in their last digit from machine to machine.
    writeln!(text, "drift {:.9} {:.9}", drift.z, drift.change).unwrap();
    figures(text, "steady workflow", steady.workflow.as_ref().unwrap());
    for round in &steady.rounds {
        figures(
            text,
            &format!("steady round {}", round.round),
            &round.response,
        );
    }
}

fn figures(text: &mut String, name: &str, figures: &LatencyFigures) {
    let LatencyFigures {
        count,
        min_ns,
        p50_ns,
        p90_ns,
        p99_ns,
        p999_ns,
        max_ns,
        sum_ns,
        intervals_95,
        ..
    } = figures;
    let intervals = intervals_95.unwrap();
    writeln!(
        text,
        "{name}: {count} times of {sum_ns}, {min_ns} to {max_ns}\n  p50 {p50_ns} {:?}\n  p90 \
         {p90_ns} {:?}\n  p99 {p99_ns} {:?}\n  p999 {p999_ns} {:?}",
        intervals.p50_ns, intervals.p90_ns, intervals.p99_ns, intervals.p999_ns,
    )
    .unwrap();
}

#[test]
fn figures_of_the_seconds_are_those_that_were_checked_once() {
    let mut recorder = Recorder::new(&shape());
    two_minutes(|workflow| workflow(&mut recorder));
    let told = told(&result(&recorder));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write("tests/it/golden/seconds.txt", &told).unwrap();
    }
    assert_eq!(told, include_str!("golden/seconds.txt"));
}

/// The same two minutes, with an archive that keeps its seconds in a file in this folder.
fn archived(folder: &Path) -> (Recorder, Archive) {
    let mut recorder = Recorder::new(&shape());
    let mut archive = Archive::default();
    archive.spill_to(folder);
    let mut count = 0;
    two_minutes(|workflow| {
        workflow(&mut recorder);
        count += 1;
        if count % 700 == 0 {
            archive.add(recorder.take_finished());
        }
    });
    archive.add(recorder.take_finished());
    assert!(archive.trouble().is_none());
    archive.lend(&mut recorder);
    (recorder, archive)
}

#[test]
fn seconds_that_stand_in_a_file_give_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, archive) = archived(folder.path());
    // The result outlives what it was made from.
    drop(archive);
    let result = result(&recorder);
    drop(recorder);
    assert_eq!(told(&result), include_str!("golden/seconds.txt"));
    let path = folder.path().join("result.json");
    result.save(&path).unwrap();
    assert_eq!(RunResult::load(&path).unwrap(), result);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "the file of the archive has no name");
}

#[test]
fn seconds_that_cannot_be_read_back_are_named_and_all_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _archive) = archived(folder.path());
    let whole = result(&recorder);
    empty_nameless_files(folder.path());
    let result = result(&recorder);
    let unread = |finding: &&Finding| finding.code == FindingCode::SecondsUnread;
    assert_eq!(whole.findings.iter().find(unread), None);
    let finding = result.findings.iter().find(unread).unwrap();
    let told = "are missing from `seconds`, intervals and steady state, from second 0 on: the histogram \
                cannot be read back";
    assert!(finding.sentence.contains(told), "{finding:?}");
    assert!(result.seconds[5].rounds.is_empty());
    assert_eq!(result.seconds[5].ok, whole.seconds[5].ok);
    let count = |result: &RunResult| result.all.ok().unwrap().response.as_ref().unwrap().count;
    assert_eq!(count(&result), count(&whole));
    result.save(&folder.path().join("result.json")).unwrap();
}

/// Loses the content of every open file of this process that stands in the folder and has no name.
fn empty_nameless_files(folder: &Path) {
    let mut emptied = 0;
    for entry in fs::read_dir("/proc/self/fd").unwrap() {
        let path = entry.unwrap().path();
        let Ok(target) = fs::read_link(&path) else {
            continue;
        };
        if target.starts_with(folder) && target.to_string_lossy().ends_with(" (deleted)") {
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(0).unwrap();
            emptied += 1;
        }
    }
    assert_eq!(emptied, 1);
}
