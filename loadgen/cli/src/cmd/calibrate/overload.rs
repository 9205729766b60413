//! A server that is offered twice what it can serve.

use super::exam::{ECHO, Exam, Settings, counts, mean_ms, percentile, responses, trial};
use super::row::{Allowed, Row, Unit};
use super::truth::Overload;

const RATE: u32 = 400;
const SERVICE_MS: u32 = 5;

/// With a connection for everybody who waits: the queue is in the replica.
pub(super) fn open(settings: &Settings) -> Exam {
    exam("overload", settings, None)
}

/// Over 32 connections: the queue is in the driver. Response time is the same; service time shows
/// only the 32 that were sent.
pub(super) fn capped(settings: &Settings) -> Exam {
    exam("capped", settings, Some(32))
}

fn exam(name: &str, settings: &Settings, cap: Option<u32>) -> Exam {
    let seconds = settings.seconds_or(4);
    let arrivals = RATE * seconds;
    let settings = Settings {
        connections: cap.unwrap_or(arrivals),
        ..*settings
    };
    let twice = Overload {
        rate_per_s: f64::from(RATE),
        capacity_per_s: 1e3 / f64::from(SERVICE_MS),
        arrivals: u64::from(arrivals),
    };
    let base = "400/s are offered to one queue of 5 ms each: base and (n + 1) 5 ms - n 2.5 ms for \
                arrival n";
    let truth = match cap {
        None => base.to_owned(),
        Some(cap) => {
            format!("{base}; over {cap} connections each is sent {cap} services ahead of its end")
        }
    };
    // As long again, and some rest, to work off what waits.
    let drain = seconds + 10;
    Exam {
        name: name.to_owned(),
        truth,
        trial: trial(
            settings.scenario(
                f64::from(RATE),
                seconds,
                &format!("drain_s = {drain}"),
                ECHO,
            ),
            &["--fifo", &format!("const:{SERVICE_MS}ms")],
            seconds + drain,
        ),
        judge: Box::new(move |result, base| {
            let figures = responses(result);
            let allowed = Allowed::within(20.0);
            let at = |p| percentile(figures, p, base.p50_ms + 1e3 * twice.quantile_s(p), allowed);
            let mean = base.mean_ms + 1e3 * twice.mean_s();
            let mut rows = vec![
                counts(result, twice.arrivals),
                at(0.5),
                at(0.9),
                at(0.99),
                Row::new("mean", Unit::Ms, mean, mean_ms(figures), allowed),
            ];
            if let Some(cap) = cap {
                let first = result.all.rounds.first();
                let service = first.and_then(|round| round.ok()?.service.as_ref());
                let truth = f64::from(cap * SERVICE_MS);
                let row = percentile(service, 0.5, truth, Allowed::within(10.0));
                rows.push(row.called("service p50"));
            }
            rows
        }),
    }
}
