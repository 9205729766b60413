use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mrtr::Step;
use crate::surface::{Call, Entry, Turned};

/// Gives its text back; never asks anything.
pub(super) struct Echo;

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

impl Entry for Echo {
    fn listing() -> Value {
        json!({
            "description": "Gives its text back; never asks anything.",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string", "default": "" } },
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        Ok(turn(call.arguments))
    }
}

fn turn(arguments: &str) -> Step<'_> {
    match serde_json::from_str::<Arguments<'_>>(arguments) {
        Ok(Arguments { text }) => Step::done(text),
        Err(e) => Step::failed(super::bad_arguments("echo", &e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::done;

    #[test]
    fn text_comes_back_decoded_and_none_is_empty() {
        let escaped = r#"{"text":"\u4e16\n","more":1}"#;
        assert_eq!(done(turn(escaped)), "世\n");
        assert_eq!(done(turn("{}")), "");
    }

    #[test]
    fn text_of_another_type_fails_the_tool() {
        let number = r#"{"text":5}"#;
        assert!(matches!(turn(number), Step::Failed(_)));
    }
}
