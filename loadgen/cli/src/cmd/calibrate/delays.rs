//! Servers that take a known time.

use loadgen_measure::LatencyFigures;

use super::exam::{ECHO, Exam, Settings, counts, mean_ms, percentile, responses, trial};
use super::row::{Allowed, Row, Unit};

/// Every request takes 300 us, and no two meet.
pub(super) fn fixed(settings: &Settings) -> Exam {
    const SERVICE_MS: f64 = 0.3;
    const RATE: u32 = 200;
    let seconds = settings.seconds_or(5);
    Exam {
        name: "fixed".to_owned(),
        truth: "each request takes 300 us in the replica, 5 ms apart: base and 0.3 ms".to_owned(),
        trial: trial(
            settings.scenario(f64::from(RATE), seconds, "", ECHO),
            &["--fifo", "const:300us"],
            seconds,
        ),
        judge: Box::new(move |result, base| {
            let figures = responses(result);
            let near = Allowed::between(-0.15, 0.25);
            vec![
                counts(result, u64::from(RATE * seconds)),
                Row::new(
                    "below 0.3 ms",
                    Unit::Count,
                    0.0,
                    figures.and_then(|f| below(f, SERVICE_MS)),
                    Allowed::EXACT,
                ),
                percentile(figures, 0.5, base.p50_ms + SERVICE_MS, near),
                Row::new(
                    "mean",
                    Unit::Ms,
                    base.mean_ms + SERVICE_MS,
                    mean_ms(figures),
                    near,
                ),
            ]
        }),
    }
}

/// One request in ten waits 50 ms more.
pub(super) fn slow(settings: &Settings) -> Exam {
    const SHARE: f64 = 0.1;
    const SLOW_MS: f64 = 50.0;
    const RATE: u32 = 500;
    let seconds = settings.seconds_or(6);
    let fault = r#"{"set":{"latency_ms":50,"latency_rate":0.1}}"#;
    Exam {
        name: "slow".to_owned(),
        truth: "one request in ten, at random, waits 50 ms more, by a timer of whole ms: base \
                and 50 ms; their share within 3 sigma of a binomial"
            .to_owned(),
        trial: trial(
            settings.scenario(f64::from(RATE), seconds, "", ECHO),
            &["--fault", fault],
            seconds,
        ),
        judge: Box::new(move |result, base| {
            let figures = responses(result);
            let n = RATE * seconds;
            let sigma = (SHARE * (1.0 - SHARE) / f64::from(n)).sqrt();
            let slow = figures.and_then(|f| Some(1.0 - below(f, SLOW_MS)? / f.count as f64));
            let timer = Allowed::between(-1.0, 3.0);
            vec![
                counts(result, u64::from(n)),
                Row::new(
                    "slow",
                    Unit::Share,
                    SHARE,
                    slow,
                    Allowed::within(3.0 * sigma),
                ),
                percentile(figures, 0.5, base.p50_ms, Allowed::within(0.25)),
                percentile(figures, 0.95, base.p50_ms + SLOW_MS, timer),
                percentile(figures, 0.99, base.p50_ms + SLOW_MS, timer),
            ]
        }),
    }
}

/// How many times are below this one, to the histogram's bucket.
fn below(figures: &LatencyFigures, ms: f64) -> Option<f64> {
    let latency = figures.latency().ok()?;
    let fewer = latency.buckets().filter(|(ns, _)| (*ns as f64) < ms * 1e6);
    Some(fewer.map(|(_, count)| count).sum::<u64>() as f64)
}
