use loadgen_measure::{PairedChange, PairedFigure, PairsResult};

use crate::chart::{Chart, ChartError, Forest, Look, Ratio};

/// How many times as large each figure is in B as in A, and in one side as in itself; `None` where no
/// pair counts.
///
/// # Errors
/// When the drawing fails.
pub fn pairs_chart(result: &PairsResult) -> Result<Option<Chart>, ChartError> {
    let forest = Forest {
        title: format!("{}: B against A in pairs", result.facts.scenario.name),
        axis: "times A (dot: median over pairs, line: 95 % interval)".to_owned(),
        names: result
            .figures
            .iter()
            .map(|figure| (figure.name.clone(), ratios(figure)))
            .collect(),
    };
    forest.chart("pairs")
}

fn ratios(figure: &PairedFigure) -> Vec<Ratio> {
    let drawn = |look: usize, change: Option<&PairedChange>, word: &str| {
        let change = change?;
        Some(Ratio {
            look: Look::nth(look),
            ratio: change.ratio,
            interval: change.interval_95_fixed_n,
            label: format!("{word}, {:.3}x", change.ratio),
        })
    };
    let pairs = drawn(0, figure.change.as_ref(), figure.judgement.name());
    let control = drawn(1, figure.control.change.as_ref(), "one side against itself");
    pairs.into_iter().chain(control).collect()
}
