//! Several questions that are asked together.

use serde_json::value::RawValue;

use crate::mrtr::answers::{Answer, Malformed};
use crate::mrtr::given::{self, Given};
use crate::mrtr::pending::Pending;
use crate::mrtr::question::Question;
use crate::mrtr::step::{Ask, Turn};

/// How far the answers to several questions have come.
#[derive(Debug)]
pub(crate) enum Gathered {
    /// These are still to be answered. Their state holds the answers that came already.
    Open(Ask),
    /// Every question is answered or refused; the answers stand in the order of the questions.
    Whole(Vec<Answer<Given>>),
}

impl Turn<'_> {
    /// Takes what was answered of `questions`, in this round and before, and asks again for the rest
    /// and only for that: only the newest round's answers travel, so those of earlier rounds are in
    /// the state. A kept answer belongs to the very question that it was given to, as in
    /// [`Turn::answers_to`].
    ///
    /// # Errors
    /// When an answer is there that cannot be understood or does not fit its question.
    pub(crate) fn gather(&self, questions: Vec<Question>) -> Result<Gathered, Malformed> {
        let kept = self.state.map(Kept::decode).unwrap_or_default();
        let pending: Vec<_> = questions.iter().map(|q| self.pending([q])).collect();
        let kept: Vec<_> = pending.iter().map(|&question| kept.to(question)).collect();
        let open = questions
            .iter()
            .zip(&kept)
            .filter_map(|(question, kept)| kept.is_none().then_some(question));
        let fresh = self.answers_to(open);

        let (mut answers, mut rest, mut state) = (Vec::new(), Vec::new(), Vec::new());
        for ((question, pending), kept) in questions.into_iter().zip(pending).zip(kept) {
            match kept.or_else(|| fresh.raw(&question.key)) {
                None => rest.push(question),
                Some(raw) => {
                    answers.push(given::read(raw, &question)?);
                    Kept::encode(pending, raw, &mut state);
                }
            }
        }
        Ok(if rest.is_empty() {
            Gathered::Whole(answers)
        } else {
            Gathered::Open(Ask {
                questions: rest,
                state: Some(state),
            })
        })
    }
}

/// Answers of earlier rounds. As bytes, for each: which question it answers (16 bytes, see
/// [`Pending`]), its length (u32, big endian) and its JSON text.
#[derive(Default)]
struct Kept<'a>(Vec<(Pending, &'a RawValue)>);

impl<'a> Kept<'a> {
    fn encode(question: Pending, answer: &RawValue, to: &mut Vec<u8>) {
        let text = answer.get();
        let len = u32::try_from(text.len()).expect("a request body is limited to less than 4 GiB");
        to.extend_from_slice(&question.before(&len.to_be_bytes()));
        to.extend_from_slice(text.as_bytes());
    }

    /// What cannot be read, as from another version, is asked for again.
    fn decode(mut bytes: &'a [u8]) -> Self {
        let mut next = || {
            let (question, rest) = Pending::split(bytes)?;
            let (len, rest) = rest.split_first_chunk::<4>()?;
            let len = usize::try_from(u32::from_be_bytes(*len)).ok()?;
            let (answer, rest) = rest.split_at_checked(len)?;
            let answer = serde_json::from_slice(answer).ok()?;
            bytes = rest;
            Some((question, answer))
        };
        Self(std::iter::from_fn(&mut next).collect())
    }

    fn to(&self, question: Pending) -> Option<&'a RawValue> {
        let found = self.0.iter().find(|(of, _)| *of == question);
        found.map(|(_, answer)| *answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::turn_of;

    fn questions() -> Vec<Question> {
        vec![
            Question::text("a", "A?", "x"),
            Question::roots("b"),
            Question::boolean("c", "C?", "x"),
        ]
    }

    fn open(gathered: Gathered) -> (Vec<String>, Vec<u8>) {
        match gathered {
            Gathered::Open(ask) => {
                let keys = ask.questions.into_iter().map(|q| q.key.into_owned());
                (keys.collect(), ask.state.unwrap())
            }
            Gathered::Whole(answers) => panic!("{answers:?}"),
        }
    }

    fn whole(gathered: Gathered) -> Vec<Answer<Given>> {
        match gathered {
            Gathered::Whole(answers) => answers,
            Gathered::Open(ask) => panic!("{ask:?}"),
        }
    }

    const A: &str = r#""a":{"action":"accept","content":{"x":"1"}}"#;
    const B: &str = r#""b":{"roots":[]}"#;
    const C: &str = r#""c":{"action":"decline"}"#;

    #[test]
    fn only_what_is_missing_is_asked_for_again_until_all_is_there() {
        let (keys, state) = open(turn_of(None, "{}").gather(questions()).unwrap());
        assert_eq!((keys.len(), state.len()), (3, 0));
        let turn = turn_of(Some(&state), &format!(r#"{{{A},{C},"other":7}}"#));
        let (keys, state) = open(turn.gather(questions()).unwrap());
        assert_eq!(keys, ["b"]);
        let answers = whole(
            turn_of(Some(&state), &format!("{{{B}}}"))
                .gather(questions())
                .unwrap(),
        );
        assert!(matches!(&answers[0], Answer::Given(Given::Form(f)) if f["x"] == "1"));
        assert_eq!(answers[1], Answer::Given(Given::Roots(Vec::new())));
        assert_eq!(answers[2], Answer::Refused);
    }

    #[test]
    fn all_at_once_is_whole_at_once_in_any_order() {
        for answers in [format!("{{{A},{B},{C}}}"), format!("{{{C},{B},{A}}}")] {
            assert_eq!(
                whole(turn_of(None, &answers).gather(questions()).unwrap()).len(),
                3
            );
        }
    }

    #[test]
    fn a_kept_answer_to_a_question_in_other_words_is_asked_for_again() {
        let turn = turn_of(Some(&[]), &format!("{{{A},{C}}}"));
        let (_, state) = open(turn.gather(questions()).unwrap());
        let mut changed = questions();
        changed[0] = Question::text("a", "A, really?", "x");
        let (keys, _) = open(
            turn_of(Some(&state), &format!("{{{B}}}"))
                .gather(changed)
                .unwrap(),
        );
        assert_eq!(keys, ["a"]);
    }

    #[test]
    fn an_answer_that_came_cannot_be_changed_later() {
        let turn = turn_of(Some(&[]), &format!("{{{A}}}"));
        let (_, state) = open(turn.gather(questions()).unwrap());
        let other = A.replace('1', "2");
        let turn = turn_of(Some(&state), &format!("{{{other},{B},{C}}}"));
        let answers = whole(turn.gather(questions()).unwrap());
        assert!(matches!(&answers[0], Answer::Given(Given::Form(f)) if f["x"] == "1"));
    }

    #[test]
    fn malformed_answers_are_told() {
        let turn = turn_of(None, r#"{"b":{"roots":7}}"#);
        assert!(turn.gather(questions()).is_err());
    }

    #[test]
    fn bytes_of_another_form_keep_nothing() {
        for bytes in [&b"x"[..], &[0; 16], &[0; 20], &[255; 24]] {
            assert_eq!(Kept::decode(bytes).0.len(), 0, "{bytes:?}");
        }
    }
}
