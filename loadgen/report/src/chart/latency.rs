use loadgen_measure::{HistogramError, Latency, LatencyFigures, RunResult};

use super::axis::Scale;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::time_ns;

/// Latency of successful rounds by quantile, response and service time of each round. The
/// horizontal axis is that of HdrHistogram's percentile plots, log10(1 / (1 - quantile)), so each
/// further nine takes the same room; a line ends where fewer than one sample is left.
pub(crate) fn plot(result: &RunResult) -> Result<Plot, HistogramError> {
    let mut lines = Vec::new();
    for (index, round) in result.all.rounds.iter().enumerate() {
        let Some(ok) = round.ok() else { continue };
        let look = Look::nth(index);
        if let Some(response) = &ok.response {
            lines.push(line(
                format!("round {} response", round.round),
                look,
                response,
            )?);
        }
        if let Some(service) = &ok.service {
            let label = format!("round {} service", round.round);
            lines.push(line(label, look.dashed().unmarked(), service)?);
        }
    }
    Ok(Plot {
        title: titled(result, "latency by quantile"),
        description: description(result),
        x_label: "quantile of successful rounds (solid: response time, dashed: service time)"
            .to_owned(),
        across: Across::Quantiles,
        y_label: "time, logarithmic".to_owned(),
        y_scale: Scale::Log,
        unit: Unit::Time,
        lines,
        marks: Vec::new(),
    })
}

fn line(label: String, look: Look, figures: &LatencyFigures) -> Result<Line, HistogramError> {
    Ok(Line {
        label,
        look,
        points: points(&figures.latency()?),
        // Half a factor of ten.
        marker_step: 8,
    })
}

/// Sixteen quantiles for each factor of ten that the samples reach into, and the longest time.
fn points(latency: &Latency) -> Vec<(f64, f64)> {
    let reach = (latency.count() as f64).log10();
    let steps = (0_u32..)
        .map(|step| f64::from(step) / 16.0)
        .take_while(|place| *place < reach);
    let mut points: Vec<(f64, f64)> = steps
        .filter_map(|place| {
            let quantile = 1.0 - 10_f64.powf(-place);
            Some((place, latency.quantile_ns(quantile)? as f64))
        })
        .collect();
    if let Some(max) = latency.max_ns() {
        points.push((reach, max as f64));
    }
    points
}

fn description(result: &RunResult) -> String {
    let rounds = result.all.rounds.iter().filter_map(|round| {
        let response = round.ok()?.response.as_ref()?;
        Some(format!(
            "round {}: {} samples, response p50 {}, p99 {}, max {}",
            round.round,
            response.count,
            time_ns(response.p50_ns as f64),
            time_ns(response.p99_ns as f64),
            time_ns(response.max_ns as f64)
        ))
    });
    let rounds: Vec<String> = rounds.collect();
    format!(
        "Response time (solid) and service time (dashed) of successful rounds, all kinds \
         together. {}.",
        rounds.join("; ")
    )
}
