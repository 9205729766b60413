use std::sync::Arc;
use std::time::Duration;

/// A named part of the load.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// Its name in results.
    pub name: String,
    /// Whether it only warms up: it is kept apart from headline figures.
    pub warmup: bool,
    /// When it begins, from the start of the run.
    pub from: Duration,
    /// When it ends; the next one begins there. What comes later belongs to the last phase.
    pub to: Duration,
    /// Workflows that are to arrive per second, at its start and at its end; `None` in a closed
    /// workload.
    pub rate_per_s: Option<(f64, f64)>,
}

/// The phases of a load, in order; at least one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Phases(Arc<[Phase]>);

impl Phases {
    /// # Panics
    /// Without any phase.
    pub(crate) fn new(phases: Vec<Phase>) -> Self {
        assert!(!phases.is_empty(), "a load has at least one phase");
        Self(phases.into())
    }

    /// One phase that has everything.
    pub(crate) fn single() -> Self {
        Self::new(vec![Phase {
            name: "load".to_owned(),
            warmup: false,
            from: Duration::ZERO,
            to: Duration::MAX,
            rate_per_s: None,
        }])
    }

    /// Which phase a moment belongs to.
    pub(crate) fn at(&self, moment: Duration) -> usize {
        let last = self.0.len() - 1;
        self.0[..last].partition_point(|phase| phase.to <= moment)
    }

    /// Which phase lasted at a moment; `None` from the end of the last one on.
    pub(crate) fn lasting(&self, moment: Duration) -> Option<usize> {
        let phase = self.at(moment);
        (moment < self.0[phase].to).then_some(phase)
    }

    pub(crate) fn list(&self) -> &[Phase] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_belongs_to_one_phase() {
        let seconds = Duration::from_secs;
        let phase = |from, to| Phase {
            name: String::new(),
            warmup: false,
            from: seconds(from),
            to: seconds(to),
            rate_per_s: None,
        };
        let phases = Phases::new(vec![phase(0, 2), phase(2, 3), phase(3, 9)]);
        let at = |ms| phases.at(Duration::from_millis(ms));
        assert_eq!(
            [at(0), at(1999), at(2000), at(3000), at(99_000)],
            [0, 0, 1, 2, 2]
        );
        assert_eq!(Phases::single().at(Duration::MAX), 0);
        let lasting = |ms| phases.lasting(Duration::from_millis(ms));
        assert_eq!([lasting(8999), lasting(9000)], [Some(2), None]);
    }
}
