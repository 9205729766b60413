//! What servers ask, and what goes back.

use loadgen_protocol::names::header as fields;

use super::*;

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;

/// Sent by the next round, after the first one was answered with this result.
fn after(result: &str) -> Value {
    let mut talk = Talk::new();
    let step = talk.reply(result);
    assert!(matches!(step, Step::Again { .. }), "{step:?}");
    talk.sent()
}

#[test]
fn an_answer_is_an_envelope_of_action_and_content() {
    let sent = after(&question("one", ""));
    let answer = sent["params"]["inputResponses"]["one"].as_object().unwrap();
    let keys: Vec<&str> = answer.keys().map(String::as_str).collect();
    assert_eq!(keys, ["action", "content"]);
    assert!(answer["content"]["a"].is_string());
}

#[test]
fn answers_belong_to_their_keys_in_whatever_order_the_questions_come() {
    for questions in [
        format!(r#"{{"form":{FORM},"roots":{ROOTS}}}"#),
        format!(r#"{{"roots":{ROOTS},"form":{FORM}}}"#),
    ] {
        let sent = after(&format!(
            r#"{{"resultType":"input_required","inputRequests":{questions},"requestState":"s"}}"#
        ));
        let answers = sent["params"]["inputResponses"].as_object().unwrap();
        assert_eq!(answers.len(), 2);
        assert!(answers["form"]["content"]["a"].is_string(), "{answers:?}");
        assert!(answers["roots"]["roots"].is_array(), "{answers:?}");
    }
}

#[test]
fn metadata_and_unknown_members_do_not_change_what_is_asked() {
    let sent = after(&format!(
        r#"{{"_meta":{{"a":{{"b":[1]}}}},"x":null,"resultType":"input_required","inputRequests":{{"k":{FORM}}},"ttlMs":5,"requestState":"s"}}"#
    ));
    assert_eq!(sent["params"]["requestState"], "s");
    assert_eq!(sent["params"]["inputResponses"]["k"]["action"], "accept");
}

#[test]
fn only_the_rest_is_answered_where_only_the_rest_is_asked() {
    let mut talk = Talk::new();
    let ask = |keys: &[&str], state: &str| {
        let questions: Vec<String> = keys.iter().map(|k| format!(r#""{k}":{FORM}"#)).collect();
        format!(
            r#"{{"resultType":"input_required","inputRequests":{{{}}},"requestState":"{state}"}}"#,
            questions.join(",")
        )
    };
    talk.reply(&ask(&["a", "b", "c"], "1"));
    assert_eq!(
        talk.sent()["params"]["inputResponses"]
            .as_object()
            .unwrap()
            .len(),
        3
    );
    talk.reply(&ask(&["c"], "2"));
    let sent = talk.sent();
    let answers = sent["params"]["inputResponses"].as_object().unwrap();
    assert_eq!(answers.keys().collect::<Vec<_>>(), ["c"]);
    assert_eq!(sent["params"]["requestState"], "2");
}

#[test]
fn names_that_no_header_can_carry_are_encoded_and_the_body_has_them_as_they_are() {
    for name in ["café", "世界", " lead", "trail ", "a\nb", "=?base64?eA==?="] {
        let text = GOOD.replace("\"trière\"", &json!(name).to_string());
        let mut talk = Talk::of(&text);
        assert_eq!(talk.sent()["params"]["name"], name);
        let mut headers = talk.template.headers.iter();
        let (_, header) = headers.find(|(key, _)| *key == fields::NAME).unwrap();
        assert!(
            header.bytes().all(|b| (0x20..0x7f).contains(&b)),
            "{header:?}"
        );
        assert_ne!(header, name, "encoded");
        assert_eq!(header_value::decode(header.as_bytes()).unwrap(), name);
    }
    let text = GOOD.replace(
        "tool = \"trière\"\narguments = { n = 1 }",
        "resource = \"berth://港/1\"",
    );
    let mut talk = Talk::of(&text);
    assert_eq!(talk.sent()["params"]["uri"], "berth://港/1");
    let mut headers = talk.template.headers.iter();
    let (_, header) = headers.find(|(key, _)| *key == fields::NAME).unwrap();
    assert_eq!(
        header_value::decode(header.as_bytes()).unwrap(),
        "berth://港/1"
    );
}
