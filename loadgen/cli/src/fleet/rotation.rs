use std::time::Duration;

use loadgen_driver::Act;

/// The key that every replica mints with at first.
const FIRST_KEY: u8 = 1;

/// What became of the keys of a fleet: which replica accepted or minted with which key, and when.
#[derive(Debug, Clone)]
pub(super) struct Rotation {
    replicas: usize,
    /// How long a state lives.
    ttl: Duration,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    at: Duration,
    replica: usize,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Accepts(u8),
    Mints(u8),
}

impl Rotation {
    pub(super) fn new(replicas: usize, ttl: Duration) -> Self {
        Self {
            replicas,
            ttl,
            steps: Vec::new(),
        }
    }

    /// Notes that a replica obeyed at this time; acts that change no key are passed over. Times rise.
    pub(super) fn note(&mut self, act: &Act, replica: usize, at: Duration) {
        let what = match act {
            Act::AcceptKey(key) => What::Accepts(*key),
            Act::MintKey(key) => What::Mints(*key),
            _ => return,
        };
        self.steps.push(Step { at, replica, what });
    }

    /// From when on no state is refused for this act: for one that mints with a key, when every
    /// replica accepts the key; for one that drops it, a lifetime after the last replica stopped
    /// minting with it. The key and that time, `None` where it did not come in this run; nothing for
    /// other acts.
    pub(super) fn harmless_from(&self, act: &Act) -> Option<(u8, Option<Duration>)> {
        match act {
            Act::MintKey(key) => Some((*key, self.accepted_by_all(*key))),
            Act::DropKey(key) => Some((*key, self.expired(*key))),
            _ => None,
        }
    }

    fn accepted_by_all(&self, key: u8) -> Option<Duration> {
        if key == FIRST_KEY {
            return Some(Duration::ZERO);
        }
        let accepted = |replica| {
            let mut own = self.of(replica);
            let step = own.find(|step| step.what == What::Accepts(key))?;
            Some(step.at)
        };
        (0..self.replicas).try_fold(Duration::ZERO, |latest, replica| {
            Some(latest.max(accepted(replica)?))
        })
    }

    fn expired(&self, key: u8) -> Option<Duration> {
        let mut latest = None;
        for replica in 0..self.replicas {
            let mut mints = FIRST_KEY;
            for step in self.of(replica) {
                if let What::Mints(next) = step.what {
                    if mints == key && next != key {
                        latest = latest.max(Some(step.at));
                    }
                    mints = next;
                }
            }
            if mints == key {
                return None;
            }
        }
        Some(latest.map_or(Duration::ZERO, |stopped| stopped + self.ttl))
    }

    fn of(&self, replica: usize) -> impl Iterator<Item = &Step> {
        self.steps
            .iter()
            .filter(move |step| step.replica == replica)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_secs(3);

    fn s(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    /// Two replicas accept key 2 in seconds 3 and 4, and mint with it in 6 and 7.
    fn turned() -> Rotation {
        let mut rotation = Rotation::new(2, TTL);
        rotation.note(&Act::AcceptKey(2), 0, s(3));
        rotation.note(&Act::AcceptKey(2), 1, s(4));
        rotation.note(&Act::MintKey(2), 0, s(6));
        rotation.note(&Act::Clear, 0, s(6));
        rotation.note(&Act::MintKey(2), 1, s(7));
        rotation
    }

    #[test]
    fn a_key_may_be_minted_with_when_all_accept_it() {
        let rotation = turned();
        let harmless = |act| rotation.harmless_from(&act);
        assert_eq!(harmless(Act::MintKey(2)), Some((2, Some(s(4)))));
        assert_eq!(harmless(Act::MintKey(1)), Some((1, Some(s(0)))));
        assert_eq!(harmless(Act::MintKey(9)), Some((9, None)), "never accepted");
        assert_eq!(harmless(Act::AcceptKey(2)), None);
        assert_eq!(harmless(Act::Kill), None);
    }

    #[test]
    fn a_key_may_be_dropped_a_lifetime_after_it_was_last_minted_with() {
        let mut rotation = turned();
        let dropped = |rotation: &Rotation, key| rotation.harmless_from(&Act::DropKey(key));
        assert_eq!(dropped(&rotation, 1), Some((1, Some(s(10)))));
        assert_eq!(dropped(&rotation, 2), Some((2, None)), "still minted with");
        assert_eq!(
            dropped(&rotation, 3),
            Some((3, Some(s(0)))),
            "never minted with"
        );
        rotation.note(&Act::MintKey(1), 1, s(20));
        assert_eq!(dropped(&rotation, 1), Some((1, None)), "minted with again");
        let one = Rotation::new(2, TTL);
        assert_eq!(dropped(&one, 1), Some((1, None)));
    }
}
