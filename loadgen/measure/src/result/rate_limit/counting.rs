use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far an admitted rate may be from what it would be, as a share.
const NEAR: f64 = 0.15;

/// Who counts towards a limit, as the admitted rate shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// The fleet as one: about the limit was admitted.
    Together,
    /// Each replica alone: about as many times the limit as there are replicas.
    Alone,
}

impl Counting {
    /// By how many times the limit so many replicas admitted while they refused more; `None` when that
    /// says neither, and for one replica.
    pub(super) fn of(ratio: f64, replicas: usize) -> Option<Self> {
        let near = |want: f64| (ratio / want - 1.0).abs() <= NEAR;
        match replicas {
            0 | 1 => None,
            _ if near(1.0) => Some(Self::Together),
            _ if near(replicas as f64) => Some(Self::Alone),
            _ => None,
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Together => "; the fleet counts as one",
            Self::Alone => ", as many times as there are replicas: each counts alone",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_near_the_number_of_replicas_is_told_from_one_near_the_limit() {
        for (ratio, replicas, want) in [
            (1.01, 3, Some(Counting::Together)),
            (0.9, 2, Some(Counting::Together)),
            (3.1, 3, Some(Counting::Alone)),
            (1.8, 2, Some(Counting::Alone)),
            (1.5, 2, None),
            (0.5, 3, None),
            (1.0, 1, None),
        ] {
            assert_eq!(Counting::of(ratio, replicas), want, "{ratio} of {replicas}");
        }
    }
}
