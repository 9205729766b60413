use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::{Call, Entry, Turned};

/// Asks once before it pretends to delete a path. The path is an argument, so the binding holds it
/// and the state is empty.
pub(super) struct ConfirmDelete;

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
}

impl Entry for ConfirmDelete {
    fn listing() -> Value {
        json!({
            "description": "Asks once before it pretends to delete a path.",
            "inputSchema": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(call.arguments, &call.turn)
    }
}

fn turn<'a>(arguments: &'a str, turn: &Turn<'_>) -> Turned<'a> {
    let Arguments { path } = match serde_json::from_str(arguments) {
        Ok(arguments) => arguments,
        Err(e) => return Ok(Step::failed(super::bad_arguments("confirm_delete", &e))),
    };
    let question = Question::boolean("confirm", format!("Delete {path}?"), "confirm");
    Ok(match turn.confirmed(&question, "confirm")? {
        Answer::Missing => Step::ask(question, Vec::new()),
        Answer::Given(true) => Step::done(format!("deleted {path}")),
        Answer::Given(false) | Answer::Refused => Step::done(format!("kept {path}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{asked_keys, done, turn_of};

    #[test]
    fn every_answer_decides_about_the_deletion() {
        let arguments = r#"{"path":"a\"b"}"#;
        let run = |state, answers: &str| turn(arguments, &turn_of(state, answers));
        assert_eq!(asked_keys(run(None, "{}").unwrap()), ["confirm"]);
        let accept = r#"{"confirm":{"action":"accept","content":{"confirm":true}}}"#;
        assert_eq!(done(run(Some(&[]), accept).unwrap()), "deleted a\"b");
        let keep = r#"{"confirm":{"action":"accept","content":{"confirm":false}}}"#;
        assert_eq!(done(run(Some(&[]), keep).unwrap()), "kept a\"b");
        for action in ["decline", "cancel"] {
            let no = format!(r#"{{"confirm":{{"action":"{action}"}}}}"#);
            assert_eq!(done(run(Some(&[]), &no).unwrap()), "kept a\"b");
        }
    }

    #[test]
    fn an_answer_without_a_state_deletes_nothing() {
        let arguments = r#"{"path":"p"}"#;
        let accept = r#"{"confirm":{"action":"accept","content":{"confirm":true}}}"#;
        assert_eq!(
            asked_keys(turn(arguments, &turn_of(None, accept)).unwrap()),
            ["confirm"]
        );
    }

    #[test]
    fn a_missing_answer_is_asked_for_again() {
        let arguments = r#"{"path":"p"}"#;
        let step = turn(arguments, &turn_of(Some(&[]), r#"{"other":17}"#)).unwrap();
        assert_eq!(asked_keys(step), ["confirm"]);
    }

    #[test]
    fn a_missing_path_fails_the_tool() {
        let arguments = "{}";
        let step = turn(arguments, &turn_of(None, "{}")).unwrap();
        assert!(matches!(step, Step::Failed(text) if text.contains("path")));
    }
}
