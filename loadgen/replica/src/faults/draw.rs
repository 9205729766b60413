use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use crate::faults::fault::Fault;

/// Where random decisions come from: the same seed, replica and request number decide the same, one
/// fault independently of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) seed: u64,
    pub(crate) instance: u32,
}

impl Draw {
    /// The random stream of one fault for one request: ChaCha8 keyed with all that distinguishes it.
    pub(crate) fn stream(self, fault: Fault, number: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(&self.instance.to_le_bytes());
        key[12] = fault as u8;
        key[16..24].copy_from_slice(&number.to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }

    /// Whether the request is among the share of them, 0 to 1, that the fault hits.
    pub(crate) fn hits(self, fault: Fault, number: u64, share: f64) -> bool {
        self.stream(fault, number).random::<f64>() < share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAW: Draw = Draw {
        seed: 5,
        instance: 1,
    };

    #[test]
    fn a_share_of_requests_is_hit() {
        let hit = |share| (0..10_000).filter(move |&n| DRAW.hits(Fault::Error, n, share));
        assert_eq!(hit(0.0).count(), 0);
        assert_eq!(hit(1.0).count(), 10_000);
        // Three standard deviations of a binomial: 3 sqrt(10000 * 0.1 * 0.9) = 90.
        assert!((910..=1090).contains(&hit(0.1).count()));
    }

    #[test]
    fn faults_replicas_and_seeds_decide_apart() {
        let hits = |draw: Draw, fault| -> Vec<bool> {
            (0..64).map(|n| draw.hits(fault, n, 0.5)).collect()
        };
        let one = hits(DRAW, Fault::Error);
        assert_eq!(one, hits(DRAW, Fault::Error));
        assert_ne!(one, hits(DRAW, Fault::Html));
        assert_ne!(one, hits(Draw { seed: 6, ..DRAW }, Fault::Error));
        let other = Draw {
            instance: 2,
            ..DRAW
        };
        assert_ne!(one, hits(other, Fault::Error));
    }
}
