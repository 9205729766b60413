use std::sync::Mutex;
use std::sync::mpsc;

use loadgen_driver::{Run, Stop};
use loadgen_measure::Outcome;

use crate::run::{
    ClosedPort, complete, count, plan, question, result, run, run_against, scenario, targets,
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
    let run = Run::start(plan.clone(), &targets(&urls)).unwrap();
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
        "rate_per_s = 1000\nduration_s = 0.02\nmax_in_flight = 1",
        "concurrency = 1\nduration_s = 0.02",
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
