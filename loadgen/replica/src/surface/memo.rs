use std::slice;

use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::Turned;

/// The addresses of memos (RFC 6570).
pub(super) const TEMPLATE: &str = "memo://{name}";

/// The name in `memo://{name}`; `None` for any other URI.
pub(super) fn name(uri: &str) -> Option<&str> {
    let name = uri.strip_prefix("memo://")?;
    (!name.is_empty() && !name.contains(['/', '?', '#'])).then_some(name)
}

/// A memo that first asks for a passphrase.
pub(super) fn turn(name: &str, turn: &Turn<'_>) -> Turned<'static> {
    let question = Question::text("unlock", format!("Passphrase for {name}?"), "phrase");
    let answers = turn.answers_to(slice::from_ref(&question));
    Ok(match answers.text("unlock", "phrase")? {
        Answer::Missing => Step::ask(question, Vec::new()),
        Answer::Given(phrase) if !phrase.is_empty() => {
            Step::done(format!("memo {name} opened with {phrase}"))
        }
        Answer::Given(_) | Answer::Refused => Step::done(format!("memo {name} stays closed")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{asked_keys, done, turn_of};

    #[test]
    fn only_memos_with_a_plain_name_exist() {
        assert_eq!(name("memo://today"), Some("today"));
        assert_eq!(name("memo://世界"), Some("世界"));
        for uri in [
            "memo://",
            "memo:today",
            "memo://a/b",
            "memo://a?b",
            "harbour://today",
            "",
        ] {
            assert_eq!(name(uri), None, "{uri}");
        }
    }

    #[test]
    fn the_phrase_opens_and_its_lack_does_not() {
        let run = |answers| turn("today", &turn_of(None, answers)).unwrap();
        assert_eq!(asked_keys(run("{}")), ["unlock"]);
        let given = r#"{"unlock":{"action":"accept","content":{"phrase":"tide"}}}"#;
        assert_eq!(done(run(given)), "memo today opened with tide");
        for closed in [
            r#"{"unlock":{"action":"cancel"}}"#,
            r#"{"unlock":{"action":"accept","content":{"phrase":""}}}"#,
        ] {
            assert_eq!(done(run(closed)), "memo today stays closed");
        }
    }
}
