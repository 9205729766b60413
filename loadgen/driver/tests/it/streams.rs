use loadgen_measure::Outcome;

use crate::run::{count, http, in_turn, question_text, response, run_against};
use crate::server::{Act, Heard};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
    Transfer-Encoding: chunked\r\n\r\n";
const STATE: &str = r#""a\u00e9\/世""#;

/// Bytes of one chunk.
fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// A comment, a notification, and the reply cut into two `data` lines, with this line end.
fn events(heard: &Heard, end: &str) -> String {
    let result = match heard.round() {
        0 => question_text(STATE),
        _ => r#"{"resultType":"complete","content":[{"type":"text","text":"世界"}]}"#.to_owned(),
    };
    let reply = response(heard, &result);
    let (left, right) = reply.split_at(reply.find(',').unwrap() + 1);
    [
        ": alive",
        "",
        "event: message",
        r#"data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#,
        "",
        "id: 5",
        "retry: 10",
        &format!("data: {left}"),
        &format!("data:{right}"),
        "",
        "",
    ]
    .join(end)
}

/// Every retry carries the state byte for byte, whatever way it came.
fn assert_states(heard: &[Heard]) {
    let retries: Vec<_> = heard.iter().filter(|h| h.round() == 1).collect();
    assert!(!retries.is_empty());
    for retry in retries {
        assert!(
            retry.body.contains(&format!(r#""requestState":{STATE}"#)),
            "{}",
            retry.body
        );
    }
}

#[test]
fn events_are_read_with_any_line_end_byte_by_byte() {
    for end in ["\n", "\r", "\r\n"] {
        let (result, server) = run_against(&in_turn(2, ""), move |heard| {
            let mut bytes = HEAD.as_bytes().to_vec();
            for byte in events(heard, end).as_bytes() {
                // A chunk may end inside a character.
                bytes.extend_from_slice(b"1\r\n");
                bytes.push(*byte);
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
            vec![Act::WriteEach(bytes)]
        });
        assert_eq!(
            count(&result, Outcome::Ok),
            2,
            "{end:?}: {:?}",
            result.failures
        );
        assert_states(&server.heard());
        assert_eq!(server.accepted(), 1, "the connection is kept");
    }
}

#[test]
fn events_may_be_cut_at_any_byte() {
    let (result, server) = run_against(&in_turn(700, ""), |heard| {
        let events = events(heard, "\r\n");
        let mut bytes = HEAD.as_bytes().to_vec();
        bytes.extend(chunk(&events));
        bytes.extend_from_slice(b"0\r\n\r\n");
        let (left, right) = bytes.split_at(heard.workflow() % bytes.len());
        vec![Act::Write(left.to_vec()), Act::Write(right.to_vec())]
    });
    assert_eq!(count(&result, Outcome::Ok), 700, "{:?}", result.failures);
    assert_states(&server.heard());
}

#[test]
fn a_stream_that_stays_open_after_the_reply_is_given_up() {
    let (result, server) = run_against(&in_turn(5, ""), |heard| {
        let text = format!("data: {}\n\n", response(heard, "{}"));
        vec![
            Act::Write(HEAD.as_bytes().to_vec()),
            Act::Write(chunk(&text)),
            Act::Hang,
        ]
    });
    assert_eq!(count(&result, Outcome::Ok), 5, "{:?}", result.failures);
    // The limit is one connection: each had to go before the next.
    assert_eq!(server.accepted(), 5);
    server.wait_until_given_up(5);
}

#[test]
fn a_stream_that_ends_later_keeps_its_connection() {
    let (result, server) = run_against(&in_turn(3, ""), |heard| {
        let text = format!("data: {}\n\n", response(heard, "{}"));
        vec![
            Act::Write(HEAD.as_bytes().to_vec()),
            Act::Write(chunk(&text)),
            Act::Write(chunk(": more\n\n")),
            Act::Write(b"0\r\n\r\n".to_vec()),
        ]
    });
    assert_eq!(count(&result, Outcome::Ok), 3, "{:?}", result.failures);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn a_stream_without_the_reply_is_a_protocol_error() {
    for text in [
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n",
        "data: {\"id\":\"other\",\"result\":{}}\n\n",
        "data: not json\n\n",
        "data: {\"id\":\"0.0\",\"result\":{}}\n",
        ": nothing\n\n",
        "",
    ] {
        let (result, _) = run_against(&in_turn(1, ""), move |_| {
            vec![Act::Write(http("200 OK", "text/event-stream", text))]
        });
        assert_eq!(
            count(&result, Outcome::ProtocolError),
            1,
            "{text}: {:?}",
            result.failures
        );
    }
}

#[test]
fn a_stream_that_breaks_before_the_reply_is_a_connect_error() {
    let (result, _) = run_against(&in_turn(1, ""), |_| {
        vec![
            Act::Write(HEAD.as_bytes().to_vec()),
            Act::Write(chunk("data: {\"id\"")),
            Act::Close,
        ]
    });
    assert_eq!(
        count(&result, Outcome::ConnectError),
        1,
        "{:?}",
        result.failures
    );
}

#[test]
fn an_error_in_a_stream_counts_at_any_status() {
    for status in ["200 OK", "400 Bad Request"] {
        let (result, _) = run_against(&in_turn(1, ""), move |heard| {
            let reply = format!(
                "data: {{\"id\":{},\"error\":{{\"code\":-32029,\"message\":\"slow down\"}}}}\n\n",
                heard.id()
            );
            vec![Act::Write(http(status, "text/event-stream", &reply))]
        });
        assert_eq!(
            count(&result, Outcome::Throttled),
            1,
            "{:?}",
            result.failures
        );
    }
}
