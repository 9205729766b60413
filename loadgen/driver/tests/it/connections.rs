use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use loadgen_driver::{Run, Stop};
use loadgen_measure::{Bound, FindingCode, Outcome, SlotLimit};

use crate::run::{
    ClosedPort, burst, complete, count, in_turn, plan, question, result, run, run_against,
    scenario, targets,
};
use crate::server::{Act, Heard, Server};

fn two_retries(heard: &Heard) -> Vec<Act> {
    vec![Act::Write(match heard.round() {
        0 | 1 => question(heard, "\"s\""),
        _ => complete(heard),
    })]
}

/// As above, but the server asks a new question every round and ends some connections.
fn closes_often(heard: &Heard) -> Vec<Act> {
    let reply = match heard.round() {
        0 | 1 => question(heard, &format!("\"s{}\"", heard.round())),
        _ => complete(heard),
    };
    if heard.connection.is_multiple_of(2) && heard.before == 3 {
        let reply = String::from_utf8(reply).unwrap();
        let reply = reply.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        return vec![Act::Write(reply.into_bytes()), Act::Close];
    }
    vec![Act::Write(reply)]
}

#[test]
fn the_limit_on_connections_holds_for_one_replica() {
    let plan = plan(
        "concurrency = 8\nduration_s = 0.05\nconnections = 4",
        "tool = \"t\"",
    );
    let (result, server) = run_against(&plan, closes_often);
    let ok = count(&result, Outcome::Ok);
    assert_eq!(ok, result.load.started, "{:?}", result.failures);
    assert_eq!(result.load.rounds, 3 * ok);
    assert_eq!(result.connections.facts.open_max, 4);
    assert!(server.live_max() <= 4, "{}", server.live_max());
    assert_eq!(result.connections.established, server.accepted() as u64);
}

/// Whether the peer has closed this connection; what it sent before is read.
fn is_closed(mut stream: TcpStream) -> bool {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_request_that_nobody_reads_gives_its_connection_up_before_the_next_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let mut before: Option<TcpStream> = None;
        for stream in listener.incoming().take(3) {
            // The one before it must be at its end by now: there is room for one alone.
            assert!(before.replace(stream.unwrap()).is_none_or(is_closed));
        }
        is_closed(before.unwrap())
    });
    // More than the kernel takes for a peer that does not read.
    let text = "x".repeat(16 << 20);
    let plan = burst(3, "connections = 1\ntimeout_s = 0.05");
    let plan = scenario(&plan.scenario.text.replace(
        "tool = \"t\"",
        &format!("tool = \"t\"\narguments = {{ a = \"{text}\" }}"),
    ));
    let result = run(&plan, &[url]);
    assert!(server.join().unwrap());
    assert_eq!(count(&result, Outcome::Timeout), 3, "{:?}", result.failures);
    assert_eq!(result.connections.facts.open_max, 1);
}

#[test]
fn many_workflows_share_few_connections_to_many_replicas() {
    let servers: Vec<Server> = (0..5).map(|_| Server::new(closes_often)).collect();
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    for (threads, connections) in [(1, 1), (1, 2), (2, 2), (2, 7)] {
        let plan = scenario(&format!(
            "[load]\nrate_per_s = 10000\nduration_s = 0.02\ndrain_s = 60\nthreads = {threads}\n\
             connections = {connections}\n[[workflow]]\ntool = \"t\"\n"
        ));
        let result = run(&plan, &urls);
        assert_eq!(count(&result, Outcome::Ok), 200, "{:?}", result.failures);
        assert!(result.connections.facts.open_max <= connections);
        let rounds: u64 = result.replicas.iter().flat_map(|r| r.rounds.values()).sum();
        assert_eq!(rounds, 600);
    }
}

#[test]
fn the_same_question_with_the_same_state_ends_the_workflow() {
    let plan = plan("rate_per_s = 50\nduration_s = 0.02", "tool = \"t\"");
    let (result, server) = run_against(&plan, two_retries);
    assert_eq!(count(&result, Outcome::NoProgress), 1);
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn a_dead_replica_counts_against_itself_alone() {
    let servers: Vec<Server> = (0..2)
        .map(|_| Server::new(|h| vec![Act::Write(complete(h))]))
        .collect();
    let closed = ClosedPort::new();
    let urls = [servers[0].url(), closed.url(), servers[1].url()];
    let plan = plan(
        "rate_per_s = 3000\nduration_s = 0.02\nspread = \"next\"",
        "tool = \"t\"",
    );
    let result = run(&plan, &urls);
    assert_eq!(count(&result, Outcome::ConnectError), 20);
    assert_eq!(count(&result, Outcome::Ok), 40);
    for replica in &result.replicas {
        let outcome = if replica.index == 1 {
            Outcome::ConnectError
        } else {
            Outcome::Ok
        };
        assert_eq!(
            replica.rounds.get(&outcome),
            Some(&20),
            "{:?}",
            replica.rounds
        );
        assert_eq!(replica.rounds.len(), 1);
    }
}

/// A server that never replies, and what tells of every request that it got.
fn silent() -> (Server, mpsc::Receiver<()>) {
    let (got, requests) = mpsc::channel();
    let got = Mutex::new(got);
    let server = Server::new(move |_| {
        // A test that has seen enough no longer listens.
        let _ = got.lock().unwrap().send(());
        vec![Act::Hang]
    });
    (server, requests)
}

#[test]
fn a_run_can_be_looked_at_and_ended_while_every_request_hangs() {
    let (server, requests) = silent();
    let urls = [server.url()];
    let plan = plan("concurrency = 3\nduration_s = 600", "tool = \"t\"");
    let mut run = Run::start(plan.clone(), &targets(&urls)).unwrap();
    for _ in 0..3 {
        requests.recv().unwrap();
    }
    let so_far = run.checkpoint().unwrap();
    assert_eq!(so_far.planned, 3);
    assert_eq!(run.progress().started, 3);
    assert_eq!(run.progress().ok + run.progress().failed, 0);
    run.stop(Stop::Drain);
    run.stop(Stop::No);
    assert!(!run.is_over(), "it waits for what flies");
    run.stop(Stop::Now);
    let result = result(&plan, &urls, run.join());
    assert_eq!(count(&result, Outcome::Abandoned), 3);
    assert_eq!(result.load.planned, 3);
    assert_eq!(result.all.rounds[0].sent, 3);
}

#[test]
fn a_server_that_takes_few_of_many_connections_is_seen() {
    let (got, requests) = mpsc::channel();
    let got = Mutex::new(got);
    let server = Server::new(move |heard| {
        let _ = got.lock().unwrap().send((heard.connection, heard.before));
        match heard.connection {
            0..4 => vec![Act::Write(complete(heard))],
            _ => vec![Act::Hang],
        }
    });
    let urls = [server.url()];
    let plan = scenario(
        "[load]\nconcurrency = 10\nconnections = 10\nthreads = 1\nduration_s = 600\ndrain_s = 0\n\
         [[workflow]]\ntool = \"t\"\n",
    );
    let run = Run::start(plan.clone(), &targets(&urls)).unwrap();
    // All ten are there, and four of them go on after their first reply.
    let (mut silent, mut answered) = (BTreeSet::new(), BTreeSet::new());
    while (silent.len(), answered.len()) != (6, 4) {
        match requests.recv().unwrap() {
            (connection @ 4.., _) => silent.insert(connection),
            (_, 0) => false,
            (connection, _) => answered.insert(connection),
        };
    }
    run.stop(Stop::Drain);
    let result = result(&plan, &urls, run.join());
    let facts = &result.connections.facts;
    assert_eq!((facts.asked, facts.open_max), (Some(10), 10));
    assert_eq!(
        (facts.answering_max, facts.answering_min),
        (Some(4), Some(4))
    );
    let mut findings = result.findings.iter();
    let finding = findings.find(|f| f.code == FindingCode::ConnectionsNotAnswered);
    let sentence = &finding.unwrap().sentence;
    assert!(
        sentence.starts_with("of 10 connections at one time at most 4 were ever answered"),
        "{sentence}"
    );
}

#[test]
fn a_run_that_is_dropped_ends() {
    let (server, requests) = silent();
    let plan = plan("concurrency = 3\nduration_s = 600", "tool = \"t\"");
    let run = Run::start(plan, &targets(&[server.url()])).unwrap();
    for _ in 0..3 {
        requests.recv().unwrap();
    }
    drop(run);
    server.wait_until_given_up(3);
}

#[test]
fn limits_over_all_threads_hold_whatever_their_number() {
    for load in [
        "rate_per_s = 40\nduration_s = 0.5\nmax_in_flight = 1",
        "concurrency = 1\nduration_s = 0.5",
    ] {
        let plan = scenario(&format!(
            "[load]\nthreads = 8\n{load}\n[[workflow]]\ntool = \"t\"\n"
        ));
        let server = Server::new(|heard| vec![Act::Write(complete(heard))]);
        let run = Run::start(plan, &targets(&[server.url()])).unwrap();
        assert_eq!(run.threads(), 1);
        assert_eq!(run.join().in_flight.unwrap().max, 1);
        assert_eq!(server.live_max(), 1);
    }
}

#[test]
fn without_reuse_every_request_says_close_and_has_a_connection() {
    let plan = scenario(
        "[load]\nrate_per_s = 1000\nduration_s = 0.02\nthreads = 1\ndrain_s = 60\nconnections = 4\n\
         [http]\nreuse = false\n[[workflow]]\ntool = \"t\"\n",
    );
    let (result, server) = run_against(&plan, |h| vec![Act::Write(complete(h))]);
    assert_eq!(count(&result, Outcome::Ok), 20, "{:?}", result.failures);
    assert_eq!(server.accepted(), 20);
    assert_eq!(result.connections.reused_rounds, 0);
    for heard in server.heard() {
        assert_eq!(heard.header("connection"), Some("close"));
    }
}

#[test]
fn a_stale_connection_is_tried_again_once_where_that_is_asked_for() {
    // Every connection is good for one request.
    let mut plan = in_turn(4, "");
    plan.http.resend_stale = true;
    let (result, server) = run_against(&plan, |heard| match heard.before {
        0 => vec![Act::Write(complete(heard))],
        _ => vec![Act::Close],
    });
    assert_eq!(count(&result, Outcome::Ok), 4, "{:?}", result.failures);
    assert_eq!(result.connections.resent, 3);
    assert_eq!(result.load.attempts, 4, "a re-send is no attempt");
    assert_eq!(server.heard().len(), 7);
    assert_eq!(result.all.rounds[0].sent, 4);
}

#[test]
fn what_was_answered_in_part_is_not_sent_again() {
    let mut plan = in_turn(2, "");
    plan.http.resend_stale = true;
    let (result, server) = run_against(&plan, |heard| match heard.before {
        0 => vec![Act::Write(complete(heard))],
        _ => vec![Act::Write(b"HTTP/1.1 200".to_vec()), Act::Close],
    });
    assert_eq!(count(&result, Outcome::ConnectError), 1);
    assert_eq!(result.connections.resent, 0);
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn a_connection_that_is_closed_again_and_again_fails_after_one_more_try() {
    let mut plan = in_turn(2, "");
    plan.http.resend_stale = true;
    let (result, server) = run_against(&plan, |heard| match (heard.connection, heard.before) {
        (0, 0) => vec![Act::Write(complete(heard))],
        _ => vec![Act::Close],
    });
    assert_eq!(count(&result, Outcome::Ok), 1);
    assert_eq!(
        count(&result, Outcome::ConnectError),
        1,
        "{:?}",
        result.failures
    );
    assert_eq!(server.heard().len(), 3);
}

#[test]
fn waits_for_a_connection_are_kept_and_the_cap_is_named() {
    let plan = plan(
        "concurrency = 8\nduration_s = 0.5\nconnections = 1",
        "tool = \"t\"",
    );
    let (result, server) = run_against(&plan, |h| vec![Act::Write(complete(h))]);
    let waits = &result.connections.slot_waits;
    assert!(waits[&SlotLimit::Connections].count > 0, "{waits:?}");
    assert!(!waits.contains_key(&SlotLimit::Streams));
    assert_eq!(server.accepted(), 1);
    assert_eq!(result.generator.bound_by, Bound::Generator);
    let reason = &result.generator.bound_reason;
    assert!(reason.starts_with("connection cap: "), "{reason}");
}

#[test]
fn a_connection_that_closes_between_requests_is_replaced_without_a_word() {
    // Whether that is noticed in time is a race, so it may also be a stale one; nothing else happens.
    let (result, server) = run_against(&in_turn(40, ""), |heard| {
        let mut acts = vec![Act::Write(complete(heard))];
        if heard.before == 3 {
            acts.push(Act::Close);
        }
        acts
    });
    let ok = count(&result, Outcome::Ok);
    let stale = count(&result, Outcome::StaleConnection);
    assert_eq!(ok + stale, 40, "{:?}", result.failures);
    assert!(ok >= 30, "{:?}", result.failures);
    assert_eq!(server.heard().len() as u64, ok);
}

/// The reply in one chunk.
fn chunked(reply: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(reply).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let kept = head
        .lines()
        .filter(|line| !line.starts_with("Content-Length"));
    let head: Vec<&str> = kept.chain(["Transfer-Encoding: chunked"]).collect();
    let head = head.join("\r\n");
    format!("{head}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes()
}

/// From its fourth request on a connection is one reply behind.
#[test]
fn a_connection_that_brings_replies_of_others_is_left() {
    for as_chunks in [false, true] {
        let last = Mutex::new(None);
        let behind = move |heard: &Heard| {
            let before = last.lock().unwrap().replace(heard.clone());
            let answered = before.filter(|_| heard.before >= 3);
            let reply = complete(answered.as_ref().unwrap_or(heard));
            vec![Act::Write(match as_chunks {
                true => chunked(&reply),
                false => reply,
            })]
        };
        let (result, server) = run_against(&in_turn(10, ""), behind);
        assert_eq!(count(&result, Outcome::ProtocolError), 2, "{as_chunks}");
        assert_eq!(count(&result, Outcome::Ok), 8, "{as_chunks}");
        assert_eq!(server.accepted(), 3, "{as_chunks}");
    }
}
