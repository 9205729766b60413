use loadgen_measure::{AeadRound, RunResult, Times};

use super::axis::{Scale, linear_ticks};
use super::latency::short_time;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use crate::units::{plain, time_ns};

type Quantile = fn(&Times) -> u64;

/// Open and seal times by the size of the state. Both axes are logarithmic: what grows with the size
/// alone is a straight line that rises by a factor of ten where the size does.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let rounds = result.aead.iter().flat_map(|aead| &aead.rounds);
    let rounds: Vec<&AeadRound> = rounds.collect();
    let opened = |round: &AeadRound| round.opened_mean_bytes.zip(round.open);
    let sealed = |round: &AeadRound| round.sealed_mean_bytes.zip(round.seal);
    let p50: Quantile = |times| times.p50_ns;
    let p99: Quantile = |times| times.p99_ns;
    let lines = vec![
        line("open p50", Look::nth(0), &rounds, opened, p50),
        line("open p99", Look::nth(0).dashed(), &rounds, opened, p99),
        line("seal p50", Look::nth(4).marked_as(1), &rounds, sealed, p50),
        line(
            "seal p99",
            Look::nth(4).marked_as(1).dashed(),
            &rounds,
            sealed,
            p99,
        ),
    ];
    let described: Vec<String> = lines.iter().filter_map(in_words).collect();
    Plot {
        title: titled(result, "opening and sealing by size of the state"),
        description: format!(
            "Time that the server took to open and to seal a state, by its size as text; a point is one \
             round of one kind. {}.",
            described.join("; ")
        ),
        x_label: "size of the state in bytes, logarithmic (solid: p50, dashed: p99)".to_owned(),
        x_ticks: size_ticks,
        y_label: "time from Server-Timing, logarithmic".to_owned(),
        y_scale: Scale::Log,
        y_text: short_time,
        lines,
        marks: Vec::new(),
    }
}

fn line(
    label: &str,
    look: Look,
    rounds: &[&AeadRound],
    part: fn(&AeadRound) -> Option<(f64, Times)>,
    quantile: Quantile,
) -> Line {
    let parts = rounds.iter().filter_map(|round| part(round));
    let mut points: Vec<(f64, f64)> = parts
        .filter(|(bytes, _)| *bytes > 0.0)
        .map(|(bytes, times)| (bytes.log10(), quantile(&times) as f64))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Line {
        label: label.to_owned(),
        look,
        points,
        marker_step: 1,
    }
}

/// 1, 2 and 5 in each decade; where fewer than three of them are in the range, round sizes closer
/// together.
fn size_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let decades = Scale::Log.ticks((low, high));
    let bytes: Vec<f64> = match decades.len() {
        // A little more on either side, for what rounding takes from the ends.
        0..=2 => linear_ticks(
            10_f64.powf(low) * (1.0 - 1e-9),
            10_f64.powf(high) * (1.0 + 1e-9),
            5,
        ),
        _ => decades.into_iter().map(|(_, bytes)| bytes).collect(),
    };
    bytes
        .into_iter()
        .map(|bytes| (bytes.log10(), plain(bytes)))
        .collect()
}

fn in_words(line: &Line) -> Option<String> {
    let (first, last) = (line.points.first()?, line.points.last()?);
    Some(format!(
        "{}: {} at {:.0} bytes, {} at {:.0} bytes",
        line.label,
        time_ns(first.1),
        10_f64.powf(first.0),
        time_ns(last.1),
        10_f64.powf(last.0)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_range_of_sizes_has_ticks_too() {
        let texts = |low: f64, high: f64| -> Vec<String> {
            let ticks = size_ticks(low.log10(), high.log10());
            ticks.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(90.0, 2100.0), ["100", "200", "500", "1000", "2000"]);
        assert_eq!(texts(2590.0, 2710.0), ["2600", "2650", "2700"]);
    }
}
