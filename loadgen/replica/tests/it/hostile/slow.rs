//! Clients that take their time.

use std::time::Duration;

use loadgen_replica::Cause;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::client::{Post, read_reply};
use crate::h2_client::{Client, finish};
use crate::hand_clock::{HandClock, settle};
use crate::running::Running;

const SECOND: Duration = Duration::from_secs(1);

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

/// A client that sends a byte a second.
struct Dribbler {
    stream: TcpStream,
    rest: Vec<u8>,
    seen: Vec<u8>,
}

impl Dribbler {
    /// Sends the front of `bytes` at once.
    async fn start(to: &Running, bytes: &[u8], at_once: usize) -> Self {
        let mut stream = TcpStream::connect(to.address).await.unwrap();
        stream.write_all(&bytes[..at_once]).await.unwrap();
        Self {
            stream,
            rest: bytes[at_once..].iter().rev().copied().collect(),
            seen: Vec::new(),
        }
    }

    /// Sends the next byte, if any. The replica may have closed: [`Dribbler::ended`] tells.
    fn send(&mut self) {
        if let Some(byte) = self.rest.pop() {
            let _ = self.stream.try_write(&[byte]);
        }
    }

    /// Whether the replica has closed the connection.
    fn ended(&mut self) -> bool {
        loop {
            match self.stream.try_read_buf(&mut self.seen) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(e) => return e.kind() != std::io::ErrorKind::WouldBlock,
            }
        }
    }

    /// The status of the first reply.
    fn status(&self) -> Option<u16> {
        let seen = std::str::from_utf8(&self.seen).unwrap();
        Some(seen.strip_prefix("HTTP/1.1 ")?[..3].parse().unwrap())
    }

    /// Goes on until the replica closes; says after how many seconds.
    async fn last(&mut self, clock: &HandClock) -> u32 {
        for second in 0..1000 {
            if self.ended() {
                return second;
            }
            self.send();
            clock.advance(SECOND).await;
        }
        panic!("still open");
    }
}

#[tokio::test]
async fn heads_must_come_in_half_a_minute() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    let one = echo().bytes();
    for at_once in [0, 1, 100] {
        let mut client = Dribbler::start(&replica, &one, at_once).await;
        let seconds = client.last(&clock).await;
        assert_eq!(client.status(), None);
        assert!((30..=33).contains(&seconds), "{seconds}");
    }
    // Not only the first one of a connection.
    let two = [&*one, &*one].concat();
    let mut client = Dribbler::start(&replica, &two, one.len()).await;
    let seconds = client.last(&clock).await;
    assert_eq!(client.status(), Some(200));
    assert!((30..=33).contains(&seconds), "{seconds}");
    assert_eq!(replica.connections.read().closed_slow, 4);
}

#[tokio::test]
async fn a_connection_without_a_request_does_not_stay_and_a_used_one_does() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    let mut used = TcpStream::connect(replica.address).await.unwrap();
    used.write_all(&echo().bytes()).await.unwrap();
    assert_eq!(read_reply(&mut used).await.text(), "hi");
    for begun in ["", "PRI * HTTP/2.0\r\n"] {
        let mut client = Dribbler::start(&replica, begun.as_bytes(), begun.len()).await;
        let seconds = client.last(&clock).await;
        assert!((30..=33).contains(&seconds), "{seconds}");
    }
    used.write_all(&echo().bytes()).await.unwrap();
    assert_eq!(read_reply(&mut used).await.text(), "hi");
}

#[tokio::test]
async fn a_hundred_dribbled_bodies_are_given_up_while_others_are_served() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    let mut post = echo();
    post.chunk = Some(1);
    let bytes = post.bytes();
    // A chunk of one byte takes six, and the last chunk five.
    let head = bytes.len() - 6 * post.body.len() - 5;
    let mut clients = Vec::new();
    for _ in 0..100 {
        clients.push(Dribbler::start(&replica, &bytes, head).await);
    }
    let mut seconds = 0;
    while !clients.iter_mut().all(Dribbler::ended) {
        assert_eq!(echo().send(&replica).await.text(), "hi");
        clients.iter_mut().for_each(Dribbler::send);
        clock.advance(SECOND).await;
        seconds += 1;
        assert!(seconds < 1000);
    }
    assert!((20..=23).contains(&seconds), "{seconds}");
    assert!(clients.iter().all(|client| client.status() == Some(408)));
    assert_eq!(replica.replica.counters().refused_for(Cause::BodySlow), 100);
}

#[tokio::test]
async fn dribbled_streams_are_given_up_while_their_connection_lives() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    let mut client = Client::connect(&replica).await;
    let (reply, mut body) = client.open(&echo()).await.unwrap();
    let reply = tokio::spawn(finish(reply));
    for byte in &echo().body[..19] {
        body.send_data(vec![*byte].into(), false).unwrap();
        assert_eq!(client.post(&echo()).await.unwrap().text(), "hi");
        clock.advance(SECOND).await;
    }
    assert!(!reply.is_finished());
    clock.advance(2 * SECOND).await;
    assert_eq!(reply.await.unwrap().unwrap().status, 408);
    assert_eq!(client.post(&echo()).await.unwrap().text(), "hi");
}

#[tokio::test]
async fn a_large_body_that_keeps_its_rate_is_served_however_long_it_takes() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    let mut post = echo();
    post.body.resize(2 << 20, b' ');
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    for piece in post.bytes().chunks(20 << 10) {
        stream.write_all(piece).await.unwrap();
        settle().await;
        clock.advance(SECOND).await;
    }
    assert_eq!(read_reply(&mut stream).await.text(), "hi");
}

#[tokio::test]
async fn a_client_that_reads_no_reply_is_cut_off() {
    let replica = Running::start().await;
    let clock = HandClock::stop();
    // More than the sockets on both sides take.
    let big = Post::call("echo", json!({ "text": "x".repeat(3 << 20) })).bytes();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let (_read, mut write) = socket.connect(replica.address).await.unwrap().into_split();
    tokio::spawn(async move {
        for _ in 0..8 {
            if write.write_all(&big).await.is_err() {
                return;
            }
        }
    });
    let mut seconds = 0;
    while replica.connections.read().closed_slow == 0 {
        assert_eq!(echo().send(&replica).await.text(), "hi");
        clock.advance(SECOND).await;
        seconds += 1;
        assert!(seconds < 1000);
    }
    assert!(seconds >= 60, "{seconds}");
}
