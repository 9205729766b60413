use sha2::{Digest as _, Sha256};

use crate::mrtr::question::Question;

/// Which questions a state waits for: the first 128 bits of SHA-256 over them as they go out, keys
/// and order included. It stands in front of the item's own state, so the same seal covers both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending([u8; Self::LEN]);

impl Pending {
    /// Length in bytes.
    pub(crate) const LEN: usize = 16;

    pub(crate) fn of(questions: &[Question]) -> Self {
        let mut hash = Sha256::new();
        for question in questions {
            // Written as JSON a key ends where its quotes end, so no two lists run together.
            let text = serde_json::to_vec(&(&question.key, &question.request))
                .expect("questions are maps with string keys");
            hash.update(text);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let first = *hash.first_chunk().expect("32 bytes have 16");
        Self(first)
    }

    /// In front of the item's own state.
    pub(crate) fn before(self, state: &[u8]) -> Vec<u8> {
        [&self.0, state].concat()
    }

    /// Parts what [`Self::before`] joined; `None` when it is too short for that.
    pub(crate) fn split(joined: &[u8]) -> Option<(Self, &[u8])> {
        let (first, state) = joined.split_first_chunk()?;
        Some((Self(*first), state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_words_fields_and_order_all_count() {
        let a = || Question::text("a", "Name?", "x");
        let b = || Question::text("b", "Name?", "x");
        let lists = [
            vec![],
            vec![a()],
            vec![b()],
            vec![a(), b()],
            vec![b(), a()],
            vec![Question::text("a", "Name!", "x")],
            vec![Question::text("a", "Name?", "y")],
            vec![Question::boolean("a", "Name?", "x")],
        ];
        for (i, one) in lists.iter().enumerate() {
            for (j, other) in lists.iter().enumerate() {
                assert_eq!(Pending::of(one) == Pending::of(other), i == j, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_state_comes_apart_as_it_was_joined() {
        let pending = Pending::of(&[]);
        let joined = pending.before(b"state");
        assert_eq!(Pending::split(&joined), Some((pending, &b"state"[..])));
        assert_eq!(Pending::split(&joined[..15]), None);
    }
}
