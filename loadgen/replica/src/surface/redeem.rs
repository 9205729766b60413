use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::Content;
use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::{Call, Entry, Turned};

/// Redeems a code, once it is confirmed. The code is an argument, so the binding holds it, and the
/// state is a random number alone: algorithms without a nonce seal equal states equally, and the
/// record of used states could not tell two confirmations of one code apart.
pub(super) struct Redeem;

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    code: Cow<'a, str>,
}

impl Entry for Redeem {
    fn listing() -> Value {
        json!({
            "description": "Redeems a code once it is confirmed; where states are recorded, each one once.",
            "inputSchema": {
                "type": "object",
                "properties": { "code": { "type": "string" } },
                "required": ["code"],
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(call.arguments, &call.turn)
    }
}

fn turn<'a>(arguments: &'a str, turn: &Turn<'_>) -> Turned<'a> {
    let Arguments { code } = match serde_json::from_str(arguments) {
        Ok(arguments) => arguments,
        Err(e) => return Ok(Step::failed(super::bad_arguments("redeem", &e))),
    };
    let question = Question::boolean("confirm", format!("Redeem {code}?"), "confirm");
    Ok(match turn.confirmed(&question, "confirm")? {
        Answer::Missing => Step::ask(question, rand::random::<u128>().to_be_bytes().to_vec()),
        Answer::Given(true) => Step::Once(Content::Text(format!("redeemed {code}").into())),
        Answer::Given(false) | Answer::Refused => Step::done(format!("kept {code}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{asked_keys, done, turn_of};

    const CODE: &str = r#"{"code":"SPRING"}"#;
    const ACCEPT: &str = r#"{"confirm":{"action":"accept","content":{"confirm":true}}}"#;

    #[test]
    fn only_a_confirmed_code_is_redeemed() {
        let run = |state, answers| turn(CODE, &turn_of(state, answers)).unwrap();
        assert_eq!(asked_keys(run(None, "{}")), ["confirm"]);
        assert_eq!(asked_keys(run(None, ACCEPT)), ["confirm"]);
        assert_eq!(asked_keys(run(Some(&[]), "{}")), ["confirm"]);
        assert_eq!(done(run(Some(&[]), ACCEPT)), "redeemed SPRING");
        for no in [
            r#"{"confirm":{"action":"accept","content":{"confirm":false}}}"#,
            r#"{"confirm":{"action":"decline"}}"#,
            r#"{"confirm":{"action":"cancel"}}"#,
        ] {
            assert_eq!(done(run(Some(&[]), no)), "kept SPRING");
        }
    }

    #[test]
    fn a_missing_code_fails_the_tool() {
        let step = turn("{}", &turn_of(None, "{}")).unwrap();
        assert!(matches!(step, Step::Failed(text) if text.contains("code")));
    }
}
