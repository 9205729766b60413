use loadgen_protocol::Response;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Reply, clip};

/// What is wrong with the content of a success, in words; `None` when it holds the text.
pub(crate) fn lacks(reply: &Reply, expected: &str) -> Option<String> {
    let content = Content::of(reply);
    let texts = content.texts();
    let written = content.structured.map(|json| unspaced(json.get()));
    let mut all = texts.iter().chain(&written);
    if all.any(|text| text.contains(expected)) {
        return None;
    }
    let came = match (&*texts.join(" "), written) {
        ("", None) => "without any text".to_owned(),
        ("", Some(written)) => format!("with: {}", clip(&written)),
        (texts, _) => format!("with: {}", clip(texts)),
    };
    Some(format!(
        "expected the text `{}`, got a result {came}",
        clip(expected)
    ))
}

/// The parts of a result that hold texts: those of a tool, of a prompt, of a resource. What cannot be
/// read holds none.
#[derive(Default, Deserialize)]
struct Content<'a> {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    messages: Value,
    #[serde(default)]
    contents: Value,
    #[serde(borrow, default, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
}

impl<'a> Content<'a> {
    fn of(reply: &'a Reply) -> Self {
        let response: Option<Response<'a>> = serde_json::from_slice(&reply.body).ok();
        let result = response.and_then(|response| response.result);
        result
            .and_then(|result| serde_json::from_str(result.get()).ok())
            .unwrap_or_default()
    }

    fn texts(&self) -> Vec<String> {
        let messages = self.messages.as_array().into_iter().flatten();
        let mut texts = Vec::new();
        blocks(&self.content, &mut texts);
        blocks(&self.contents, &mut texts);
        messages.for_each(|message| blocks(&message["content"], &mut texts));
        let structured = self.structured.map(|json| serde_json::from_str(json.get()));
        if let Some(Ok(value)) = structured {
            strings(&value, &mut texts);
        }
        texts
    }
}

/// The texts of one block or of a list of them, those of embedded resources included.
fn blocks(content: &Value, texts: &mut Vec<String>) {
    let listed = content.as_array().map(Vec::as_slice);
    for block in listed.unwrap_or(std::slice::from_ref(content)) {
        let own = [&block["text"], &block["resource"]["text"]];
        texts.extend(own.into_iter().filter_map(Value::as_str).map(String::from));
    }
}

/// All strings of a JSON value, without its keys.
fn strings(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| strings(value, texts)),
        Value::Object(object) => object.values().for_each(|value| strings(value, texts)),
        _ => {}
    }
}

/// JSON as it is written, without the white space between its parts.
fn unspaced(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = |c: &char| {
        let keep = quoted || !c.is_ascii_whitespace();
        quoted ^= *c == '"' && !escaped;
        escaped = quoted && *c == '\\' && !escaped;
        keep
    };
    json.chars().filter(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(result: &str, expected: &str) -> Option<String> {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
        let reply = Reply {
            status: 200,
            body: body.into_bytes(),
            ..Reply::default()
        };
        lacks(&reply, expected)
    }

    #[test]
    fn a_text_is_found_wherever_results_have_texts() {
        for result in [
            r#"{"content":[{"type":"image","data":"x"},{"type":"text","text":"all is w\u00e9ll"}]}"#,
            r#"{"content":[{"type":"resource","resource":{"uri":"a://b","text":"all is wéll"}}]}"#,
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"all is wéll"}}]}"#,
            r#"{"contents":[{"uri":"a://b","text":"all is wéll"}]}"#,
            r#"{"content":[],"structuredContent":{"a":[{"b":"all is w\u00e9ll"}]}}"#,
        ] {
            assert_eq!(told(result, "wéll"), None, "{result}");
            assert!(told(result, "ill").is_some(), "{result}");
        }
    }

    #[test]
    fn structured_content_is_json_without_white_space() {
        let result = r#"{"structuredContent":{"z": 1, "say": "\"a\" : b\\", "n": [1, 2]}}"#;
        for expected in [r#""z":1,"say""#, r#""n":[1,2]"#, r#""a" : b"#] {
            assert_eq!(told(result, expected), None, "{expected}");
        }
        assert!(told(result, r#""a":b"#).is_some(), "inside a string");
    }

    #[test]
    fn what_was_expected_and_the_beginning_of_what_came_are_named() {
        let long = "y".repeat(1000);
        let why = told(
            &format!(r#"{{"content":[{{"text":"no\n{long}"}}]}}"#),
            "yes",
        );
        let why = why.unwrap();
        assert!(
            why.starts_with("expected the text `yes`, got a result with: no yyy"),
            "{why}"
        );
        assert!(why.ends_with('…') && why.len() < 300, "{why}");
        assert_eq!(
            told("{}", "yes").unwrap(),
            "expected the text `yes`, got a result without any text"
        );
        assert_eq!(
            told(r#"{"structuredContent": {"n": 3}}"#, "yes").unwrap(),
            r#"expected the text `yes`, got a result with: {"n":3}"#
        );
        // Two keys of the same name: what cannot be read holds nothing.
        assert!(told(r#"{"content":[],"content":[{"text":"yes"}]}"#, "yes").is_some());
    }
}
