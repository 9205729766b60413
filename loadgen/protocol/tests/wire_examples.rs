//! Reads every wire example with the types of this crate: the valid ones are understood, branching
//! on `resultType`, and the broken ones are refused by the rule that they break.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
use std::path::Path;

use loadgen_protocol::{
    CallToolResult, DiscoverResult, Entries, ErrorCode, GetPromptResult, InputAnswer, InputRequest,
    InputRequiredResult, ListPromptsResult, ListResourcesResult, ListToolsResult, Message,
    MessageFault, Naming, Params, ParamsFault, ReadResourceResult, Request, Response, ResultHead,
    ResultType, header_value, names,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

struct Example {
    file: String,
    schema: String,
    expect: String,
    headers: Value,
    text: String,
}

fn examples() -> Vec<Example> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire-examples");
    let index: Value =
        serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    index["examples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| Example {
            file: text(&e["file"]),
            schema: text(&e["schema_def"]),
            expect: text(&e["expect"]),
            headers: e["headers"].clone(),
            text: std::fs::read_to_string(folder.join(text(&e["file"]))).unwrap(),
        })
        .collect()
}

#[test]
fn the_folder_holds_all_seventy() {
    let all = examples();
    let count = |expect: &str| all.iter().filter(|e| e.expect == expect).count();
    assert_eq!(
        (
            count("valid"),
            count("invalid"),
            count("schema-valid-but-forbidden")
        ),
        (56, 11, 3)
    );
}

#[test]
fn valid_requests_are_read_and_their_headers_agree() {
    let mut read = 0;
    for e in examples()
        .iter()
        .filter(|e| e.expect == "valid" && e.headers.is_object())
    {
        let request = request(&e.text);
        assert_eq!(e.headers["Mcp-Method"], &*request.method, "{}", e.file);
        let params = request.params.unwrap();
        let meta = params.meta().unwrap();
        assert_eq!(
            e.headers["MCP-Protocol-Version"], &*meta.version,
            "{}",
            e.file
        );
        if let Some(name) = e.headers["Mcp-Name"].as_str() {
            let want = params
                .target(Naming::Name)
                .or_else(|_| params.target(Naming::Uri))
                .unwrap();
            assert_eq!(
                header_value::decode(name.as_bytes()).unwrap(),
                want,
                "{}",
                e.file
            );
            assert_eq!(header_value::encode(&want), name, "{}", e.file);
        }
        for (key, answer) in answers(&params).iter() {
            let typed: InputAnswer = serde_json::from_str(answer.get())
                .unwrap_or_else(|err| panic!("{} {key}: {err}", e.file));
            assert_eq!(round_trip(&typed), value(answer.get()), "{}", e.file);
        }
        read += 1;
    }
    assert!(read >= 20, "only {read} requests were read");
}

#[test]
fn valid_results_are_read_by_their_result_type() {
    let mut read = 0;
    for e in examples().iter().filter(|e| e.expect == "valid") {
        let response: Response<'_> = serde_json::from_str(&e.text).unwrap();
        let Some(raw) = response.result else { continue };
        let head: ResultHead<'_> = serde_json::from_str(raw.get()).unwrap();
        match (head.kind(), e.schema.as_str()) {
            (ResultType::InputRequired, "InputRequiredResult (on .result)") => {
                let typed = same_both_ways::<InputRequiredResult>(e, raw);
                assert!(typed.input_requests.is_some() || typed.request_state.is_some());
                assert_eq!(
                    head.request_state
                        .map(|s| serde_json::from_str::<String>(s.get()).unwrap()),
                    typed.request_state
                );
            }
            (ResultType::Complete, "CallToolResult (on .result)") => {
                same_both_ways::<CallToolResult>(e, raw);
            }
            (ResultType::Complete, "GetPromptResult (on .result)") => {
                same_both_ways::<GetPromptResult>(e, raw);
            }
            (ResultType::Complete, "ReadResourceResult (on .result)") => {
                same_both_ways::<ReadResourceResult>(e, raw);
            }
            (ResultType::Complete, "DiscoverResultResponse") => {
                reads::<DiscoverResult>(e, raw);
            }
            (ResultType::Complete, "ListToolsResultResponse") => {
                reads::<ListToolsResult>(e, raw);
            }
            (ResultType::Complete, "ListPromptsResultResponse") => {
                reads::<ListPromptsResult>(e, raw);
            }
            (ResultType::Complete, "ListResourcesResultResponse") => {
                reads::<ListResourcesResult>(e, raw);
            }
            (ResultType::Complete, "SubscriptionsListenResultResponse") => {}
            (kind, schema) => panic!("{}: {kind:?} of {schema}", e.file),
        }
        read += 1;
    }
    assert!(read >= 15, "only {read} results were read");
}

#[test]
fn valid_errors_carry_the_codes_of_the_table() {
    let mut codes: Vec<i64> = examples()
        .iter()
        .filter(|e| e.expect == "valid")
        .filter_map(|e| {
            serde_json::from_str::<Response<'_>>(&e.text)
                .ok()?
                .error
                .map(|err| err.code.0)
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    for code in [
        ErrorCode::PARSE,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
        ErrorCode::HEADER_MISMATCH,
        ErrorCode::MISSING_CAPABILITY,
        ErrorCode::UNSUPPORTED_VERSION,
    ] {
        assert!(codes.contains(&code.0), "{code:?} is in no example");
    }
}

#[test]
fn embedded_requests_and_answers_are_read() {
    for e in examples().iter().filter(|e| e.expect == "valid") {
        match e.schema.as_str() {
            "ElicitRequest" | "CreateMessageRequest" | "ListRootsRequest" => {
                serde_json::from_str::<InputRequest>(&e.text)
                    .unwrap_or_else(|err| panic!("{}: {err}", e.file));
            }
            "ElicitResult" | "CreateMessageResult" | "ListRootsResult" => {
                let typed: InputAnswer = serde_json::from_str(&e.text).unwrap();
                assert_eq!(round_trip(&typed), value(&e.text), "{}", e.file);
            }
            _ => {}
        }
    }
}

#[test]
fn broken_examples_break_where_they_should() {
    let all = examples();
    let text = |name: &str| &all.iter().find(|e| e.file.starts_with(name)).unwrap().text;
    fn params(text: &str) -> Params<'_> {
        request(text).params.unwrap()
    }
    let fault = |name| params(text(name)).meta().unwrap_err();
    let version = ParamsFault::Meta(names::meta::PROTOCOL_VERSION);
    let capabilities = ParamsFault::Meta(names::meta::CLIENT_CAPABILITIES);
    assert_eq!(fault("n01"), version);
    assert_eq!(fault("n02"), capabilities);
    assert_eq!(fault("n03"), version);
    let n04 = Message::parse(text("n04").as_bytes()).unwrap_err();
    assert!(matches!(n04.fault, MessageFault::NotRequest(why) if why.contains("id")));
    let n05 = params(text("n05"));
    assert!(matches!(n05.state(), Err(ParamsFault::Member(why)) if why.contains("requestState")));
    let n06 = params(text("n06"));
    assert!(
        answers(&n06)
            .iter()
            .any(|(_, answer)| serde_json::from_str::<InputAnswer>(answer.get()).is_err())
    );
    let n09: Response<'_> = serde_json::from_str(text("n09")).unwrap();
    let n09: ResultHead<'_> = serde_json::from_str(n09.result.unwrap().get()).unwrap();
    assert_eq!(n09.kind(), ResultType::Complete, "absent means complete");
    let p01: Response<'_> = serde_json::from_str(text("p01")).unwrap();
    let p01: ResultHead<'_> = serde_json::from_str(p01.result.unwrap().get()).unwrap();
    assert!(p01.input_requests.is_none() && p01.request_state.is_none());
    let p03: Response<'_> = serde_json::from_str(text("p03")).unwrap();
    let p03: ResultHead<'_> = serde_json::from_str(p03.result.unwrap().get()).unwrap();
    assert!(matches!(p03.kind(), ResultType::Unknown(_)));
}

#[test]
fn duplicate_question_keys_are_seen() {
    let twice = r#"{"inputRequests":{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}}"#;
    assert!(serde_json::from_str::<ResultHead<'_>>(twice).is_err());
    assert!(serde_json::from_str::<Entries<Value>>(r#"{"a":1,"b":1}"#).is_ok());
}

/// A message that must be a request.
fn request(text: &str) -> Request<'_> {
    match Message::parse(text.as_bytes()) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?} is no request"),
    }
}

/// The answers that a request carries, by the key that asked.
fn answers<'a>(params: &Params<'a>) -> Entries<&'a RawValue> {
    params.input_responses.map_or_else(Entries::default, |raw| {
        serde_json::from_str(raw.get()).unwrap()
    })
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn round_trip<T: serde::Serialize>(typed: &T) -> Value {
    serde_json::to_value(typed).unwrap()
}

fn reads<T: DeserializeOwned>(e: &Example, raw: &RawValue) -> T {
    serde_json::from_str(raw.get()).unwrap_or_else(|err| panic!("{}: {err}", e.file))
}

/// Reads and writes again: nothing that the example holds may be lost, except members that the
/// types leave out by design (unknown sampling members, schema titles).
fn same_both_ways<T: DeserializeOwned + serde::Serialize>(e: &Example, raw: &RawValue) -> T {
    let typed: T = reads(e, raw);
    let (written, original) = (round_trip(&typed), value(raw.get()));
    for key in original.as_object().unwrap().keys() {
        assert!(
            written.get(key).is_some(),
            "{}: {key} was lost in {written}",
            e.file
        );
    }
    typed
}
