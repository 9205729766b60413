use loadgen_measure::{FailureExample, Outcome};

/// Different sentences that are kept; later new ones are only counted under their outcome.
const MOST: usize = 32;

/// What servers said when a round failed, each sentence once with its count.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures(Vec<FailureExample>);

impl Failures {
    pub(super) fn note(&mut self, outcome: Outcome, replica: u16, text: &str) {
        self.add(FailureExample {
            outcome,
            replica: usize::from(replica),
            text: text.to_owned(),
            count: 1,
        });
    }

    pub(super) fn merge(&mut self, other: Self) {
        for example in other.0 {
            self.add(example);
        }
    }

    pub(super) fn into_examples(self) -> Vec<FailureExample> {
        self.0
    }

    fn add(&mut self, new: FailureExample) {
        let same = |known: &&mut FailureExample| {
            known.outcome == new.outcome && known.replica == new.replica && known.text == new.text
        };
        if let Some(known) = self.0.iter_mut().find(same) {
            known.count += new.count;
        } else if self.0.len() < MOST {
            self.0.push(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_once_each_and_bounded() {
        let mut failures = Failures::default();
        for n in 0..100 {
            failures.note(Outcome::Timeout, 0, "late");
            failures.note(Outcome::ProtocolError, 1, &format!("{n}"));
        }
        let mut twice = failures.clone();
        twice.merge(failures);
        let examples = twice.into_examples();
        assert_eq!(examples.len(), MOST);
        assert_eq!(examples[0].count, 200);
    }
}
