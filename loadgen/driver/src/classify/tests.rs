use hyper::HeaderMap;

use super::*;

fn reply(status: u16, body: &str) -> Reply {
    Reply {
        status,
        media_type: "application/json".into(),
        body: body.as_bytes().to_vec(),
        ..Reply::default()
    }
}

fn retry_after(text: &str) -> HeaderMap {
    let value = text.parse().unwrap();
    HeaderMap::from_iter([(hyper::header::RETRY_AFTER, value)])
}

fn outcome(reply: &Reply) -> Outcome {
    let (outcome, why) = match classify(reply, "7", true, &[]) {
        Meaning::Complete => return Outcome::Ok,
        Meaning::Ask { .. } => panic!("asked"),
        Meaning::Throttled { why, .. } => (Outcome::Throttled, why),
        Meaning::Failed { outcome, why } => (outcome, why),
    };
    assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
    outcome
}

fn result(text: &str) -> Reply {
    reply(
        200,
        &format!(r#"{{"jsonrpc":"2.0","id":7,"result":{text}}}"#),
    )
}

fn error(status: u16, text: &str) -> Reply {
    reply(
        status,
        &format!(r#"{{"jsonrpc":"2.0","id":7,"error":{text}}}"#),
    )
}

#[test]
fn only_a_whole_success_is_ok() {
    assert_eq!(
        outcome(&result(r#"{"resultType":"complete"}"#)),
        Outcome::Ok
    );
    assert_eq!(outcome(&result("{}")), Outcome::Ok, "absent means complete");
    let not_200 = Reply {
        status: 500,
        ..result("{}")
    };
    assert_eq!(outcome(&not_200), Outcome::ProtocolError);
    assert_eq!(
        outcome(&result(r#"{"isError":true,"content":[]}"#)),
        Outcome::ToolError
    );
    assert_eq!(
        outcome(&result(r#"{"resultType":"task"}"#)),
        Outcome::ProtocolError
    );
    assert_eq!(
        outcome(&result(r#"{"resultType":"input_required"}"#)),
        Outcome::ProtocolError
    );
    assert_eq!(
        outcome(&result(
            r#"{"resultType":"input_required","requestState":5}"#
        )),
        Outcome::ProtocolError
    );
    let twice = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}}"#;
    assert_eq!(outcome(&result(twice)), Outcome::ProtocolError);
}

#[test]
fn a_changed_id_is_a_protocol_error() {
    for id in ["8", "\"7\"", "7.0", "null"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(outcome(&reply(200, &body)), Outcome::ProtocolError, "{id}");
    }
}

#[test]
fn ids_are_compared_as_written_and_not_as_numbers() {
    let ids = ["9007199254740993", "18446744073709551616", "\"1\"", "1"];
    // What a float makes of each, and other spellings of the same number or text.
    let changed = ["9007199254740992", "1.8446744073709552e19", "1", "1.0"];
    for (id, changed) in ids.into_iter().zip(changed) {
        let meaning = |echoed: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{echoed},"result":{{}}}}"#);
            classify(&reply(200, &body), id, false, &[])
        };
        assert!(matches!(meaning(id), Meaning::Complete), "{id}");
        assert!(
            matches!(
                meaning(changed),
                Meaning::Failed {
                    outcome: Outcome::ProtocolError,
                    ..
                }
            ),
            "{id} as {changed}"
        );
    }
}

#[test]
fn a_refused_state_is_one_at_any_status_and_in_a_tool_result() {
    let text = r#"{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}"#;
    for status in [200, 400] {
        assert_eq!(outcome(&error(status, text)), Outcome::StateRejected);
    }
    let wrapped =
        r#"{"isError":true,"content":[{"type":"text","text":"Invalid or expired requestState"}]}"#;
    assert_eq!(outcome(&result(wrapped)), Outcome::StateRejected);
    let first_round = classify(&error(400, text), "7", false, &[]);
    assert!(matches!(
        first_round,
        Meaning::Failed {
            outcome: Outcome::ProtocolError,
            ..
        }
    ));
}

#[test]
fn throttling_is_seen_however_it_is_said() {
    for throttled in [
        reply(429, "slow down"),
        Reply {
            fields: retry_after("1").into(),
            ..reply(503, "<html>")
        },
        error(200, r#"{"code":-32004,"message":"Too many requests"}"#),
        result(r#"{"type":"error","error":{"type":"rate_limited"},"content":[]}"#),
        Reply {
            status: 429,
            ..result("{}")
        },
        error(429, r#"{"code":-32000,"message":"no"}"#),
        error(200, r#"{"code":-32029,"message":"no"}"#),
        error(200, r#"{"code":429,"message":"no"}"#),
        error(
            200,
            r#"{"code":-32000,"message":"no","data":{"retryAfterSeconds":2}}"#,
        ),
        error(
            429,
            r#"{"code":-32602,"message":"Plugin Violation","data":{"details":{"reset_in":3}}}"#,
        ),
        result(r#"{"isError":true,"content":[{"type":"text","text":"Rate limit exceeded"}]}"#),
        result(
            r#"{"isError":true,"content":[],"structuredContent":{"error":{"type":"rate_limited"}}}"#,
        ),
    ] {
        assert_eq!(outcome(&throttled), Outcome::Throttled, "{throttled:?}");
    }
    assert_eq!(outcome(&reply(503, "down")), Outcome::ProtocolError);
    let other = result(r#"{"type":"error","error":"no such file","content":[]}"#);
    assert_eq!(outcome(&other), Outcome::Ok, "nothing about limits");
}

#[test]
fn a_success_is_a_refusal_only_by_a_text_that_was_named() {
    let text = r#"{"content":[{"type":"text","text":"Slow down, please"}]}"#;
    let meaning = |named: &[&str]| {
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        classify(&result(text), "7", true, &named)
    };
    assert!(matches!(meaning(&[]), Meaning::Complete));
    assert!(matches!(meaning(&["Rate limit"]), Meaning::Complete));
    let Meaning::Throttled { notice, why } = meaning(&["Rate limit", "Slow down"]) else {
        panic!("the text is named");
    };
    assert!(!notice.certain);
    assert_eq!(why, "a success that says: Slow down, please");
}

#[test]
fn state_only_and_questions_are_asks_and_unknown_members_do_not_matter() {
    let state_only = result(r#"{"resultType":"input_required","requestState":"aA\u00e9","x":1}"#);
    match classify(&state_only, "7", false, &[]) {
        Meaning::Ask { questions, state } => {
            assert!(questions.is_empty());
            assert_eq!(state.unwrap().get(), r#""aA\u00e9""#, "byte for byte");
        }
        other => panic!("{other:?}"),
    }
    let empty = result(r#"{"resultType":"input_required","inputRequests":{},"requestState":""}"#);
    assert!(matches!(
        classify(&empty, "7", false, &[]),
        Meaning::Ask { state: Some(_), .. }
    ));
}

#[test]
fn nothing_that_a_server_says_floods_or_steers_the_terminal() {
    let long = "y".repeat(10_000);
    for hostile in [
        reply(
            200,
            &format!(
                r#"{{"id":["{long}",
1],"result":{{}}}}"#
            )
            .replace("\\n", "\n"),
        ),
        result(&format!(r#"{{"resultType":"{long}"}}"#)),
        error(400, &format!(r#"{{"code":1,"message":"{long}"}}"#)),
        result(&format!(
            r#"{{"isError":true,"content":[{{"text":"{long}"}}]}}"#
        )),
        reply(200, &long),
        Reply {
            media_type: long.clone().into(),
            ..reply(200, "")
        },
        reply(500, "\u{1b}[2J\u{7}bell"),
    ] {
        match classify(&hostile, "7", true, &[]) {
            Meaning::Failed { why, .. } => {
                assert!(why.chars().count() < 300, "{} characters", why.len());
                assert!(!why.contains(char::is_control), "{why:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn bodies_that_are_no_json_text_are_protocol_errors() {
    let deep = format!(
        r#"{{"id":7,"result":{{"resultType":"input_required","inputRequests":{}1{}}}}}"#,
        r#"{"a":"#.repeat(5000),
        "}".repeat(5000)
    );
    let deep_error = format!(
        r#"{{"id":7,"error":{{"code":1,"message":"","data":{}{}}}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    for body in [
        deep.as_bytes(),
        deep_error.as_bytes(),
        b"",
        b"\xff\xfe\x00",
        b"{\"id\":7,\"result\":{\"content\":\"\xff\"}}",
        b"[]",
        b"[7, {}]",
        b"{\"id\":7,\"result\":\"done\"}",
        b"null",
        b"{\"id\":7,\"result\":null}",
        b"{\"id\":7,\"result\":[]}",
        b"{\"id\":7,\"result\":{\"resultType\":3}}",
        b"{\"id\":7,\"result\":{\"resultType\":\"input_required\",\"requestState\":null}}",
        b"{\"id\":7,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":[]}}",
    ] {
        let reply = Reply {
            status: 200,
            body: body.to_vec(),
            ..Reply::default()
        };
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]);
        assert_eq!(outcome(&reply), Outcome::ProtocolError, "{shown}");
    }
}

#[test]
fn the_same_fault_of_a_body_is_the_same_sentence() {
    let deep = format!(
        r#"{{"id":7,"error":{{"code":1,"message":"","data":{}{}}}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let of = |body: &[u8], id: &str| {
        let reply = Reply {
            body: body.to_vec(),
            ..reply(200, "")
        };
        match classify(&reply, id, false, &[]) {
            Meaning::Failed {
                outcome: Outcome::ProtocolError,
                why,
            } => why,
            other => panic!("{other:?}"),
        }
    };
    for (body, want) in [
        (&br#"[{"id":7,"result":{}}]"#[..], "an array, as of a batch"),
        (b"\xef\xbb\xbf{\"id\":7,\"result\":{}}", "a byte order mark"),
        (b"{\"id\":7,\"result\":{},\"id\":7}", "duplicate field `id`"),
        (deep.as_bytes(), "recursion limit exceeded"),
        (b"{\"id\":7,\"result\":\"\xff\"}", "no UTF-8"),
        (b"{\"id\":7,\"result\":", "EOF while parsing"),
        (b"{\"id\":7,\"result\":{}} {}", "trailing characters"),
        (b"{\"id\":7}", "neither result nor error"),
        (b" ", "an empty body"),
    ] {
        let why = of(body, "7");
        assert!(why.contains(want), "{why}");
        // The same from another request, whose id is longer.
        let text = body.iter().map(|b| {
            if *b == b'7' {
                &b"\"70.1\""[..]
            } else {
                std::slice::from_ref(b)
            }
        });
        assert_eq!(of(&text.collect::<Vec<_>>().concat(), "\"70.1\""), why);
    }
    let stream = Reply {
        media_type: "text/event-stream".into(),
        ..reply(200, r#"{"method":"notifications/progress"}"#)
    };
    assert!(matches!(classify(&stream, "7", false, &[]),
        Meaning::Failed { why, .. } if why.ends_with("the stream ended without one")));
}

#[test]
fn html_is_shown_and_clipped() {
    let page = Reply {
        media_type: "text/html".into(),
        ..reply(413, &format!("<html>\n{}", "x".repeat(500)))
    };
    match classify(&page, "7", false, &[]) {
        Meaning::Failed { why, .. } => {
            assert!(why.starts_with("HTTP 413 with text/html"), "{why}");
            assert!(why.ends_with('…') && why.len() < 300, "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_refused_accept_header_is_named_with_what_replaces_it() {
    for (reply, start) in [
        (
            reply(406, "Not Acceptable"),
            "HTTP 406 with application/json and no JSON-RPC response: Not Acceptable (",
        ),
        (
            error(406, r#"{"code":-32600,"message":"Not Acceptable"}"#),
            "HTTP 406, error -32600: Not Acceptable (",
        ),
    ] {
        let Meaning::Failed { outcome, why } = classify(&reply, "7", false, &[]) else {
            panic!("no success");
        };
        assert_eq!(outcome, Outcome::ProtocolError);
        let hint = why.strip_prefix(start).expect(&why);
        assert_eq!(
            hint,
            "the server does not take the Accept header that was sent; `headers = { Accept = \
             \"...\" }` of [client] replaces it)"
        );
    }
    let Meaning::Failed { why, .. } = classify(&reply(405, "no"), "7", false, &[]) else {
        panic!("no success");
    };
    assert!(why.ends_with("response: no"), "{why}");
}
