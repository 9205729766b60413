//! How often one token is used, with and without a record of the tokens used.

use std::sync::Arc;
use std::time::Duration;

use loadgen_replica::{
    Redemption, RedisConfig, RedisLink, StoreConfig, StoreCounters, UsedTokens, WhenDown,
};
use loadgen_seal::{TokenId, UnixSeconds};

use crate::redis_server::RedisServer;
use crate::running::NOW;

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
