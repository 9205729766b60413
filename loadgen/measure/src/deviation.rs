use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A JSON-RPC error that came with another HTTP status than the protocol gives to its code.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct StatusDeviation {
    /// JSON-RPC error code.
    pub code: i64,
    /// HTTP status that came.
    pub status: u16,
    /// HTTP status that the protocol gives to the code.
    pub expected: u16,
}

/// How often each was seen. There are as many entries as pairs of code and status that came.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeviationTally(Vec<(StatusDeviation, u64)>);

impl DeviationTally {
    pub(crate) fn add(&mut self, seen: StatusDeviation, count: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == seen) {
            Some((_, sum)) => *sum += count,
            None => self.0.push((seen, count)),
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (seen, count) in &other.0 {
            self.add(*seen, *count);
        }
    }

    /// By code and status, rising.
    pub(crate) fn sorted(&self) -> Vec<(StatusDeviation, u64)> {
        let mut all = self.0.clone();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_tallies_add_up_pair_by_pair() {
        let seen = |code, status| StatusDeviation {
            code,
            status,
            expected: 400,
        };
        let mut one = DeviationTally::default();
        one.add(seen(-32021, 200), 1);
        one.add(seen(-32020, 200), 1);
        let mut two = DeviationTally::default();
        two.add(seen(-32021, 200), 2);
        two.add(seen(-32021, 500), 1);
        one.merge(&two);
        assert_eq!(
            one.sorted(),
            [
                (seen(-32021, 200), 3),
                (seen(-32021, 500), 1),
                (seen(-32020, 200), 1)
            ]
        );
    }
}
