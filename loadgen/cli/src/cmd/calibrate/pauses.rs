//! Servers that answer nothing for a while.

use std::time::Duration;

use super::exam::{ECHO, Exam, Settings, counts, mean_ms, percentile, responses, trial};
use super::row::{Allowed, Row, Unit};
use super::truth::Pause;

/// Arrivals per second.
const RATE: u32 = 1000;

/// The same for the one long pause, so that no more wait for its end than for that of a short one.
const FREEZE_RATE: u32 = 200;

/// Four kinds of workflow; two of them ask once.
const MIX: &str = "[[workflow]]\ntool = \"echo\"\nweight = 5\narguments = { text = \"calibrate\" }\n\
    [[workflow]]\nname = \"delete\"\ntool = \"confirm_delete\"\narguments = { path = \"a.txt\" }\n\
    [[workflow]]\nprompt = \"briefing\"\narguments = { topic = \"load\" }\n\
    [[workflow]]\nname = \"long\"\ntool = \"echo\"\nweight = 3\narguments = { text = \"LONG\" }\n";

/// A stall of 200 ms every 2 s.
pub(super) fn stall(settings: &Settings) -> Exam {
    stalled("stall", settings, ECHO)
}

/// The same with four kinds of workflow mixed: each first round meets the stall as any other.
pub(super) fn mixed(settings: &Settings) -> Exam {
    stalled("mixed", settings, &MIX.replace("LONG", &"x".repeat(1024)))
}

fn stalled(name: &str, settings: &Settings, workflows: &str) -> Exam {
    // Whole periods, or a part of one would change the shares.
    let seconds = settings.seconds_or(10).next_multiple_of(2);
    let pause = Pause {
        length_s: 0.2,
        period_s: 2.0,
    };
    let fault = r#"{"set":{"stall":{"for_ms":200,"every_ms":2000}}}"#;
    exam(
        name,
        "nothing is answered for 200 ms of every 2000: the pause alone, without the base and \
         without the time in which the replica works off those who waited",
        trial(
            settings.scenario(f64::from(RATE), seconds, "", workflows),
            &["--fault", fault],
            seconds,
        ),
        pause,
        u64::from(RATE * seconds),
    )
}

/// One freeze while the load goes on.
pub(super) fn freeze(settings: &Settings) -> Exam {
    const FREEZE_S: f64 = 1.0;
    let seconds = settings.seconds_or(10);
    let mut trial = trial(
        settings.scenario(f64::from(FREEZE_RATE), seconds, "", ECHO),
        &[],
        seconds,
    );
    let line = format!("{{\"freeze_ms\":{}}}", FREEZE_S * 1e3);
    trial.told = Some((Duration::from_secs(u64::from(seconds) / 3), line));
    exam(
        "freeze",
        "nothing is answered for 1000 ms, once: the pause alone, its period is the whole load",
        trial,
        Pause {
            length_s: FREEZE_S,
            period_s: f64::from(seconds),
        },
        u64::from(FREEZE_RATE * seconds),
    )
}

fn exam(name: &str, truth: &str, trial: super::trial::Trial, pause: Pause, planned: u64) -> Exam {
    Exam {
        name: name.to_owned(),
        truth: truth.to_owned(),
        trial,
        judge: Box::new(move |result, _| {
            let figures = responses(result);
            let at = |p: f64, most: f64| {
                percentile(figures, p, 1e3 * pause.quantile_s(p), Allowed::within(most))
            };
            let mean = 1e3 * pause.mean_s();
            // Who waited is answered one by one after the pause, which adds to each and to the
            // mean: by the share of the replica's time that the load takes.
            let more = Allowed::between(0.0, 0.15 * mean);
            vec![
                counts(result, planned),
                at(0.95, 6.0),
                at(0.99, 5.0),
                at(0.999, 5.0),
                Row::new("mean", Unit::Ms, mean, mean_ms(figures), more),
            ]
        }),
    }
}
