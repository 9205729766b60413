//! What the connection policy does to connections, also when it changes under way.

use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loadgen_replica::{AcceptLimit, Clock, ConnectionPolicy, Drip, OverLimit, Stopped, Transport};
use loadgen_seal::UnixSeconds;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::client::{Post, Reply, read_reply};
use crate::h2_client::Client;
use crate::hand_clock::{HandClock, settle};
use crate::running::{NOW, Running};

fn n(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

async fn start() -> (Running, Arc<ConnectionPolicy>) {
    let transport = Transport::default();
    let policy = Arc::clone(&transport.policy);
    (Running::behind(transport).await, policy)
}

async fn ask(stream: &mut TcpStream) -> Reply {
    stream.write_all(&echo().bytes()).await.unwrap();
    read_reply(stream).await
}

/// Sends a request's head and waits until the replica wants the body.
async fn begin(stream: &mut TcpStream) {
    let post = echo().header("expect", "100-continue");
    let bytes = post.bytes();
    let head = &bytes[..bytes.len() - post.body.len()];
    stream.write_all(head).await.unwrap();
    assert_eq!(read_reply(stream).await.status, 100);
}

async fn is_closed(stream: &mut TcpStream) -> bool {
    // A reset says the same as an end.
    matches!(stream.read(&mut [0; 1]).await, Ok(0) | Err(_))
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_exactly_its_time() {
    let (replica, policy) = start().await;
    let clock = HandClock::stop();
    policy.close_idle(Some(ms(2500)));
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    for _ in 0..3 {
        ask(&mut stream).await.text();
        clock.advance(ms(2499)).await;
    }
    assert_eq!(replica.connections.read().closed_idle, 0);
    // The timer counts whole milliseconds.
    clock.advance(ms(2)).await;
    assert!(is_closed(&mut stream).await);
    assert_eq!(replica.connections.read().closed_idle, 1);
}

#[tokio::test]
async fn idle_http2_connections_are_told_and_closed_too() {
    let (replica, policy) = start().await;
    let clock = HandClock::stop();
    let mut client = Client::connect(&replica).await;
    client.post(&echo()).await.unwrap();
    policy.close_idle(Some(ms(300)));
    settle().await;
    clock.advance(ms(299)).await;
    assert_eq!(replica.connections.read().closed_idle, 0);
    clock.advance(ms(2)).await;
    assert_eq!(replica.connections.read().closed_idle, 1);
    client.connection.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_in_flight_keeps_its_connection_open() {
    let (replica, policy) = start().await;
    let clock = HandClock::stop();
    policy.close_idle(Some(ms(50)));
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    begin(&mut stream).await;
    clock.advance(ms(5000)).await;
    stream.write_all(&echo().body).await.unwrap();
    assert_eq!(read_reply(&mut stream).await.text(), "hi");
    assert_eq!(replica.connections.read().closed_idle, 0);
    clock.advance(ms(51)).await;
    assert!(is_closed(&mut stream).await);
}

#[tokio::test]
async fn an_idle_limit_set_late_counts_from_then_and_can_be_lifted() {
    let (replica, policy) = start().await;
    let clock = HandClock::stop();
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    ask(&mut stream).await.text();
    clock.advance(ms(60_000)).await;
    policy.close_idle(Some(ms(1000)));
    settle().await;
    clock.advance(ms(999)).await;
    ask(&mut stream).await.text();
    policy.close_idle(None);
    settle().await;
    clock.advance(ms(60_000)).await;
    ask(&mut stream).await.text();
    assert_eq!(replica.connections.read().closed_idle, 0);
}

#[tokio::test]
async fn connections_end_after_their_number_of_requests() {
    let (replica, policy) = start().await;
    policy.recycle_after(Some(n(3)));
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    for close in [None, None, Some("close")] {
        assert_eq!(ask(&mut stream).await.header("connection"), close);
    }
    assert!(is_closed(&mut stream).await);

    let mut client = Client::connect(&replica).await;
    for _ in 0..3 {
        assert_eq!(client.post(&echo()).await.unwrap().text(), "hi");
    }
    // GOAWAY with NO_ERROR ends the client's side without an error too.
    client.connection.await.unwrap().unwrap();
    let counts = replica.connections.read();
    assert_eq!((counts.recycled, counts.accepted), (2, 2));
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_at_once_and_counted() {
    let (replica, policy) = start().await;
    policy.limit_accepts(Some(AcceptLimit {
        open: n(2),
        over: OverLimit::Close,
    }));
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(replica.address).await.unwrap();
        ask(&mut stream).await.text();
        open.push(stream);
    }
    let mut third = TcpStream::connect(replica.address).await.unwrap();
    assert!(is_closed(&mut third).await);
    let counts = replica.connections.read();
    assert_eq!(
        (counts.accepted, counts.open, counts.refused_by_limit),
        (3, 2, 1)
    );
    policy.limit_accepts(None);
    let mut fourth = TcpStream::connect(replica.address).await.unwrap();
    assert_eq!(ask(&mut fourth).await.text(), "hi");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_until_one_ends_or_the_limit_goes() {
    let (replica, policy) = start().await;
    let wait = |open| AcceptLimit {
        open: n(open),
        over: OverLimit::Wait,
    };
    policy.limit_accepts(Some(wait(1)));
    let mut first = TcpStream::connect(replica.address).await.unwrap();
    ask(&mut first).await.text();
    let mut others = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(replica.address).await.unwrap();
        stream.write_all(&echo().bytes()).await.unwrap();
        others.push(stream);
    }
    settle().await;
    assert_eq!(replica.connections.read().accepted, 1);
    drop(first);
    assert_eq!(read_reply(&mut others[0]).await.text(), "hi");
    assert_eq!(replica.connections.read().accepted, 2);
    policy.limit_accepts(Some(wait(2)));
    assert_eq!(read_reply(&mut others[1]).await.text(), "hi");
    assert_eq!(replica.connections.read().refused_by_limit, 0);
}

#[tokio::test]
async fn dripping_bodies_are_the_same_in_pieces_with_pauses() {
    let (replica, policy) = start().await;
    let clock = HandClock::stop();
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let whole = ask(&mut stream).await;
    policy.drip_replies(Some(Drip {
        piece_bytes: n(10),
        pause: ms(100),
    }));
    let pieces = whole.body.len().div_ceil(10);
    let dripping = tokio::spawn(async move { ask(&mut stream).await });
    assert!(pauses_until(&clock, &dripping).await >= pieces);
    let dripped = dripping.await.unwrap();
    assert_eq!(
        dripped.header("content-length"),
        whole.header("content-length")
    );
    assert_eq!(dripped.text(), "hi");

    let mut client = Client::connect(&replica).await;
    let dripping = tokio::spawn(async move { client.post(&echo()).await });
    assert!(pauses_until(&clock, &dripping).await >= pieces);
    assert_eq!(dripping.await.unwrap().unwrap().text(), "hi");
}

/// How many pauses of 100 ms a task takes.
async fn pauses_until<T>(clock: &HandClock, task: &JoinHandle<T>) -> usize {
    let mut pauses = 0;
    while !task.is_finished() {
        clock.advance(ms(100)).await;
        pauses += 1;
        assert!(pauses < 10_000);
    }
    pauses
}

#[tokio::test]
async fn every_thread_gets_its_share_and_stops() {
    let transport = Transport {
        threads: NonZeroUsize::new(3).unwrap(),
        ..Transport::default()
    };
    // Who asked what time it was.
    let asked = Arc::new(Mutex::new(HashMap::new()));
    let by_thread = Arc::clone(&asked);
    let clock = Clock::from_fn(move || {
        let thread = std::thread::current().id();
        *by_thread.lock().unwrap().entry(thread).or_insert(0) += 1;
        UnixSeconds(NOW)
    });
    let replica = Running::serving(7, |config| config.clock = clock, transport).await;
    let mut streams = Vec::new();
    for _ in 0..6 {
        let mut stream = TcpStream::connect(replica.address).await.unwrap();
        assert_eq!(ask(&mut stream).await.text(), "hi");
        streams.push(stream);
    }
    let shares: Vec<u32> = asked.lock().unwrap().values().copied().collect();
    assert!(
        shares.len() == 3 && shares.iter().all(|s| *s == shares[0]),
        "{shares:?}"
    );

    for stream in &mut streams[1..] {
        begin(stream).await;
    }
    let connections = Arc::clone(&replica.connections);
    let task = replica.begin_stop();
    assert!(is_closed(&mut streams[0]).await);
    for stream in &mut streams[1..] {
        stream.write_all(&echo().body).await.unwrap();
        assert_eq!(read_reply(stream).await.text(), "hi");
    }
    assert_eq!(task.await.unwrap(), Stopped::Drained);
    assert_eq!(connections.read().open, 0);
}
