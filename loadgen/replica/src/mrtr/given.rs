use std::borrow::Cow;

use loadgen_protocol::{
    Action, ElicitAnswer, InputRequest, Root, RootsAnswer, Sampling, SamplingAnswer,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::mrtr::answers::{Answer, Malformed};
use crate::mrtr::form;
use crate::mrtr::question::Question;
use loadgen_protocol::raw_json::object;

/// What an accepted answer holds, by the kind of its question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Given {
    /// The form's fields, each as its schema wants it.
    Form(Map<String, Value>),
    /// The user agreed to visit the page, which does not mean that anything happened there.
    Visit,
    Sampling(SamplingAnswer),
    Roots(Vec<Root>),
}

/// Reads the answer to `question`.
///
/// # Errors
/// When it is no answer to a question of that kind, or does not fit what was asked.
pub(super) fn read(raw: &RawValue, question: &Question) -> Result<Answer<Given>, Malformed> {
    let malformed = |why: &str| Malformed(format!("inputResponses.{} {why}", question.key));
    match question.request() {
        InputRequest::Form(form) => {
            let Some(content) = accepted(raw).map_err(malformed)? else {
                return Ok(Answer::Refused);
            };
            let content = content.ok_or_else(|| malformed("accepts without content"))?;
            form::check(&form.requested_schema, &content)
                .map_err(|why| malformed(&format!("does not fit: {why}")))?;
            Ok(Answer::Given(Given::Form(content)))
        }
        InputRequest::Url(_) => Ok(match accepted(raw).map_err(malformed)? {
            Some(_) => Answer::Given(Given::Visit),
            None => Answer::Refused,
        }),
        InputRequest::Sampling(asked) => object::<SamplingAnswer>(raw.get())
            .ok()
            .filter(|answer| said(answer, asked))
            .map(|answer| Answer::Given(Given::Sampling(answer)))
            .ok_or_else(|| {
                malformed(
                    "must be {\"role\": string, \"content\": block or blocks, \"model\": string}",
                )
            }),
        InputRequest::Roots => object::<RootsAnswer>(raw.get())
            .ok()
            .filter(|answer| answer.roots.iter().all(|r| r.uri.starts_with("file://")))
            .map(|answer| Answer::Given(Given::Roots(answer.roots)))
            .ok_or_else(|| malformed("must be {\"roots\": [{\"uri\": a file address}]}")),
    }
}

/// The content of an accepted elicitation; `None` when it was declined or cancelled.
#[expect(
    clippy::option_option,
    reason = "accepted, and then with or without content"
)]
fn accepted(raw: &RawValue) -> Result<Option<Option<Map<String, Value>>>, &'static str> {
    let answer: ElicitAnswer = object(raw.get())
        .map_err(|_| "must be {\"action\": accept, decline or cancel, \"content\"?: object}")?;
    Ok((answer.action == Action::Accept).then_some(answer.content))
}

/// Whether this is something that a model can have said to what it was asked.
fn said(answer: &SamplingAnswer, asked: &Sampling) -> bool {
    let block = |block: &Value| match kind(block).as_deref() {
        Some("text") => block["text"].is_string(),
        Some("image" | "audio") => block["data"].is_string() && block["mimeType"].is_string(),
        Some("tool_use") => {
            !asked.tools.is_empty()
                && block["id"].is_string()
                && block["name"].is_string()
                && block["input"].is_object()
        }
        _ => false,
    };
    let content = match &answer.content {
        Value::Array(blocks) => !blocks.is_empty() && blocks.iter().all(block),
        one => block(one),
    };
    content && matches!(&*answer.role, "assistant" | "user")
}

fn kind(block: &Value) -> Option<Cow<'_, str>> {
    block.get("type")?.as_str().map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::raw;

    fn answer(question: &Question, json: &str) -> Result<Answer<Given>, Malformed> {
        read(&raw(json), question)
    }

    fn is_given(question: &Question, json: &str) -> bool {
        matches!(answer(question, json), Ok(Answer::Given(_)))
    }

    #[test]
    fn a_visit_needs_no_content_and_consent_is_all_it_says() {
        let visit = Question::visit("k", "Agree", "https://harbour.example/rules");
        let agreed = answer(&visit, r#"{"action":"accept"}"#);
        assert_eq!(agreed, Ok(Answer::Given(Given::Visit)));
        for no in ["decline", "cancel"] {
            let refused = answer(&visit, &format!(r#"{{"action":"{no}"}}"#));
            assert_eq!(refused, Ok(Answer::Refused));
        }
        for bad in [
            "{}",
            "true",
            r#"{"action":"visit"}"#,
            r#"["accept"]"#,
            "null",
        ] {
            assert!(answer(&visit, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_form_is_checked_against_the_schema_it_was_asked_with() {
        let form = Question::boolean("k", "Sure?", "ok");
        assert!(is_given(
            &form,
            r#"{"action":"accept","content":{"ok":true}}"#
        ));
        assert_eq!(
            answer(&form, r#"{"action":"decline"}"#),
            Ok(Answer::Refused)
        );
        for bad in [
            r#"{"action":"accept"}"#,
            r#"{"action":"accept","content":{}}"#,
            r#"{"action":"accept","content":{"ok":"yes"}}"#,
            r#"{"action":"accept","content":[true]}"#,
            r#"{"ok":true}"#,
        ] {
            assert!(answer(&form, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_model_says_blocks_under_a_role() {
        let question = Question::sampling("k", "Hi", 9);
        let text = r#"{"type":"text","text":"Hi"}"#;
        let said =
            |content: &str| format!(r#"{{"role":"assistant","model":"m","content":{content}}}"#);
        assert!(is_given(&question, &said(text)));
        assert!(is_given(&question, &said(&format!("[{text},{text}]"))));
        let use_tool = r#"{"type":"tool_use","id":"1","name":"tide","input":{}}"#;
        for bad in [
            said("\"Hi\""),
            said("[]"),
            said("{}"),
            said(r#"{"type":"text"}"#),
            said(r#"{"type":"video","data":"","mimeType":""}"#),
            said(r#"{"type":"image","data":""}"#),
            // Nobody offered it a tool.
            said(use_tool),
            format!(r#"{{"role":"assistant","content":{text}}}"#),
            format!(r#"{{"role":"system","model":"m","content":{text}}}"#),
            r#"{"action":"decline"}"#.to_owned(),
            "null".to_owned(),
        ] {
            assert!(answer(&question, &bad).is_err(), "{bad}");
        }
        assert!(is_given(&question.with_tool("tide"), &said(use_tool)));
    }

    #[test]
    fn roots_are_addresses_of_files() {
        let question = Question::roots("k");
        assert!(is_given(&question, r#"{"roots":[]}"#));
        assert!(is_given(
            &question,
            r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}"#
        ));
        for bad in [
            "{}",
            "[]",
            r#"{"roots":null}"#,
            r#"{"roots":["file:///a"]}"#,
            r#"{"roots":[{"uri":"https://harbour.example"}]}"#,
            r#"{"roots":[{"name":"A"}]}"#,
            r#"{"roots":[{"uri":"file:///a","name":7}]}"#,
        ] {
            assert!(answer(&question, bad).is_err(), "{bad}");
        }
    }
}
