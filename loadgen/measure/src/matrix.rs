use std::time::Duration;

use crate::by_outcome::merge_optional;
use crate::{Latency, Outcome};

/// Up to this many replicas each cell has a histogram. A hundred replicas have ten thousand cells
/// of up to 100 kB for every sending thread, so larger fleets get counts only.
const MOST_TIMED_REPLICAS: usize = 16;

/// Counts of rounds that carried a state, by who minted it and who got it back.
#[derive(Debug, Clone)]
pub(crate) struct MatrixTally {
    replicas: usize,
    cells: Vec<CellTally>,
}

/// One cell of the matrix.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellTally {
    pub(crate) ok: u64,
    pub(crate) state_rejected: u64,
    pub(crate) other: u64,
    /// Service time of the successful rounds; `None` also in a fleet of more than
    /// [`MOST_TIMED_REPLICAS`].
    pub(crate) service: Option<Box<Latency>>,
}

impl MatrixTally {
    pub(crate) fn new(replicas: usize) -> Self {
        Self {
            replicas,
            cells: vec![CellTally::default(); replicas * replicas],
        }
    }

    pub(crate) fn record(
        &mut self,
        minted_by: u16,
        opened_by: u16,
        outcome: Outcome,
        service: Option<Duration>,
    ) {
        let index = usize::from(minted_by) * self.replicas + usize::from(opened_by);
        let cell = &mut self.cells[index];
        match outcome {
            Outcome::Ok => {
                cell.ok += 1;
                let timed = self.replicas <= MOST_TIMED_REPLICAS;
                if let Some(service) = service.filter(|_| timed) {
                    cell.service.get_or_insert_default().record(service);
                }
            }
            Outcome::StateRejected => cell.state_rejected += 1,
            _ => cell.other += 1,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.cells.iter_mut().zip(&other.cells) {
            mine.ok += theirs.ok;
            mine.state_rejected += theirs.state_rejected;
            mine.other += theirs.other;
            merge_optional(&mut mine.service, theirs.service.as_deref());
        }
    }

    /// Every cell as (minted by, opened by, cell), row by row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, usize, &CellTally)> {
        self.cells
            .iter()
            .enumerate()
            .map(|(index, cell)| (index / self.replicas, index % self.replicas, cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_fleet_has_counts_but_no_times() {
        for (replicas, timed) in [
            (MOST_TIMED_REPLICAS, true),
            (MOST_TIMED_REPLICAS + 1, false),
        ] {
            let mut matrix = MatrixTally::new(replicas);
            matrix.record(1, 2, Outcome::Ok, Some(Duration::from_millis(1)));
            let (_, _, cell) = matrix.cells().nth(replicas + 2).unwrap();
            assert_eq!((cell.ok, cell.service.is_some()), (1, timed));
        }
    }
}
