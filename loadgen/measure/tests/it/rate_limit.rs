//! What results say of a rate limit.

use std::time::Duration;

use loadgen_measure::{
    Counting, EventResult, FindingCode, LimitMode, LimitSpan, Outcome, Phase, Recorder, Refusal,
    ReplicaLimit, RoundSample, RunResult, SdkView, ServerTiming, ThrottleSignal, WorkflowSample,
};

use crate::fixture::{MS, REPLICAS, facts, shape};

/// Two principals over phases of 2 s that warm up and of 4 s before and after the limit of 10/s for each
/// of them is doubled.
fn recorder() -> Recorder {
    let phase = |name: &str, warmup, from, to| Phase {
        name: name.into(),
        warmup,
        from: Duration::from_secs(from),
        to: Duration::from_secs(to),
        rate_per_s: Some((100.0, 100.0)),
    };
    let phases = [
        phase("warm-up", true, 0, 2),
        phase("before", false, 2, 6),
        phase("after", false, 6, 10),
    ];
    let mut recorder = Recorder::with_phases(&shape(), &phases);
    recorder.principals(2);
    recorder
}

/// This principal is admitted so often, evenly from one second to another.
fn admit(recorder: &mut Recorder, principal: usize, count: u32, (from, to): (u32, u32)) {
    for n in 0..count {
        let due = 1000 * MS * from + 1000 * MS * (to - from) * n / count;
        let done = due + MS;
        recorder.started(0, due);
        let tally = recorder.principal(principal).expect("they are counted");
        tally.started();
        tally.ended(Outcome::Ok);
        recorder.round(&RoundSample {
            kind: 0,
            round: 0,
            outcome: Outcome::Ok,
            attempts: 1,
            intended: due,
            ready: due,
            first_sent: Some(due),
            sent: Some(due),
            done,
            replica: u16::try_from(n).expect("few") % REPLICAS,
            minted_by: None,
            request_bytes: 400,
            response_bytes: Some(600),
            state_sent_bytes: None,
            state_received_bytes: None,
            server: ServerTiming::default(),
            reused_connection: true,
        });
        recorder.admitted(principal, done);
        recorder.workflow(&WorkflowSample {
            kind: 0,
            outcome: Outcome::Ok,
            rounds: 1,
            intended: due,
            started: due,
            done,
            think: Duration::ZERO,
        });
    }
}

fn refuse(recorder: &mut Recorder, at: Duration) {
    recorder.refused(&Refusal {
        replica: 0,
        signal: ThrottleSignal::RetryAfterSeconds,
        certain: true,
        sdk: SdkView::Hidden,
        told: None,
        unreadable: false,
        at,
    });
}

/// The result when every replica was started with 10/s for each principal, which an event doubles.
fn result(recorder: &Recorder, mode: LimitMode) -> RunResult {
    let mut facts = facts(0);
    for replica in &mut facts.replicas {
        replica.limit = Some(ReplicaLimit {
            per_s: 10.0,
            burst: 10,
            mode,
            by_item: false,
        });
    }
    facts.events = vec![EventResult {
        name: "limit 20/s all".into(),
        act: "limit".into(),
        replicas: vec![0, 1, 2],
        at_s: 6.0,
        begun_s: Some(6.01),
        done_s: Some(6.02),
        ends_s: None,
        key: None,
        limit_per_s: Some(20.0),
        errors: Vec::new(),
    }];
    RunResult::new(facts, recorder)
}

#[test]
fn replicas_that_count_alone_admit_the_limit_as_often_as_they_are() {
    let mut recorder = recorder();
    for principal in [0, 1] {
        admit(&mut recorder, principal, 500, (0, 2));
        admit(&mut recorder, principal, 120, (2, 6));
        admit(&mut recorder, principal, 240, (6, 10));
    }
    for second in [3, 7, 7] {
        refuse(&mut recorder, Duration::from_secs(second));
    }
    let result = result(&recorder, LimitMode::Local);
    let rates = result.rate_limit.as_ref().expect("there is a limit");
    assert_eq!((rates.principals, rates.replicas), (2, 3));
    assert_eq!(rates.mode, Some(LimitMode::Local));
    let span = |from_s, per_s| LimitSpan {
        from_s,
        limit_per_s: Some(per_s),
    };
    assert_eq!(rates.limits, [span(0.0, 20.0), span(6.0, 40.0)]);
    // Means over 4 s of 20/s and 4 s of 40/s; the warm-up is in none of them.
    assert_eq!(rates.limit_per_s, Some(30.0));
    assert_eq!(rates.admitted_per_s, Some(90.0));
    assert_eq!(rates.admitted_over_limit, Some(3.0));
    assert_eq!(rates.refused_per_s, Some(3.0 / 8.0));
    assert_eq!(rates.principal_limit_per_s(), Some(15.0));
    let each = rates.principal_rates.expect("something was measured");
    assert_eq!((each.min_per_s, each.max_per_s), (45.0, 45.0));
    assert_eq!(rates.counting, Some(Counting::Alone));
    assert_eq!(rates.fairness, Some(1.0));
    let phases: Vec<_> = rates.phases.iter().map(|p| p.admitted_over_limit).collect();
    assert_eq!(phases, [Some(25.0), Some(3.0), Some(3.0)]);
    assert_eq!(rates.phases[2].refused_per_s, Some(0.5));
    let sentence = "each principal was admitted 45.0/s of a limit of 15.0/s: 3.00x, as many times as \
                    there are replicas: each counts alone";
    assert_eq!(rates.sentence(), sentence);
    let found = result
        .findings
        .iter()
        .find(|f| f.code == FindingCode::LimitExceeded);
    assert_eq!(found.map(|f| f.sentence.as_str()), Some(sentence));
    assert_eq!(result.seconds[7].refused, 2);
    let value = |metric: &str| {
        metric
            .parse::<loadgen_measure::Metric>()
            .unwrap()
            .value(&result)
    };
    assert_eq!(value("admitted_per_limit"), Some(3.0));
    assert_eq!(value("fairness"), Some(1.0));
    assert_eq!(value("wasted.rate"), Some(3.0 / 1720.0));
}

#[test]
fn a_kept_limit_is_no_finding_although_a_burst_came_on_top() {
    let mut recorder = recorder();
    admit(&mut recorder, 0, 60, (2, 6));
    admit(&mut recorder, 1, 40, (2, 6));
    admit(&mut recorder, 0, 80, (6, 10));
    admit(&mut recorder, 1, 80, (6, 10));
    refuse(&mut recorder, Duration::from_secs(3));
    let result = result(&recorder, LimitMode::Shared);
    let rates = result.rate_limit.as_ref().expect("there is a limit");
    assert_eq!(rates.admitted_over_limit, Some(260.0 / 240.0));
    assert_eq!(rates.counting, Some(Counting::Together));
    assert!(rates.sentence().ends_with("1.08x; the fleet counts as one"));
    let fairness = 260.0_f64.powi(2) / (2.0 * (140.0_f64.powi(2) + 120.0_f64.powi(2)));
    assert_eq!(rates.fairness, Some(fairness));
    let code = FindingCode::LimitExceeded;
    assert!(result.findings.iter().all(|finding| finding.code != code));
}

#[test]
fn what_was_never_refused_is_a_lower_bound_and_no_finding() {
    let mut recorder = recorder();
    admit(&mut recorder, 0, 2000, (2, 10));
    let result = result(&recorder, LimitMode::Shared);
    let rates = result.rate_limit.as_ref().expect("there is a limit");
    assert_eq!((rates.counting, rates.exceeded), (None, false));
    assert!(
        rates
            .sentence()
            .ends_with("none was refused, so more may be admitted")
    );
    assert_eq!(rates.fairness, Some(0.5));
}

#[test]
fn without_limit_and_refusal_there_is_nothing_to_say() {
    let mut recorder = recorder();
    admit(&mut recorder, 0, 100, (2, 10));
    let result = RunResult::new(facts(0), &recorder);
    assert_eq!(result.rate_limit, None);
    assert!(result.principals.is_some_and(|p| p.fairness() == Some(0.5)));
}
