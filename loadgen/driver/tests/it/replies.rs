use loadgen_measure::Outcome;

use crate::run::{
    ClosedPort, burst, complete, count, http, in_turn, plan, question, response, run, run_against,
    said,
};
use crate::server::{Act, Heard};

#[test]
fn a_reply_may_be_cut_at_any_byte() {
    let example = |heard: &Heard| match heard.round() {
        0 => question(heard, r#""a\u00e9b""#),
        _ => complete(heard),
    };
    let plan = burst(400, "connections = 4");
    let (result, server) = run_against(&plan, move |heard| {
        let reply = example(heard);
        let (left, right) = reply.split_at(heard.workflow() % reply.len());
        vec![Act::Write(left.to_vec()), Act::Write(right.to_vec())]
    });
    assert_eq!(count(&result, Outcome::Ok), 400, "{:?}", result.failures);
    assert_eq!(server.heard().len(), 800);
}

#[test]
fn a_reply_may_come_byte_by_byte() {
    let (result, _) = run_against(&in_turn(2, ""), |heard| {
        vec![Act::WriteEach(complete(heard))]
    });
    assert_eq!(count(&result, Outcome::Ok), 2, "{:?}", result.failures);
}

#[test]
fn chunks_may_have_any_size_and_trailers() {
    let (result, server) = run_against(&in_turn(60, ""), |heard| {
        let mut reply = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n\
            Transfer-Encoding: chunked\r\n\r\n"
            .to_vec();
        let body = response(heard, r#"{"content":[{"type":"text","text":"世界"}]}"#);
        for chunk in body.as_bytes().chunks(heard.workflow() + 1) {
            reply.extend_from_slice(format!("{:x};x=y\r\n", chunk.len()).as_bytes());
            reply.extend_from_slice(chunk);
            reply.extend_from_slice(b"\r\n");
        }
        reply.extend_from_slice(b"0\r\nX-Trailer: 1\r\n\r\n");
        vec![Act::Write(reply)]
    });
    assert_eq!(count(&result, Outcome::Ok), 60, "{:?}", result.failures);
    assert_eq!(server.accepted(), 1, "the connection is kept");
    assert_eq!(result.connections.reused_rounds, 59);
}

#[test]
fn a_reply_may_end_with_its_connection() {
    for head in [
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
    ] {
        let (result, server) = run_against(&in_turn(3, ""), move |heard| {
            let reply = format!("{head}{}", response(heard, "{}"));
            vec![Act::Write(reply.into_bytes()), Act::Close]
        });
        assert_eq!(count(&result, Outcome::Ok), 3, "{:?}", result.failures);
        assert_eq!(server.accepted(), 3);
    }
}

#[test]
fn what_is_no_success_has_its_class_and_one_line() {
    let page = format!("<html>\r\n{}</html>", "too large ".repeat(500));
    for (status, media_type, body, outcome, text) in [
        (
            "200 OK",
            "text/html",
            page.as_str(),
            Outcome::ProtocolError,
            "HTTP 200 with text/html",
        ),
        (
            "413 Payload Too Large",
            "text/html",
            &page,
            Outcome::ProtocolError,
            "HTTP 413",
        ),
        (
            "421 Misdirected Request",
            "text/plain",
            "Invalid Host",
            Outcome::ProtocolError,
            "Invalid Host",
        ),
        (
            "429 Too Many Requests",
            "text/plain",
            "slow",
            Outcome::Throttled,
            "HTTP 429",
        ),
        (
            "503 Busy\r\nRetry-After: 1",
            "text/html",
            &page,
            Outcome::Throttled,
            "HTTP 503",
        ),
        (
            "502 Bad Gateway",
            "text/html",
            &page,
            Outcome::ProtocolError,
            "HTTP 502",
        ),
        (
            "202 Accepted",
            "text/plain",
            "",
            Outcome::ProtocolError,
            "HTTP 202",
        ),
        (
            "200 OK",
            "application/json",
            "",
            Outcome::ProtocolError,
            "no JSON-RPC response",
        ),
        (
            "200 OK",
            "application/json",
            r#"{"id":"other","result":{}}"#,
            Outcome::ProtocolError,
            "the reply's id is",
        ),
        (
            "200 OK",
            "application/json",
            r#"{"result":{}}"#,
            Outcome::ProtocolError,
            "the reply's id is none",
        ),
        (
            "400 Bad",
            "application/json",
            r#"{"id":null,"error":{"code":-32021,"message":"no"}}"#,
            Outcome::ProtocolError,
            "-32021",
        ),
        (
            "200 OK",
            "application/json",
            r#"{"id":null,"error":{"code":-32021,"message":"no"}}"#,
            Outcome::ProtocolError,
            "-32021",
        ),
    ] {
        let reply = http(status, media_type, body);
        let (result, server) =
            run_against(&in_turn(2, ""), move |_| vec![Act::Write(reply.clone())]);
        assert_eq!(
            count(&result, outcome),
            2,
            "{status}: {:?}",
            result.failures
        );
        let said = said(&result);
        assert!(said.text.contains(text), "{}", said.text);
        assert!(said.text.chars().count() < 300, "{}", said.text);
        assert!(!said.text.contains(char::is_control), "{:?}", said.text);
        assert_eq!(said.count, 2);
        let figures = &result.all.rounds[0].outcomes[&outcome];
        assert_eq!(
            figures.service.as_ref().unwrap().count,
            2,
            "an answer has a latency"
        );
        let bytes = result.all.rounds[0].response.as_ref().unwrap();
        assert_eq!(bytes.max_bytes, body.len() as u64);
        assert_eq!(server.accepted(), 1, "the connection is kept");
    }
}

#[test]
fn bytes_that_are_no_utf_8_are_a_protocol_error() {
    let (result, _) = run_against(&in_turn(1, ""), |_| {
        let mut reply =
            b"HTTP/1.1 200 OK\r\nContent-Type: a\xff\r\nContent-Length: 4\r\n\r\n".to_vec();
        reply.extend_from_slice(b"{\xff\x00}");
        vec![Act::Write(reply)]
    });
    assert_eq!(
        count(&result, Outcome::ProtocolError),
        1,
        "{:?}",
        result.failures
    );
}

#[test]
fn what_breaks_before_or_inside_a_reply_is_a_connect_error() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: 1\r\n".repeat(1000));
    for (bytes, text) in [
        ("", "broke before the reply"),
        ("HTTP/1.1 200", "broke before the reply"),
        ("SSH-2.0-OpenSSH_9.9\r\n\r\n", "no HTTP/1.1"),
        ("\0\0\0\0\0\0\0\0\r\n\r\n", "no HTTP/1.1"),
        (&long, "no HTTP/1.1"),
        (&many, "no HTTP/1.1"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
            "broke inside the reply",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}",
            "no HTTP/1.1",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "broke inside the reply",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
            "broke inside the reply",
        ),
    ] {
        let bytes = bytes.as_bytes().to_vec();
        let (result, _) = run_against(&in_turn(2, ""), move |_| {
            vec![Act::Write(bytes.clone()), Act::Close]
        });
        assert_eq!(
            count(&result, Outcome::ConnectError),
            2,
            "{text}: {:?}",
            result.failures
        );
        assert!(said(&result).text.contains(text), "{}", said(&result).text);
        let figures = &result.all.rounds[0].outcomes[&Outcome::ConnectError];
        assert!(figures.response.is_none() && figures.service.is_none());
        assert_eq!(figures.time_to_error.as_ref().unwrap().count, 2);
    }
}

#[test]
fn a_kept_connection_that_closes_under_a_request_is_stale() {
    let (result, server) = run_against(&in_turn(4, ""), |heard| match heard.before {
        0 => vec![Act::Write(complete(heard))],
        _ => vec![Act::Close],
    });
    assert_eq!(count(&result, Outcome::Ok), 2, "{:?}", result.failures);
    assert_eq!(count(&result, Outcome::StaleConnection), 2);
    assert_eq!(server.accepted(), 2, "the next one connects again");
    assert_eq!(server.heard().len(), 4, "nothing is sent twice");
}

#[test]
fn a_closed_port_is_refused_and_has_no_latency() {
    let closed = ClosedPort::new();
    let result = run(&burst(3, ""), &[closed.url()]);
    assert_eq!(count(&result, Outcome::ConnectError), 3);
    assert_eq!(said(&result).text, "connection refused");
    let figures = &result.all.rounds[0].outcomes[&Outcome::ConnectError];
    assert!(figures.response.is_none() && figures.service.is_none());
    assert_eq!(result.all.rounds[0].sent, 0, "nothing was sent");
    assert_eq!((result.load.attempts, result.load.attempts_sent), (3, 0));
}

#[test]
fn silence_is_a_timeout_and_the_connection_is_given_up() {
    for began in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"] {
        let plan = in_turn(2, "timeout_s = 0.05");
        let (result, server) = run_against(&plan, move |_| {
            vec![Act::Write(began.as_bytes().to_vec()), Act::Hang]
        });
        assert_eq!(count(&result, Outcome::Timeout), 2, "{:?}", result.failures);
        assert_eq!(server.accepted(), 2);
        server.wait_until_given_up(2);
    }
}

#[test]
fn too_many_header_fields_are_named() {
    let plan = plan("rate_per_s = 50\nduration_s = 0.02", "tool = \"t\"");
    let (result, _server) = run_against(&plan, |heard| {
        let fields: String = (0..120).map(|n| format!("\r\nX-{n}: 1")).collect();
        let body = response(heard, "{}");
        vec![Act::Write(http(
            &format!("200 OK{fields}"),
            "application/json",
            &body,
        ))]
    });
    assert_eq!(count(&result, Outcome::ConnectError), 1);
    let said = &said(&result).text;
    assert!(said.contains("more than 100 header fields"), "{said}");
}

#[test]
fn a_reply_without_end_is_cut_off() {
    let (result, _) = run_against(&in_turn(1, ""), |_| {
        let mut acts = vec![Act::Write(
            b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n".to_vec(),
        )];
        acts.extend((0..65).map(|_| Act::Write(vec![b' '; 1 << 20])));
        acts.push(Act::Hang);
        acts
    });
    assert_eq!(count(&result, Outcome::ConnectError), 1);
    assert_eq!(said(&result).text, "the reply is larger than 64 MiB");
}

#[test]
fn a_refusal_before_the_body_was_read_is_still_seen() {
    let text = "x".repeat(8 << 20);
    let plan = plan(
        "rate_per_s = 250\nduration_s = 0.02\nconnections = 1",
        &format!("tool = \"t\"\narguments = {{ a = \"{text}\" }}"),
    );
    let (result, server) = run_against(&plan, |_| unreachable!("the body is never read"));
    assert_eq!(
        count(&result, Outcome::ProtocolError),
        5,
        "{:?}",
        result.failures
    );
    assert!(
        said(&result).text.starts_with("HTTP 413"),
        "{}",
        said(&result).text
    );
    assert_eq!(server.accepted(), 5);
}

#[test]
fn a_connection_that_was_to_close_is_not_used_again() {
    let (result, server) = run_against(&in_turn(3, "timeout_s = 20"), |heard| {
        let reply = String::from_utf8(complete(heard)).unwrap();
        let reply = reply.replacen("\r\n", "\r\nConnection: Upgrade, Close\r\n", 1);
        vec![Act::Write(reply.into_bytes()), Act::Hang]
    });
    assert_eq!(count(&result, Outcome::Ok), 3, "{:?}", result.failures);
    assert_eq!(server.accepted(), 3);
    server.wait_until_given_up(3);
}

#[test]
fn interim_replies_are_passed_over() {
    let (result, server) = run_against(&in_turn(2, ""), |heard| {
        let mut reply =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".to_vec();
        reply.extend(complete(heard));
        vec![Act::Write(reply)]
    });
    assert_eq!(count(&result, Outcome::Ok), 2, "{:?}", result.failures);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn a_client_that_disconnects_gives_the_connection_up_and_its_workflow_is_abandoned() {
    let plan = plan(
        "rate_per_s = 150\nduration_s = 0.02",
        "tool = \"t\"\ndisconnect_after_s = 0.05",
    );
    let (result, server) = run_against(&plan, |_| vec![Act::Hang]);
    server.wait_until_given_up(3);
    assert_eq!(count(&result, Outcome::Abandoned), 3);
    assert!(
        said(&result).text.contains("left before the reply"),
        "{:?}",
        result.failures
    );
}
