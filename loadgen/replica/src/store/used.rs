use std::sync::Arc;

use loadgen_seal::{TokenId, UnixSeconds};
use redis::RedisError;

use crate::redis_link::{RedisLink, WhenDown};
use crate::store::memory::Memory;
use crate::store::tally::Tally;
use crate::store::{StoreConfig, StoreCounters};

/// The record of tokens used, and its counts.
pub struct UsedTokens {
    record: Record,
    /// Tells services that use one Redis apart.
    audience: String,
    tally: Tally,
}

enum Record {
    None,
    Memory(Memory),
    Redis(Arc<RedisLink>),
}

/// What the record says to a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redemption {
    /// Not used before; from now on it is.
    First,
    /// Used before.
    Again,
    /// It could not be asked, and tokens are then taken.
    Unrecorded,
    /// It could not be asked or is full, and tokens are then refused.
    Unavailable,
}

impl UsedTokens {
    /// How long a token is remembered after its expiry, in seconds: more than the clocks of a fleet
    /// may differ for its states to open everywhere.
    const KEPT_AFTER_S: u64 = 60;

    /// The record that the configuration names; `None` when it is in Redis and there is none.
    pub fn new(
        config: StoreConfig,
        audience: &str,
        redis: Option<&Arc<RedisLink>>,
    ) -> Option<Self> {
        let record = match config {
            StoreConfig::None => Record::None,
            StoreConfig::Memory => Record::Memory(Memory::new(Memory::ROOM)),
            StoreConfig::Redis => Record::Redis(Arc::clone(redis?)),
        };
        Some(Self {
            record,
            audience: audience.to_owned(),
            tally: Tally::default(),
        })
    }

    /// Whether there is a record.
    pub const fn is_kept(&self) -> bool {
        !matches!(self.record, Record::None)
    }

    /// Uses a token up. Waits only for Redis. Without a record every use is
    /// [`Redemption::First`], and none is counted.
    pub async fn redeem(&self, id: &TokenId, now: UnixSeconds) -> Redemption {
        let redemption = match &self.record {
            Record::None => return Redemption::First,
            Record::Memory(memory) => memory.redeem(id, now.0.saturating_sub(Self::KEPT_AFTER_S)),
            Record::Redis(redis) => match Box::pin(self.set(redis, id, now)).await {
                Ok(true) => Redemption::First,
                Ok(false) => Redemption::Again,
                Err(_) => match redis.when_down() {
                    WhenDown::Open => Redemption::Unrecorded,
                    WhenDown::Closed => Redemption::Unavailable,
                },
            },
        };
        self.tally.count(redemption);
        redemption
    }

    /// What it has said so far.
    pub fn counters(&self) -> StoreCounters {
        self.tally.read()
    }

    /// Whether the token's key is new in Redis: one command checks and sets.
    async fn set(
        &self,
        redis: &RedisLink,
        id: &TokenId,
        now: UnixSeconds,
    ) -> Result<bool, RedisError> {
        let life_s = u64::from(id.expiry_s).saturating_sub(now.0) + Self::KEPT_AFTER_S;
        let tag = u128::from_be_bytes(id.tag);
        let key = format!("loadgen:used:{}:{}:{tag:032x}", self.audience, id.expiry_s);
        let answer: Option<String> = redis
            .ask(async |redis| {
                redis::cmd("SET")
                    .arg(key)
                    .arg(1)
                    .arg("NX")
                    .arg("EX")
                    .arg(life_s)
                    .query_async(redis)
                    .await
            })
            .await?;
        Ok(answer.is_some())
    }
}
