use sha2::{Digest as _, Sha256};

use crate::mrtr::question::Question;

/// Which questions a state waits for: the first 128 bits of SHA-256 over one as it goes out, key
/// included, or over those of each of several. It stands in front of the item's own state, so the
/// same seal covers both. In which order they were asked makes no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pending([u8; Self::LEN]);

impl Pending {
    /// Length in bytes.
    pub(crate) const LEN: usize = 16;

    pub(crate) fn of<'q>(questions: impl IntoIterator<Item = &'q Question>) -> Self {
        let mut questions = questions.into_iter();
        match (questions.next(), questions.next()) {
            (None, _) => Self::digest(&[]),
            (Some(question), None) => Self::one(question),
            (Some(first), Some(second)) => {
                let mut each = vec![Self::one(first), Self::one(second)];
                each.extend(questions.map(Self::one));
                each.sort_unstable();
                let each: Vec<u8> = each.into_iter().flat_map(|one| one.0).collect();
                Self::digest(&each)
            }
        }
    }

    fn one(question: &Question) -> Self {
        // Written as JSON the key ends where its quotes end.
        let mut text = serde_json::to_vec(&question.key).expect("a string is JSON");
        text.extend_from_slice(question.written().get().as_bytes());
        Self::digest(&text)
    }

    fn digest(bytes: &[u8]) -> Self {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        Self(*hash.first_chunk().expect("32 bytes have 16"))
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
    fn keys_words_and_fields_all_count() {
        let a = || Question::text("a", "Name?", "x");
        let b = || Question::text("b", "Name?", "x");
        let lists = [
            vec![],
            vec![a()],
            vec![b()],
            vec![a(), a()],
            vec![a(), b()],
            vec![a(), b(), b()],
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
    fn the_order_does_not_count() {
        let question = |key| Question::text(key, "Name?", "x");
        let asked = |keys: [&'static str; 3]| Pending::of(&keys.map(question));
        assert_eq!(asked(["a", "b", "c"]), asked(["c", "a", "b"]));
    }

    #[test]
    fn a_state_comes_apart_as_it_was_joined() {
        let pending = Pending::of(&[]);
        let joined = pending.before(b"state");
        assert_eq!(Pending::split(&joined), Some((pending, &b"state"[..])));
        assert_eq!(Pending::split(&joined[..15]), None);
    }
}
