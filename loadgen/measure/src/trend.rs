use serde::Serialize;

use crate::stats::{ChangePoint, change_fence, change_points};
use crate::{Better, Judgement};

/// One value of a series over commits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendPoint {
    /// Number of the run, or of the count, in the history.
    pub id: i64,
    /// Commit that was measured; absent when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When it was measured, RFC 3339.
    pub at: String,
    /// The value, in the unit of the series' name; finite.
    pub value: f64,
}

/// A value that lies further from the one before it than its past explains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Jump {
    /// Position of the value.
    pub index: usize,
    /// The value over the one before it, less 1.
    pub change: f64,
    /// From which share on a change stands out, by the values before it.
    pub fence: f64,
}

/// A series over commits on one machine, and where it changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// What the values are, as in `workflow.p99_ms`.
    pub name: String,
    /// Which way it is better; of a count, less is.
    pub better: Better,
    /// The scenario that was run; absent for counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The machine.
    pub machine: String,
    /// Values in the order of time.
    pub points: Vec<TrendPoint>,
    /// Where a measured series changes its level, rising; empty for counts.
    pub changes: Vec<ChangePoint>,
    /// What stands out of a series of counts, rising; empty for measured series.
    pub jumps: Vec<Jump>,
}

impl Trend {
    /// Of measured values, which vary from run to run: looked through for changes of level by
    /// [`change_points`]. A value that is not finite is left out.
    pub fn of_figures(
        (name, better): (&str, Better),
        scenario: &str,
        machine: &str,
        points: Vec<TrendPoint>,
    ) -> Self {
        let points = finite(points);
        let changes = change_points(&values(&points));
        Self {
            name: name.to_owned(),
            better,
            scenario: Some(scenario.to_owned()),
            machine: machine.to_owned(),
            points,
            changes,
            jumps: Vec::new(),
        }
    }

    /// Of counts that hardly vary: each value is held against the [`change_fence`] of those before it.
    pub fn of_counts(name: &str, machine: &str, points: Vec<TrendPoint>) -> Self {
        let points = finite(points);
        let values = values(&points);
        let jump = |index: usize| {
            let change = values[index] / values[index - 1] - 1.0;
            let fence = change_fence(&values[..index])?;
            (change.is_finite() && change.abs() > fence).then_some(Jump {
                index,
                change,
                fence,
            })
        };
        let jumps = (1..values.len()).filter_map(jump).collect();
        Self {
            name: name.to_owned(),
            better: Better::Lower,
            scenario: None,
            machine: machine.to_owned(),
            points,
            changes: Vec::new(),
            jumps,
        }
    }

    /// What a change by this much is called: a trend has no proof of anything being equal.
    pub fn judgement(&self, change: f64) -> Judgement {
        match (self.better, change > 0.0) {
            (Better::Lower, true) | (Better::Higher, false) => Judgement::Regressed,
            (Better::Lower, false) | (Better::Higher, true) => Judgement::Improved,
        }
    }
}

fn finite(points: Vec<TrendPoint>) -> Vec<TrendPoint> {
    let mut points = points;
    points.retain(|point| point.value.is_finite());
    points
}

fn values(points: &[TrendPoint]) -> Vec<f64> {
    points.iter().map(|point| point.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64]) -> Vec<TrendPoint> {
        let points = (0_i64..).zip(values).map(|(id, value)| TrendPoint {
            id,
            commit: None,
            at: "2027-01-15T08:00:00Z".into(),
            value: *value,
        });
        points.collect()
    }

    #[test]
    fn a_count_is_held_against_its_own_past() {
        // Hardly varies, then rises by a tenth and stays there.
        let mut counts: Vec<f64> = (0..12).map(|n| 1e6 + f64::from(n % 3)).collect();
        counts.extend([1.1e6; 5]);
        let trend = Trend::of_counts("seal", "m", points(&counts));
        assert_eq!(trend.jumps.len(), 1);
        assert_eq!(trend.jumps[0].index, 12);
        assert_eq!(trend.judgement(trend.jumps[0].change), Judgement::Regressed);
        assert!((trend.jumps[0].change - 0.1).abs() < 1e-4);
        let short = Trend::of_counts("seal", "m", points(&[1.0, 1.0, 2.0]));
        assert_eq!(short.jumps, [], "three values have no past");
    }

    #[test]
    fn values_that_are_not_finite_are_left_out() {
        let mut values = vec![1.0; 10];
        values.insert(4, f64::NAN);
        values.extend([2.0; 10]);
        let trend = Trend::of_figures(("x", Better::Higher), "s", "m", points(&values));
        assert_eq!(trend.points.len(), 20);
        assert_eq!(trend.changes.len(), 1);
        assert_eq!(trend.points[trend.changes[0].index].id, 11);
    }
}
