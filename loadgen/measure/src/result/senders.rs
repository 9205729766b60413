//! Two ways in which a generator sends other arrivals than its plan has, beside the caps on
//! connections and streams: it is not let run, or the server's pauses become its own.

use std::time::Duration;

use super::figures::LatencyFigures;
use super::generator::GeneratorFacts;

/// Share of the time that the sending threads ran or stood ready from which on they had no time to
/// wait for the next arrival.
const BUSY_SHARE: f64 = 0.95;
/// Share of the time that they stood ready without a processor above which late sends are the
/// machine's: a quarter of a sender's time is more than any figure can carry.
const STARVED_SHARE: f64 = 0.25;
/// The same where the sends are known to be late.
const STARVED_AND_LATE_SHARE: f64 = 0.05;
/// A median of lateness below this means that most arrivals were sent as planned.
const ON_TIME: Duration = Duration::from_millis(2);
/// A 99th percentile of lateness below this means that hardly any arrival was held.
const HELD: Duration = Duration::from_millis(20);
/// Share of the waits that is enough to call them the cause of late sends.
const MOST_OF_IT: f64 = 0.5;

/// Why the threads were not let run, if they were not: they were busy, or stood in the run queue
/// (`/proc/PID/task/*/schedstat`, second field; see the kernel's sched-stats.rst). `late`: whether
/// sends came so late that it shows.
pub(crate) fn starved(facts: &GeneratorFacts, duration_s: f64, late: bool) -> Option<String> {
    let threads_s = facts.threads.max(1) as f64 * duration_s;
    let share = |time_s: Option<f64>| match duration_s > 0.0 {
        true => time_s.unwrap_or(0.0) / threads_s,
        false => 0.0,
    };
    let (ran, queued) = (share(facts.cpu_s), share(facts.run_queue_delay_s));
    let least = if late {
        STARVED_AND_LATE_SHARE
    } else {
        STARVED_SHARE
    };
    if queued >= least {
        return Some(format!(
            "starved CPU: the load generator's {} threads stood ready without a processor for {:.0} \
             % of the time; leave it cores of its own",
            facts.threads,
            100.0 * queued
        ));
    }
    (ran + queued >= BUSY_SHARE).then(|| {
        format!(
            "starved CPU: the load generator's {} threads were busy {:.0} % of the time; raise \
             `threads` in [load] or offer less",
            facts.threads,
            100.0 * (ran + queued)
        )
    })
}

/// Whether a server's pauses held the senders, so that they sent together when it went on: the
/// arrivals then follow the server's phase and not the plan. Most sends are on time, some are late by
/// far, and what those waited for was a connection or stream that the server held. A cap that is too
/// low throughout delays the median too. `slot_wait_ns` is the sum over all requests.
pub(crate) fn locked(lateness: &LatencyFigures, slot_wait_ns: u64) -> Option<String> {
    let waited = slot_wait_ns as f64 / lateness.sum_ns.max(1) as f64;
    let mostly_on_time = u128::from(lateness.p50_ns) < ON_TIME.as_nanos();
    let some_held = u128::from(lateness.p99_ns) >= HELD.as_nanos();
    (mostly_on_time && some_held && waited >= MOST_OF_IT).then(|| {
        format!(
            "phase lock: pauses of the server held every connection, so that late first rounds, up \
             to {:.0} ms late, were sent together when it went on, while the median was sent in \
             time; raise `connections` in [load] above what arrives in such a pause",
            lateness.max_ns as f64 / 1e6
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Latency;

    fn facts(cpu_s: f64, run_queue_delay_s: f64) -> GeneratorFacts {
        GeneratorFacts {
            threads: 2,
            cpu_s: Some(cpu_s),
            run_queue_delay_s: Some(run_queue_delay_s),
            ..GeneratorFacts::default()
        }
    }

    #[test]
    fn threads_that_are_not_let_run_are_starved() {
        let starved = |cpu_s, queued_s, late| starved(&facts(cpu_s, queued_s), 10.0, late);
        assert_eq!(starved(10.0, 0.5, false), None);
        assert_eq!(starved(10.0, 0.5, true), None, "2.5 % of 20 s of threads");
        let queued = starved(2.0, 1.2, true).expect("6 %");
        assert!(queued.starts_with("starved CPU: the load generator's 2 threads stood ready"));
        assert_eq!(starved(2.0, 1.2, false), None, "and yet in time");
        assert!(starved(2.0, 6.0, false).is_some());
        let busy = starved(19.5, 0.0, false).expect("97 %");
        assert!(busy.contains("busy 98 %"), "{busy}");
        assert!(
            starved(15.0, 4.5, false).is_some(),
            "ran or wanted to, always"
        );
        assert_eq!(super::starved(&GeneratorFacts::default(), 0.0, true), None);
    }

    /// 1000 sends of which one in ten is late by so much.
    fn lateness(others: Duration, late: Duration) -> LatencyFigures {
        let mut latency = Latency::new();
        for n in 0..1000 {
            latency.record(if n % 10 == 0 { late } else { others });
        }
        LatencyFigures::of(&latency).expect("some")
    }

    #[test]
    fn pauses_that_hold_the_senders_are_told_from_a_cap_that_is_too_low() {
        let (early, late) = (Duration::from_micros(40), Duration::from_millis(100));
        let stalled = lateness(early, late);
        let told = locked(&stalled, 9_900_000_000).expect("pauses");
        assert!(
            told.starts_with("phase lock: ") && told.contains("up to 100 ms"),
            "{told}"
        );
        assert_eq!(locked(&stalled, 1_000_000), None, "late of themselves");
        // Others waited and never got a connection, so that they are in no lateness.
        let in_time = lateness(early, early);
        assert_eq!(locked(&in_time, 9_900_000_000), None);
        let throughout = lateness(late / 2, late);
        assert_eq!(locked(&throughout, throughout.sum_ns), None, "a cap");
    }
}
