use loadgen_measure::{RunResult, Step};

use super::axis::{Scale, linear_ticks};
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use crate::units::{plain, three_digits};

/// What ended well against what was offered, step by step; no line without a staircase.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let steps: &[Step] = result.staircase.as_ref().map_or(&[], |s| &s.steps);
    let line = |label: &str, look, height: fn(&Step) -> f64| Line {
        label: label.to_owned(),
        look,
        marker_step: 1,
        points: steps
            .iter()
            .map(|step| (step.offered_per_s, height(step)))
            .collect(),
    };
    let said: Vec<String> = steps.iter().map(in_words).collect();
    Plot {
        title: titled(result, "ended well against offered, by step"),
        description: format!("Workflows per second in each step. {}.", said.join("; ")),
        x_label: "workflows offered per second".to_owned(),
        x_ticks: |low, high| {
            let ticks = linear_ticks(low, high, 8).into_iter();
            ticks.map(|place| (place, plain(place))).collect()
        },
        y_label: "workflows per second".to_owned(),
        y_scale: Scale::Linear,
        y_text: plain,
        lines: vec![
            line("ended well", Look::nth(0), |step| step.ok_per_s),
            line("offered", Look::nth(2).dashed().unmarked(), |step| {
                step.offered_per_s
            }),
        ],
        marks: Vec::new(),
    }
}

fn in_words(step: &Step) -> String {
    format!(
        "{} offered, {} ended well",
        three_digits(step.offered_per_s),
        three_digits(step.ok_per_s)
    )
}
