//! Whom the limiter admits, and how often, on one replica and on three.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadgen_replica::{
    Cause, Config, LimitConfig, LimitMode, LimitScope, Principals, RedisConfig, Ticks, WhenDown,
};
use serde_json::json;

use crate::client::{Post, Reply};
use crate::redis_server::RedisServer;
use crate::running::{NOW, Running};

/// 30 requests a minute in bursts of 30, with the refill stopped.
fn stopped(mode: LimitMode) -> LimitConfig {
    let mut limit = LimitConfig::new("30/min".parse().unwrap());
    limit.mode = mode;
    limit.ticks = Some(Ticks::from_fn(|| Duration::from_secs(NOW)));
    limit
}

/// Waits for Redis as long as it takes, so that a slow machine changes nothing.
fn patient(redis: &RedisServer) -> RedisConfig {
    let mut config = RedisConfig::new(redis.url());
    config.patience = Duration::from_secs(600);
    config
}

fn echo(principal: &'static str) -> Post {
    Post::call("echo", json!({ "text": "x" })).header("authorization", principal)
}

async fn three(change: impl Fn(&mut Config)) -> [Running; 3] {
    [
        Running::with(7, &change).await,
        Running::with(7, &change).await,
        Running::with(7, &change).await,
    ]
}

/// How many of 40 requests to each of three replicas, all three at once, are admitted.
async fn admitted(replicas: &[Running; 3], principal: &'static str) -> usize {
    let ask = async |replica: &Running| {
        let mut admitted = 0;
        for _ in 0..40 {
            let reply = echo(principal).send_unchecked(replica).await;
            assert!([200, 429].contains(&reply.status), "{reply:?}");
            admitted += usize::from(reply.status == 200);
        }
        admitted
    };
    let [a, b, c] = replicas;
    let (a, b, c) = tokio::join!(ask(a), ask(b), ask(c));
    a + b + c
}

#[tokio::test]
async fn three_replicas_with_the_full_limit_admit_three_times_as_much() {
    let replicas = three(|config| config.limit = Some(stopped(LimitMode::Local))).await;
    assert_eq!(admitted(&replicas, "Bearer a").await, 90);
}

#[tokio::test]
async fn three_replicas_that_divide_the_limit_admit_it() {
    let fleet = 3.try_into().unwrap();
    let replicas = three(|config| config.limit = Some(stopped(LimitMode::Divided { fleet }))).await;
    assert_eq!(admitted(&replicas, "Bearer a").await, 30);
}

#[tokio::test]
async fn three_replicas_that_share_the_limit_admit_it() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let replicas = three(|config| {
        config.limit = Some(stopped(LimitMode::Shared));
        config.redis = Some(patient(&redis));
    })
    .await;
    assert_eq!(admitted(&replicas, "Bearer a").await, 30);
    assert_eq!(admitted(&replicas, "Bearer b").await, 30);
    let mut counted = 0;
    for replica in &replicas {
        let counters = replica.replica.limit_counters().unwrap();
        assert_eq!(counters.admitted + counters.limited, 80);
        assert_eq!(counters.principals.len(), 2);
        counted += counters.admitted;
        assert_eq!(replica.replica.redis_failures(), 0);
    }
    assert_eq!(counted, 60);
    // A token is a secret: Redis never sees it.
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("*")
        .query_async(&mut connection)
        .await
        .unwrap();
    assert_eq!(keys.len(), 2);
    assert!(keys.iter().all(|key| key.starts_with("loadgen:limit:")));
    assert!(keys.iter().all(|key| !key.contains("Bearer")));
}

#[tokio::test]
async fn another_audience_has_another_quota_in_the_same_redis() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    for audience in ["one", "two"] {
        let replicas = three(|config| {
            config.limit = Some(stopped(LimitMode::Shared));
            config.redis = Some(patient(&redis));
            audience.clone_into(&mut config.audience);
        })
        .await;
        assert_eq!(admitted(&replicas, "Bearer a").await, 30, "{audience}");
    }
}

#[tokio::test]
async fn redis_own_clock_refills_when_none_is_given() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let running = Running::with(7, |config| {
        let mut limit = LimitConfig::new("1/h".parse().unwrap());
        limit.burst = 3.try_into().unwrap();
        limit.mode = LimitMode::Shared;
        limit.signal = "x-ratelimit,always".parse().unwrap();
        config.limit = Some(limit);
        config.redis = Some(patient(&redis));
    })
    .await;
    for remaining in ["2", "1", "0"] {
        let reply = echo("a").send(&running).await;
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(remaining));
    }
    let reply = echo("a").send_unchecked(&running).await;
    assert_eq!(reply.status, 429);
    let reset_s: u64 = reply.header("x-ratelimit-reset").unwrap().parse().unwrap();
    assert!((1..=3600).contains(&reset_s), "{reset_s}");
    // The cell goes when it would tell nothing any more: three hours after the first request.
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("*")
        .query_async(&mut connection)
        .await
        .unwrap();
    let [cell] = &keys[..] else {
        panic!("{keys:?}");
    };
    let left_ms: i64 = redis::cmd("PTTL")
        .arg(cell)
        .query_async(&mut connection)
        .await
        .unwrap();
    assert!((1..=3 * 3_600_000).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn a_shared_clock_that_is_set_back_refuses_no_longer_than_a_burst_takes() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let now_s = Arc::new(AtomicU64::new(NOW));
    let read = Arc::clone(&now_s);
    let running = Running::with(7, |config| {
        let mut limit = stopped(LimitMode::Shared);
        limit.burst = 2.try_into().unwrap();
        limit.ticks = Some(Ticks::from_fn(move || {
            Duration::from_secs(read.load(Ordering::Relaxed))
        }));
        config.limit = Some(limit);
        config.redis = Some(patient(&redis));
    })
    .await;
    for status in [200, 200, 429] {
        assert_eq!(echo("a").send_unchecked(&running).await.status, status);
    }
    now_s.store(NOW - 3600, Ordering::Relaxed);
    let reply = echo("a").send_unchecked(&running).await;
    assert_eq!(reply.header("retry-after"), Some("2"));
}

/// What is told of the quota: status, remaining and, in a refusal, the wait in milliseconds.
fn told(reply: &Reply) -> (u16, String, Option<u64>) {
    let remaining = reply.header("x-ratelimit-remaining").unwrap().to_owned();
    let wait_ms = match reply.status {
        200 => None,
        _ => reply.json()["error"]["data"]["retryAfterMs"].as_u64(),
    };
    (reply.status, remaining, wait_ms)
}

#[tokio::test]
async fn the_shared_limit_decides_as_the_local_one_does() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let now_us = Arc::new(AtomicU64::new(NOW * 1_000_000));
    let replica = async |mode| {
        let read = Arc::clone(&now_us);
        Running::with(7, |config| {
            let mut limit = stopped(mode);
            // 142 857 142 ns do not divide a second.
            limit.rate = "7/s".parse().unwrap();
            limit.burst = 5.try_into().unwrap();
            limit.signal = "x-ratelimit,always,data=retryAfterMs".parse().unwrap();
            limit.ticks = Some(Ticks::from_fn(move || {
                Duration::from_micros(read.load(Ordering::Relaxed))
            }));
            config.limit = Some(limit);
            config.redis = Some(patient(&redis));
        })
        .await
    };
    let local = replica(LimitMode::Local).await;
    let shared = replica(LimitMode::Shared).await;
    let mut refused = 0;
    // Numerical Recipes' generator; its upper bits choose steps of 0 to 131 ms.
    let mut random = 1_u32;
    for step in 0..300 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        now_us.fetch_add(u64::from(random >> 15), Ordering::Relaxed);
        let (a, b) = (
            echo("a").send_unchecked(&local).await,
            echo("a").send_unchecked(&shared).await,
        );
        assert_eq!(told(&a), told(&b), "step {step}");
        refused += usize::from(a.status == 429);
    }
    assert!((30..270).contains(&refused), "{refused}");
}

#[tokio::test]
async fn the_scope_says_what_shares_a_quota() {
    let one = |scope| {
        Running::with(7, move |config| {
            let mut limit = stopped(LimitMode::Local);
            limit.burst = 1.try_into().unwrap();
            limit.scope = scope;
            config.limit = Some(limit);
        })
    };
    let posts = || {
        [
            echo("a"),
            Post::call("wizard", json!({})).header("authorization", "a"),
            Post::rpc("resources/read", json!({ "uri": "memo://a" })).header("authorization", "a"),
            Post::rpc("resources/read", json!({ "uri": "memo://b" })).header("authorization", "a"),
            echo("b"),
            echo("b").without("authorization"),
        ]
    };
    for (scope, expected) in [
        (LimitScope::Principal, [200, 429, 429, 429, 200, 200]),
        (LimitScope::PrincipalAndItem, [200, 200, 200, 429, 200, 200]),
    ] {
        let running = one(scope).await;
        for (post, status) in posts().into_iter().zip(expected) {
            assert_eq!(post.send_unchecked(&running).await.status, status);
        }
        // Lists are not limited, nor is what never reaches an item.
        let list = Post::rpc("tools/list", json!({})).header("authorization", "a");
        assert_eq!(list.send(&running).await.status, 200);
        let nothing = Post::call("nothing", json!({})).header("authorization", "a");
        assert_eq!(nothing.send(&running).await.error(), (400, -32602));
    }
}

#[tokio::test]
async fn the_limiter_stands_before_the_state_and_counts_by_principal() {
    let running = Running::with(7, |config| {
        let mut limit = stopped(LimitMode::Local);
        limit.burst = 1.try_into().unwrap();
        config.limit = Some(limit);
    })
    .await;
    let bad_state = json!({ "name": "wizard", "arguments": {}, "requestState": "x" });
    let post = Post::rpc("tools/call", bad_state).without("authorization");
    assert_eq!(post.send(&running).await.error(), (400, -32602));
    for _ in 0..2 {
        assert_eq!(post.send_unchecked(&running).await.status, 429);
    }
    let counters = running.replica.counters();
    assert_eq!(counters.refused_for(Cause::State), 1);
    assert_eq!(counters.refused_for(Cause::Limited), 2);
    let limit = running.replica.limit_counters().unwrap();
    assert_eq!((limit.admitted, limit.limited), (1, 2));
    let [anonymous] = &limit.principals[..] else {
        panic!("{limit:?}");
    };
    assert_eq!(anonymous.principal, "anonymous");
    assert_eq!((anonymous.admitted, anonymous.limited), (1, 2));
}

#[tokio::test]
async fn tokens_of_one_principal_share_a_quota_under_the_principals_name() {
    let table = "[[principal]]\nname = \"alice\"\ntokens = [\"one\", \"two\"]\n";
    let running = Running::with(7, |config| {
        let mut limit = stopped(LimitMode::Local);
        limit.burst = 1.try_into().unwrap();
        config.limit = Some(limit);
        config.principals = Some(Principals::parse(table).unwrap());
    })
    .await;
    assert_eq!(echo("Bearer one").send(&running).await.status, 200);
    assert_eq!(
        echo("Bearer two").send_unchecked(&running).await.status,
        429
    );
    let limit = running.replica.limit_counters().unwrap();
    let [alice] = &limit.principals[..] else {
        panic!("{limit:?}");
    };
    assert_eq!(alice.principal, "alice");
    assert_eq!((alice.admitted, alice.limited), (1, 1));
}

/// A replica whose quota, a burst of 2, is in this Redis.
async fn shared_pair(redis: RedisConfig, when_down: WhenDown) -> Running {
    Running::with(7, |config| {
        let mut limit = stopped(LimitMode::Shared);
        limit.burst = 2.try_into().unwrap();
        config.limit = Some(limit);
        config.redis = Some(RedisConfig { when_down, ..redis });
    })
    .await
}

/// The statuses of requests up to the first that Redis was asked for, which comes soon: the one that
/// finds the connection broken has it made anew.
async fn until_back(running: &Running, judged: impl Fn(&Running) -> u64) -> usize {
    let before = judged(running);
    for tries in 0..5 {
        echo("a").send_unchecked(running).await;
        if judged(running) > before {
            return tries;
        }
    }
    panic!("Redis is back and is not asked");
}

#[tokio::test]
async fn without_redis_a_closed_limiter_refuses_until_it_is_back() {
    let Some(mut redis) = RedisServer::start() else {
        return;
    };
    let running = shared_pair(patient(&redis), WhenDown::Closed).await;
    assert_eq!(echo("a").send(&running).await.status, 200);
    redis.kill();
    for _ in 0..3 {
        assert_eq!(echo("a").send(&running).await.error(), (503, -32603));
    }
    let counters = running.replica.counters();
    assert_eq!(counters.refused_for(Cause::LimiterDown), 3);
    let limit = running.replica.limit_counters().unwrap();
    assert_eq!((limit.failed_closed, limit.failed_open), (3, 0));
    assert_eq!((limit.admitted, limit.limited), (1, 0));
    assert_eq!(running.replica.redis_failures(), 3);
    redis.start_again();
    let admitted = |running: &Running| running.replica.limit_counters().unwrap().admitted;
    until_back(&running, admitted).await;
}

#[tokio::test]
async fn without_redis_an_open_limiter_admits_everything_until_it_is_back() {
    let Some(mut redis) = RedisServer::start() else {
        return;
    };
    let running = shared_pair(patient(&redis), WhenDown::Open).await;
    for status in [200, 200, 429] {
        assert_eq!(echo("a").send_unchecked(&running).await.status, status);
    }
    redis.kill();
    for _ in 0..5 {
        assert_eq!(echo("a").send(&running).await.status, 200);
    }
    let limit = running.replica.limit_counters().unwrap();
    assert_eq!((limit.failed_closed, limit.failed_open), (0, 5));
    assert_eq!((limit.admitted, limit.limited), (2, 1));
    redis.start_again();
    let admitted = |running: &Running| running.replica.limit_counters().unwrap().admitted;
    until_back(&running, admitted).await;
    // Redis came back empty: one of a new burst is spent.
    for status in [200, 429] {
        assert_eq!(echo("a").send_unchecked(&running).await.status, status);
    }
}

#[tokio::test(start_paused = true)]
async fn a_redis_that_says_nothing_is_waited_for_no_longer_than_patience() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/", silent.local_addr().unwrap());
    let running = shared_pair(RedisConfig::new(url), WhenDown::Closed).await;
    assert_eq!(echo("a").send(&running).await.error(), (503, -32603));
    assert_eq!(running.replica.redis_failures(), 1);
}

/// How many of 40 requests to one replica are admitted.
async fn admitted_by(replica: &Running, principal: &'static str) -> usize {
    let mut admitted = 0;
    for _ in 0..40 {
        let reply = echo(principal).send_unchecked(replica).await;
        admitted += usize::from(reply.status == 200);
    }
    admitted
}

fn tell(replica: &Running, line: &str) -> serde_json::Map<String, serde_json::Value> {
    let command = loadgen_replica::Command::parse(line).unwrap();
    replica.replica.obey(command).unwrap()
}

#[tokio::test]
async fn a_limit_that_each_replica_keeps_alone_can_be_changed_lifted_and_set_again() {
    for mode in [
        LimitMode::Local,
        LimitMode::Divided {
            fleet: 3.try_into().unwrap(),
        },
    ] {
        let parts = if mode == LimitMode::Local { 1 } else { 3 };
        let replica = Running::with(7, |config| config.limit = Some(stopped(mode))).await;
        assert_eq!(admitted_by(&replica, "Bearer a").await, 30 / parts);
        let told = tell(&replica, r#"{"limit":"12/h"}"#);
        assert_eq!(told["limit"], "12/h");
        assert_eq!(admitted_by(&replica, "Bearer a").await, 12 / parts);
        assert_eq!(tell(&replica, r#"{"limit":null}"#)["limit"], json!(null));
        assert_eq!(admitted_by(&replica, "Bearer a").await, 40);
        let counted = replica.replica.limit_counters().unwrap();
        assert_eq!(
            counted.admitted,
            42 / parts as u64,
            "while there is a limit"
        );
        assert_eq!(counted.failed_open, 0);
        tell(&replica, r#"{"limit":"3/h"}"#);
        assert_eq!(admitted_by(&replica, "Bearer a").await, 3 / parts);
        let shown = tell(&replica, r#"{"show":true}"#);
        assert_eq!(shown["limit"], "3/h");
    }
}

#[tokio::test]
async fn a_shared_limit_can_be_changed_and_goes_on_where_it_was() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let replicas = three(|config| {
        config.limit = Some(stopped(LimitMode::Shared));
        config.redis = Some(patient(&redis));
    })
    .await;
    assert_eq!(admitted(&replicas, "Bearer a").await, 30);
    for replica in &replicas {
        tell(replica, r#"{"limit":"50/min"}"#);
    }
    // The quota is spent, however large it is now; others have all of the new one.
    assert_eq!(admitted(&replicas, "Bearer a").await, 0);
    assert_eq!(admitted(&replicas, "Bearer b").await, 50);
    for replica in &replicas {
        tell(replica, r#"{"limit":null}"#);
    }
    assert_eq!(admitted(&replicas, "Bearer a").await, 120);
}

#[tokio::test]
async fn a_limit_that_cannot_be_kept_changes_nothing() {
    let replica = Running::start().await;
    let parse = |line: &str| loadgen_replica::Command::parse(line).unwrap();
    let none = replica.replica.obey(parse(r#"{"limit":"3/h"}"#));
    assert_eq!(
        none.unwrap_err().to_string(),
        "limit: the replica was started without --limit"
    );
    let fleet = 3.try_into().unwrap();
    let limit = stopped(LimitMode::Divided { fleet });
    let replica = Running::with(7, |config| config.limit = Some(limit)).await;
    let small = replica
        .replica
        .obey(parse(r#"{"limit":"2/s"}"#))
        .unwrap_err();
    assert!(small.to_string().contains("cannot be divided"), "{small}");
    assert_eq!(admitted_by(&replica, "Bearer a").await, 10);
}
