use std::slice;
use std::sync::LazyLock;

use loadgen_protocol::RequestedSchema;
use serde_json::{Value, json};

use crate::content::Content;
use crate::mrtr::{Answer, Given, Question, Step, Turn};
use crate::surface::{Call, Entry, Turned};

/// Asks for a field of every kind that a form can have, and gives the answers back as data.
pub(super) struct Survey;

/// One field of each kind and format; those with a default are optional.
static FORM: LazyLock<RequestedSchema> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 2, "maxLength": 60 },
            "nickname": { "type": "string", "default": "none" },
            "email": { "type": "string", "format": "email" },
            "homepage": { "type": "string", "format": "uri" },
            "birthday": { "type": "string", "format": "date" },
            "arrival": { "type": "string", "format": "date-time" },
            "draught_m": { "type": "number", "minimum": 0.5, "maximum": 9.5 },
            "crew": { "type": "integer", "minimum": 1, "maximum": 12, "default": 2 },
            "insured": { "type": "boolean" },
            "pets": { "type": "boolean", "default": false },
            "side": { "type": "string", "enum": ["port", "starboard"] },
            "berth": {
                "type": "string",
                "oneOf": [
                    { "const": "n", "title": "North quay" },
                    { "const": "s", "title": "South quay" },
                ],
            },
            "services": {
                "type": "array", "minItems": 1, "maxItems": 2,
                "items": { "type": "string", "enum": ["water", "power", "waste"] },
            },
            "charts": {
                "type": "array", "minItems": 2, "maxItems": 3,
                "items": {
                    "anyOf": [
                        { "const": "h", "title": "Harbour" },
                        { "const": "c", "title": "Coast" },
                        { "const": "o", "title": "Ocean" },
                    ],
                },
            },
        },
        "required": [
            "name", "email", "homepage", "birthday", "arrival", "draught_m", "insured", "side",
            "berth", "services", "charts",
        ],
    });
    serde_json::from_value(schema).expect("a form's schema")
});

impl Entry for Survey {
    fn listing() -> Value {
        json!({
            "description": "Asks one form with a field of every kind; gives the fields back as data.",
            "inputSchema": { "type": "object" },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(&call.turn)
    }
}

fn turn(turn: &Turn<'_>) -> Turned<'static> {
    let question = Question::form("survey", "Who comes to the harbour?", FORM.clone());
    let answers = turn.answers_to(slice::from_ref(&question));
    Ok(match answers.to(&question)? {
        Answer::Given(Given::Form(fields)) => Step::Done(Content::Structured(fields.into())),
        Answer::Missing => Step::ask(question, Vec::new()),
        _ => Step::done("The form was not filled in."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{asked_keys, done, turn_of};

    fn filled() -> Value {
        json!({
            "name": "Mara Quill", "email": "mara@harbour.example",
            "homepage": "https://harbour.example", "birthday": "1990-02-28",
            "arrival": "2026-07-28T10:00:00Z", "draught_m": 2.5, "insured": true, "side": "port",
            "berth": "n", "services": ["water"], "charts": ["h", "o"],
        })
    }

    fn answered(content: &Value) -> Turned<'static> {
        let accepted = json!({ "survey": { "action": "accept", "content": content } });
        turn(&turn_of(Some(&[]), &accepted.to_string()))
    }

    #[test]
    fn a_filled_form_comes_back_as_data() {
        assert_eq!(asked_keys(turn(&turn_of(None, "{}")).unwrap()), ["survey"]);
        match answered(&filled()).unwrap() {
            Step::Done(Content::Structured(fields)) => assert_eq!(fields, filled()),
            other => panic!("{other:?}"),
        }
        let no = turn(&turn_of(None, r#"{"survey":{"action":"decline"}}"#));
        assert_eq!(done(no.unwrap()), "The form was not filled in.");
    }

    #[test]
    fn each_field_is_checked() {
        for (field, bad) in [
            ("name", json!("M")),
            ("email", json!("mara")),
            ("homepage", json!("harbour")),
            ("birthday", json!("1990-02-30")),
            ("arrival", json!("1990-02-28")),
            ("draught_m", json!(9.6)),
            ("crew", json!(0)),
            ("crew", json!(1.5)),
            ("insured", json!("true")),
            ("side", json!("left")),
            ("berth", json!("North quay")),
            ("services", json!([])),
            ("services", json!(["food"])),
            ("charts", json!(["h"])),
            ("nickname", json!(null)),
        ] {
            let mut form = filled();
            form[field] = bad.clone();
            assert!(answered(&form).is_err(), "{field} {bad}");
        }
        for field in &FORM.required {
            let mut form = filled();
            form.as_object_mut().unwrap().remove(field);
            assert!(answered(&form).is_err(), "without {field}");
        }
    }
}
