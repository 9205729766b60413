use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use loadgen_seal::TokenId;

use crate::store::Redemption;

/// A record in bounded memory, in the order in which it can be forgotten.
pub(super) struct Memory {
    used: Mutex<BTreeSet<(u32, [u8; 16])>>,
    room: usize,
}

impl Memory {
    /// How many tokens are remembered at once: about 40 MB.
    pub(super) const ROOM: usize = 1 << 20;

    pub(super) const fn new(room: usize) -> Self {
        Self {
            used: Mutex::new(BTreeSet::new()),
            room,
        }
    }

    /// Notes the token down. Tokens that expired before `forget` (in seconds since 1970) need not
    /// be known any more. A full record can promise nothing and is unavailable.
    pub(super) fn redeem(&self, id: &TokenId, forget: u64) -> Redemption {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while used
            .first()
            .is_some_and(|&(expiry_s, _)| u64::from(expiry_s) < forget)
        {
            used.pop_first();
        }
        let entry = (id.expiry_s, id.tag);
        if used.contains(&entry) {
            Redemption::Again
        } else if used.len() < self.room {
            used.insert(entry);
            Redemption::First
        } else {
            Redemption::Unavailable
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(expiry_s: u32, tag: u8) -> TokenId {
        TokenId {
            expiry_s,
            tag: [tag; 16],
        }
    }

    #[test]
    fn a_token_is_remembered_until_it_can_be_forgotten() {
        let memory = Memory::new(10);
        assert_eq!(memory.redeem(&id(100, 1), 0), Redemption::First);
        assert_eq!(memory.redeem(&id(100, 2), 0), Redemption::First);
        assert_eq!(memory.redeem(&id(101, 1), 0), Redemption::First);
        assert_eq!(memory.redeem(&id(100, 1), 100), Redemption::Again);
        assert_eq!(memory.redeem(&id(100, 1), 101), Redemption::First);
        assert_eq!(memory.redeem(&id(101, 1), 101), Redemption::Again);
    }

    #[test]
    fn a_full_record_says_so_until_something_expires() {
        let memory = Memory::new(2);
        assert_eq!(memory.redeem(&id(100, 1), 0), Redemption::First);
        assert_eq!(memory.redeem(&id(200, 2), 0), Redemption::First);
        assert_eq!(memory.redeem(&id(200, 3), 100), Redemption::Unavailable);
        assert_eq!(memory.redeem(&id(200, 2), 100), Redemption::Again);
        assert_eq!(memory.redeem(&id(200, 3), 101), Redemption::First);
    }
}
