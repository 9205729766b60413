use loadgen_driver::Plan;
use loadgen_measure::{Outcome, RunResult, SlotLimit};

use crate::h2_server::{Act, Asked, H2Server, INTERNAL_ERROR, NO_ERROR, REFUSED_STREAM};
use crate::run::{ClosedPort, count, http, run, run_against, said, scenario};
use crate::server;

/// A plan that speaks HTTP/2, with these lines in `[load]` and `[http]`.
fn plan(load: &str, http: &str) -> Plan {
    scenario(&format!(
        "[load]\nthreads = 1\ndrain_s = 60\n{load}\n[http]\nversion = \"2\"\n{http}\n\
         [[workflow]]\ntool = \"t\"\n"
    ))
}

/// So many workflows that all arrive in a moment.
fn burst(count: u32, load: &str, http: &str) -> Plan {
    plan(
        &format!("rate_per_s = {}\nduration_s = 0.02\n{load}", count * 50),
        http,
    )
}

fn run_one(
    plan: &Plan,
    max_streams: u32,
    script: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static,
) -> (RunResult, H2Server) {
    let server = H2Server::new(max_streams, script);
    (run(plan, &[server.url()]), server)
}

fn answer(asked: &Asked) -> Vec<Act> {
    vec![Act::Reply(asked.stream)]
}

#[test]
fn requests_share_one_connection() {
    let (result, server) = run_one(&burst(100, "", ""), 1000, answer);
    assert_eq!(count(&result, Outcome::Ok), 100, "{:?}", result.failures);
    assert_eq!(server.accepted(), 1);
    assert_eq!(result.connections.facts.open_max, 1);
    assert_eq!(result.connections.established, 1);
    assert_eq!(result.connections.reused_rounds, 99);
    assert!(result.connections.slot_waits.is_empty());
}

#[test]
fn without_reuse_every_request_has_a_connection() {
    let plan = burst(20, "connections = 4", "reuse = false");
    let (result, server) = run_one(&plan, 1000, answer);
    assert_eq!(count(&result, Outcome::Ok), 20, "{:?}", result.failures);
    assert_eq!(server.accepted(), 20);
    assert_eq!(result.connections.reused_rounds, 0);
    assert!(result.connections.facts.open_max <= 4);
}

#[test]
fn the_servers_limit_on_streams_holds_and_waits_for_it_are_counted() {
    // All are due before a connection can stand. Each is answered when the next has come: two at one time, never three.
    let plan = plan("rate_per_s = 1e6\nduration_s = 6e-5\nconnections = 1", "");
    let (result, server) = run_one(&plan, 2, |asked| match asked.before {
        59 => vec![Act::Reply(asked.stream - 2), Act::Reply(asked.stream)],
        0 => vec![Act::Hold],
        _ => vec![Act::Reply(asked.stream - 2)],
    });
    assert_eq!(count(&result, Outcome::Ok), 60, "{:?}", result.failures);
    assert_eq!(server.open_streams_max(), 2);
    let waits = &result.connections.slot_waits;
    assert_eq!(waits[&SlotLimit::Streams].count, 58, "{waits:?}");
    assert!(!waits.contains_key(&SlotLimit::Connections));
}

#[test]
fn a_server_that_allows_no_stream_is_named() {
    let (result, server) = run_one(&burst(3, "", ""), 0, answer);
    assert_eq!(count(&result, Outcome::ConnectError), 3);
    let said = &said(&result).text;
    assert!(
        said.contains("SETTINGS_MAX_CONCURRENT_STREAMS is 0"),
        "{said}"
    );
    assert!(server.asked().is_empty());
}

#[test]
fn a_second_connection_is_made_when_the_first_is_full() {
    let plan = plan("concurrency = 4\nduration_s = 0.5", "");
    let (result, server) = run_one(&plan, 2, answer);
    let ok = count(&result, Outcome::Ok);
    assert_eq!(ok, result.load.started, "{:?}", result.failures);
    assert!(server.open_streams_max() <= 2);
    // Until its settings are known the first one takes all: the rest follow from the second round on.
    assert!(result.connections.facts.open_max >= 2);
}

#[test]
fn streams_that_a_goaway_leaves_out_are_moved_and_do_not_fail() {
    // Every tenth request of a connection ends it, and is itself not taken up.
    let (result, server) = run_one(&burst(200, "", ""), 1000, |asked| {
        if asked.before == 9 {
            vec![Act::GoAway(asked.stream - 2, NO_ERROR)]
        } else {
            answer(asked)
        }
    });
    assert_eq!(count(&result, Outcome::Ok), 200, "{:?}", result.failures);
    assert_eq!(result.load.attempts, 200, "a move is no attempt");
    let moved = result.connections.moved;
    let twice = server.asked().len() as u64 - 200;
    assert!(
        moved >= twice && twice > 0,
        "{moved} moved, {twice} came twice"
    );
    assert_eq!(result.connections.resent, 0);
    assert!(server.accepted() > 1);
}

#[test]
fn a_goaway_that_takes_all_streams_up_moves_nothing() {
    let plan = burst(50, "connections = 1", "");
    let (result, server) = run_one(&plan, 1, |asked| {
        let mut acts = answer(asked);
        if asked.before == 9 {
            acts.insert(0, Act::GoAway(asked.stream, NO_ERROR));
        }
        acts
    });
    assert_eq!(count(&result, Outcome::Ok), 50, "{:?}", result.failures);
    assert_eq!(result.connections.moved, 0);
    assert_eq!(server.accepted(), 5);
    assert_eq!(result.connections.facts.open_max, 1, "one after the other");
}

#[test]
fn a_refused_stream_is_moved_and_one_that_is_always_refused_fails() {
    let (result, _) = run_one(&burst(10, "connections = 1", ""), 1, |asked| {
        if asked.connection == 0 {
            vec![Act::Reset(asked.stream, REFUSED_STREAM)]
        } else {
            answer(asked)
        }
    });
    assert_eq!(count(&result, Outcome::Ok), 10, "{:?}", result.failures);
    assert_eq!(result.connections.moved, 1);

    let (result, server) = run_one(&burst(1, "", ""), 1, |asked| {
        vec![Act::Reset(asked.stream, REFUSED_STREAM)]
    });
    assert_eq!(count(&result, Outcome::ConnectError), 1);
    assert!(
        said(&result).text.contains("told 51 times"),
        "{:?}",
        result.failures
    );
    assert_eq!(server.asked().len(), 51);
}

#[test]
fn other_errors_are_failures() {
    for act in [
        |asked: &Asked| Act::Reset(asked.stream, INTERNAL_ERROR),
        |_: &Asked| Act::GoAway(0, INTERNAL_ERROR),
        |_: &Asked| Act::Close,
    ] {
        let plan = burst(1, "", "resend_stale = true");
        let (result, server) = run_one(&plan, 1, move |asked| vec![act(asked)]);
        assert_eq!(
            count(&result, Outcome::ConnectError),
            1,
            "{:?}",
            result.failures
        );
        assert_eq!(server.asked().len(), 1, "sent once");
    }
}

#[test]
fn a_used_connection_that_closes_under_a_request_is_stale_or_sent_again() {
    let closes = |asked: &Asked| match asked.before {
        0 => answer(asked),
        _ => vec![Act::Close],
    };
    let (result, _) = run_one(&burst(4, "connections = 1", ""), 1, closes);
    assert_eq!(count(&result, Outcome::Ok), 2, "{:?}", result.failures);
    assert_eq!(count(&result, Outcome::StaleConnection), 2);
    // With more of them another could take the new connection first, and this one close it.
    let plan = burst(2, "connections = 1", "resend_stale = true");
    let (result, server) = run_one(&plan, 1, closes);
    assert_eq!(count(&result, Outcome::Ok), 2, "{:?}", result.failures);
    assert_eq!(result.connections.resent, 1);
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_server_of_http_1_1_is_named() {
    let (result, _) = run_against(&burst(1, "", ""), |_| {
        let reply = http("400 Bad Request", "text/plain", "what?");
        vec![server::Act::Write(reply), server::Act::Close]
    });
    assert_eq!(count(&result, Outcome::ConnectError), 1);
    assert!(
        said(&result).text.starts_with("does not speak HTTP/2"),
        "{:?}",
        result.failures
    );
}

#[test]
fn a_closed_port_fails_all_that_wait_for_the_connection() {
    let closed = ClosedPort::new();
    let result = run(&burst(5, "", ""), &[closed.url()]);
    assert_eq!(count(&result, Outcome::ConnectError), 5);
    assert_eq!(said(&result).text, "connection refused");
    assert_eq!((result.load.attempts, result.load.attempts_sent), (5, 0));
}
