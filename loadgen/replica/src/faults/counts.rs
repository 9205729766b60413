use std::sync::atomic::{AtomicU64, Ordering};

use crate::faults::fault::Fault;

/// How often each fault made a difference, counted while the replica serves.
#[derive(Default)]
pub(crate) struct Applied([AtomicU64; Fault::ALL.len()]);

impl Applied {
    pub(crate) fn count(&self, fault: Fault) {
        self.0[fault as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> FaultCounts {
        FaultCounts(Fault::ALL.map(|fault| (fault, self.0[fault as usize].load(Ordering::Relaxed))))
    }
}

/// How often each fault made a difference since the replica started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCounts([(Fault, u64); Fault::ALL.len()]);

impl FaultCounts {
    /// How often `fault` did.
    pub fn of(&self, fault: Fault) -> u64 {
        self.0[fault as usize].1
    }

    /// All of them, in the order of [`Fault::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Fault, u64)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_stand_at_their_own_index_with_their_own_names() {
        for (i, fault) in Fault::ALL.into_iter().enumerate() {
            assert_eq!(fault as usize, i);
        }
        let names: std::collections::HashSet<_> = Fault::ALL.map(Fault::name).into();
        assert_eq!(names.len(), Fault::ALL.len());
    }
}
