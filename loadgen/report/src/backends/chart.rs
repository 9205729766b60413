use loadgen_measure::{BackendsResult, Figure};

use crate::chart::{Chart, ChartError, Forest, Look, Ratio};
use crate::units::time_ns;

/// What is drawn of each contender: what the server says, what the client sees, what it costs.
const SHOWN: [Figure; 3] = [
    Figure::OpenAndSealP50,
    Figure::ServiceP50,
    Figure::CpuPerWorkflow,
];

/// A dot and its 95 % interval for each figure of each contender, as times the base; `None` where no
/// contender can be set against a base.
///
/// # Errors
/// When the drawing fails.
pub fn backends_chart(result: &BackendsResult) -> Result<Option<Chart>, ChartError> {
    let base = result
        .base
        .map_or_else(String::new, |base| result.name(base));
    let contenders = 0..result.facts.contenders.len();
    let forest = Forest {
        title: format!("{}: backends against the base", result.facts.scenario.name),
        axis: format!("times the base, {base} (dot: median over turns, line: 95 % interval)"),
        names: contenders
            .map(|contender| (result.name(contender), ratios(result, contender)))
            .collect(),
    };
    forest.chart("backends")
}

/// Those of one contender.
fn ratios(result: &BackendsResult, contender: usize) -> Vec<Ratio> {
    let figures = SHOWN.into_iter().enumerate();
    let ratios = figures.filter_map(|(index, figure)| {
        let of = result.figure(figure)?.contender(contender)?;
        let against = of.against_base.as_ref()?;
        let apart = if against.told_apart {
            ""
        } else {
            ", not told apart"
        };
        Some(Ratio {
            look: Look::nth(index),
            ratio: against.ratio,
            interval: against.interval_95,
            label: format!(
                "{} {} ({:.2}x{apart})",
                figure.name(),
                time_ns(of.median_ns),
                against.ratio
            ),
        })
    });
    ratios.collect()
}
