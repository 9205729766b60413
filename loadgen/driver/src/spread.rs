//! Which replica gets a round.

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use crate::plan::Spread;

/// The replica for a request of workflow `id`, out of `replicas`, after so many requests that it has
/// made before. `first` is the replica of the first one, once there was one. A pure function of the workflow, its random stream and its past.
pub(crate) fn choose(
    spread: Spread,
    replicas: u16,
    id: u64,
    requests: u16,
    first: Option<u16>,
    rng: &mut Xoshiro256PlusPlus,
) -> u16 {
    match (spread, first) {
        (Spread::Random, _) | (Spread::Sticky, None) => rng.random_range(0..replicas),
        (Spread::Sticky, Some(first)) => first,
        // The next replica for every request: no round meets the one that minted its state.
        (Spread::Next, _) => {
            u16::try_from((id + u64::from(requests)) % u64::from(replicas)).unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;

    #[test]
    fn next_changes_replica_every_round_and_sticky_never() {
        let mut rng = workflow_rng(1, 1);
        for id in 0..7 {
            let next: Vec<u16> = (0..5)
                .map(|round| choose(Spread::Next, 3, id, round, Some(0), &mut rng))
                .collect();
            assert!(next.windows(2).all(|pair| pair[0] != pair[1]), "{next:?}");
            assert!(
                (1..5).all(|round| choose(Spread::Sticky, 3, id, round, Some(2), &mut rng) == 2)
            );
        }
    }

    #[test]
    fn random_reaches_every_replica_evenly() {
        let mut hits = [0_u32; 3];
        for id in 0..3000 {
            let mut rng = workflow_rng(9, id);
            hits[usize::from(choose(Spread::Random, 3, id, 0, None, &mut rng))] += 1;
        }
        // Three sigma of a binomial with n = 3000, p = 1/3 is 77.
        assert!(hits.iter().all(|h| h.abs_diff(1000) < 78), "{hits:?}");
    }
}
