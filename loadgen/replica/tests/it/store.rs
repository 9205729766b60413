//! How often one token is used, with and without a record of the tokens used.

use std::sync::Arc;
use std::time::Duration;

use loadgen_replica::{
    Cause, Config, Redemption, RedisConfig, RedisLink, StoreConfig, StoreCounters, UsedTokens,
    WhenDown,
};
use loadgen_seal::{Algorithm, Backend, Reason, TokenId, UnixSeconds};
use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::redis_server::RedisServer;
use crate::running::{NOW, Running};

const AT: UnixSeconds = UnixSeconds(NOW);

fn token(tag: u8) -> TokenId {
    TokenId {
        expiry_s: u32::try_from(NOW).unwrap() + 600,
        tag: [tag; 16],
    }
}

fn link(redis: &RedisServer, when_down: WhenDown) -> Arc<RedisLink> {
    let mut config = RedisConfig::new(redis.url());
    config.when_down = when_down;
    config.patience = Duration::from_secs(600);
    Arc::new(RedisLink::new(config).unwrap())
}

/// The records of three replicas.
fn three(config: StoreConfig, redis: Option<&RedisServer>) -> [UsedTokens; 3] {
    [(); 3].map(|()| {
        let link = redis.map(|redis| link(redis, WhenDown::Closed));
        UsedTokens::new(config, "test", link.as_ref()).unwrap()
    })
}

/// How often each of 20 tokens, used on three replicas at once, is used for the first time.
async fn first_uses(records: &[UsedTokens; 3]) -> Vec<usize> {
    let mut uses = Vec::new();
    for tag in 0..20 {
        let token = token(tag);
        let [a, b, c] = records.each_ref().map(|record| record.redeem(&token, AT));
        let (a, b, c) = tokio::join!(a, b, c);
        let first = [a, b, c].into_iter().filter(|r| *r == Redemption::First);
        uses.push(first.count());
    }
    uses
}

#[tokio::test]
async fn one_token_on_three_replicas_is_used_once_only_if_they_share_a_record() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let none = three(StoreConfig::None, None);
    assert_eq!(first_uses(&none).await, [3; 20]);
    let memory = three(StoreConfig::Memory, None);
    assert_eq!(first_uses(&memory).await, [3; 20]);
    assert_eq!(first_uses(&memory).await, [0; 20]);
    let shared = three(StoreConfig::Redis, Some(&redis));
    assert_eq!(first_uses(&shared).await, [1; 20]);
    assert_eq!(first_uses(&shared).await, [0; 20]);
    let counters = shared.each_ref().map(UsedTokens::counters);
    assert_eq!(counters.iter().map(|c| c.first).sum::<u64>(), 20);
    assert_eq!(counters.iter().map(|c| c.again).sum::<u64>(), 100);
}

#[tokio::test]
async fn a_shared_record_is_kept_for_the_rest_of_the_tokens_life() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let [record, ..] = three(StoreConfig::Redis, Some(&redis));
    record.redeem(&token(1), AT).await;
    record.redeem(&token(2), UnixSeconds(NOW + 599)).await;
    // Beyond its expiry a token may still open, by leeway or by a slow clock.
    record.redeem(&token(3), UnixSeconds(NOW + 630)).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    for (tag, whole_s) in [(1, 660), (2, 61), (3, 60)] {
        let byte = format!("{tag:02x}");
        let key = format!("loadgen:used:test:{}:{}", NOW + 600, byte.repeat(16));
        // When the key goes, by Redis' clock, less when that was asked.
        let left_s: i64 = redis::cmd("TTL")
            .arg(key)
            .query_async(&mut connection)
            .await
            .unwrap();
        assert!((0..=whole_s).contains(&left_s), "{tag}: {left_s}");
    }
}

#[tokio::test]
async fn another_service_in_the_same_redis_has_a_record_of_its_own() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    for audience in ["one", "two"] {
        let link = link(&redis, WhenDown::Closed);
        let record = UsedTokens::new(StoreConfig::Redis, audience, Some(&link)).unwrap();
        assert_eq!(record.redeem(&token(1), AT).await, Redemption::First);
    }
}

#[tokio::test]
async fn without_redis_a_record_fails_as_it_was_told_to_and_recovers() {
    for (when_down, meanwhile) in [
        (WhenDown::Closed, Redemption::Unavailable),
        (WhenDown::Open, Redemption::Unrecorded),
    ] {
        let Some(mut redis) = RedisServer::start() else {
            return;
        };
        let link = link(&redis, when_down);
        let record = UsedTokens::new(StoreConfig::Redis, "test", Some(&link)).unwrap();
        assert_eq!(record.redeem(&token(1), AT).await, Redemption::First);
        assert_eq!(record.redeem(&token(1), AT).await, Redemption::Again);
        redis.kill();
        for _ in 0..3 {
            assert_eq!(record.redeem(&token(1), AT).await, meanwhile);
        }
        assert_eq!(link.failures(), 3);
        redis.start_again();
        let mut tries = 3;
        while record.redeem(&token(2), AT).await == meanwhile {
            tries += 1;
            assert!(tries < 8, "Redis is back and is not asked");
        }
        assert_eq!(record.redeem(&token(2), AT).await, Redemption::Again);
        let (failed_open, failed_closed) = match when_down {
            WhenDown::Open => (tries, 0),
            WhenDown::Closed => (0, tries),
        };
        let expected = StoreCounters {
            first: 2,
            again: 2,
            failed_open,
            failed_closed,
        };
        assert_eq!(record.counters(), expected);
    }
}

#[tokio::test]
async fn a_record_in_redis_needs_one() {
    assert!(UsedTokens::new(StoreConfig::Redis, "test", None).is_none());
}

fn call(state: Option<&str>) -> Post {
    let mut params = json!({ "name": "redeem", "arguments": { "code": "SPRING" } });
    if let Some(state) = state {
        params["requestState"] = state.into();
        let yes = json!({ "action": "accept", "content": { "confirm": true } });
        params["inputResponses"] = json!({ "confirm": yes });
    }
    Post::rpc("tools/call", params)
}

async fn fleet(change: impl Fn(&mut Config)) -> [Running; 3] {
    [
        Running::with(7, &change).await,
        Running::with(7, &change).await,
        Running::with(7, &change).await,
    ]
}

/// Redeems one state on all three at once, after its question came from the first.
async fn redeemed([a, b, c]: &[Running; 3]) -> [Reply; 3] {
    let (_, state) = call(None).send(a).await.asked();
    let post = call(Some(&state));
    tokio::join!(post.send(a), post.send(b), post.send(c)).into()
}

/// How many of these replies say that the code was redeemed; the others must be refusals of the
/// state.
fn executions(replies: &[Reply]) -> usize {
    let (done, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|r| r.status == 200);
    assert!(done.iter().all(|reply| reply.text() == "redeemed SPRING"));
    for reply in &refused {
        assert_eq!(reply.error(), (400, -32602));
        let data: &Value = &reply.json()["error"]["data"];
        assert_eq!(data["reason"], "invalid_request_state");
    }
    done.len()
}

#[tokio::test]
async fn a_code_is_redeemed_once_on_three_replicas_only_if_they_share_a_record() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let patient = || RedisConfig {
        patience: Duration::from_secs(600),
        ..RedisConfig::new(redis.url())
    };
    for (store, expected) in [
        (StoreConfig::None, 3),
        (StoreConfig::Memory, 3),
        (StoreConfig::Redis, 1),
    ] {
        let replicas = fleet(|config| {
            config.store = store;
            config.redis = Some(patient());
        })
        .await;
        for _ in 0..5 {
            let replies = redeemed(&replicas).await;
            assert_eq!(executions(&replies), expected, "{store:?}");
            for reply in replies {
                let timing = reply.header("server-timing").unwrap();
                assert_eq!(timing.contains("store;dur="), store != StoreConfig::None);
            }
        }
        let replayed = |running: &Running| {
            let refused = running.replica.counters().state.refused;
            let (_, count) = refused
                .iter()
                .find(|(r, _)| *r == Reason::Replayed)
                .unwrap();
            *count
        };
        let again = replicas.iter().map(replayed).sum::<u64>();
        assert_eq!(again, 15 - 5 * expected as u64, "{store:?}");
    }
}

#[tokio::test]
async fn a_state_sent_again_to_one_replica_is_used_once_if_that_remembers() {
    for (store, expected) in [(StoreConfig::None, 4), (StoreConfig::Memory, 1)] {
        let running = Running::with(7, |config| config.store = store).await;
        let (_, state) = call(None).send(&running).await.asked();
        let mut replies = Vec::new();
        for _ in 0..4 {
            replies.push(call(Some(&state)).send(&running).await);
        }
        assert_eq!(executions(&replies), expected, "{store:?}");
    }
}

#[tokio::test]
async fn states_of_one_second_are_told_apart_also_without_a_nonce() {
    let running = Running::with(7, |config| {
        config.store = StoreConfig::Memory;
        config.algorithm = Algorithm::HmacSha256;
        config.backend = Backend::available_for(Algorithm::HmacSha256)[0];
    })
    .await;
    for _ in 0..3 {
        let (_, state) = call(None).send(&running).await.asked();
        let reply = call(Some(&state)).send(&running).await;
        assert_eq!(executions(&[reply]), 1);
    }
}

#[tokio::test]
async fn without_redis_a_code_is_kept_or_redeemed_as_the_replica_was_told() {
    for when_down in [WhenDown::Closed, WhenDown::Open] {
        let Some(mut redis) = RedisServer::start() else {
            return;
        };
        let running = Running::with(7, |config| {
            config.store = StoreConfig::Redis;
            config.redis = Some(RedisConfig {
                when_down,
                patience: Duration::from_secs(600),
                ..RedisConfig::new(redis.url())
            });
        })
        .await;
        redis.kill();
        let (_, state) = call(None).send(&running).await.asked();
        let reply = call(Some(&state)).send(&running).await;
        let counters = running.replica.counters();
        let store = running.replica.store_counters();
        match when_down {
            WhenDown::Closed => {
                assert_eq!(reply.error(), (503, -32603));
                assert_eq!(counters.refused_for(Cause::StoreDown), 1);
                assert_eq!((store.failed_closed, store.failed_open), (1, 0));
            }
            WhenDown::Open => {
                assert_eq!(executions(&[reply]), 1);
                assert_eq!((store.failed_closed, store.failed_open), (0, 1));
            }
        }
    }
}

#[tokio::test]
async fn a_code_that_is_kept_uses_no_state_up() {
    let running = Running::with(7, |config| config.store = StoreConfig::Memory).await;
    let (_, state) = call(None).send(&running).await.asked();
    let answer = |action: Option<&str>| {
        let mut params = json!({ "name": "redeem", "arguments": { "code": "SPRING" } });
        params["requestState"] = state.as_str().into();
        if let Some(action) = action {
            params["inputResponses"] = json!({ "confirm": { "action": action } });
        }
        Post::rpc("tools/call", params)
    };
    for action in ["decline", "cancel", "decline"] {
        let reply = answer(Some(action)).send(&running).await;
        assert_eq!(reply.text(), "kept SPRING");
    }
    answer(None).send(&running).await.asked();
    assert_eq!(executions(&[call(Some(&state)).send(&running).await]), 1);
    assert_eq!(executions(&[call(Some(&state)).send(&running).await]), 0);
}
