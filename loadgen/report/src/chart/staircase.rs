use loadgen_measure::{RunResult, Step};

use super::axis::Scale;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::three_digits;

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
        across: Across::Numbers,
        y_label: "workflows per second".to_owned(),
        y_scale: Scale::Linear,
        unit: Unit::Number,
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
