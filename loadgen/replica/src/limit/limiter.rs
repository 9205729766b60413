use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::limit::local::Local;
use crate::limit::shared::Shared;
use crate::limit::tally::Tally;
use crate::limit::{
    Admission, LimitConfig, LimitCounters, LimitMode, LimitScope, Quota, QuotaError, Rate, Signal,
    Ticks,
};
use crate::redis_link::{RedisLink, WhenDown};

/// Decides whether a request may be served, and counts what it decided.
pub(crate) struct Limiter {
    /// Another one takes its place when the limit changes; none while it is lifted.
    keeper: ArcSwapOption<Keeper>,
    /// As at the start.
    config: LimitConfig,
    audience: String,
    redis: Option<Arc<RedisLink>>,
    tally: Tally,
}

struct Keeper {
    rate: Rate,
    kept: Kept,
}

enum Kept {
    Local(Local),
    Shared(Arc<Shared>),
}

impl Limiter {
    /// The limiter of one replica. `audience` tells fleets that use one Redis apart; `named` says
    /// that principals are names from a table, which may be shown.
    ///
    /// # Errors
    /// When the quota cannot be kept, or a shared one has no Redis.
    pub(crate) fn new(
        config: LimitConfig,
        audience: &str,
        named: bool,
        redis: Option<&Arc<RedisLink>>,
    ) -> Result<Self, LimitError> {
        let limiter = Self {
            keeper: ArcSwapOption::empty(),
            audience: audience.to_owned(),
            redis: redis.cloned(),
            tally: Tally::new(named),
            config,
        };
        let keeper = limiter.keeper(&limiter.config)?;
        limiter.keeper.store(Some(Arc::new(keeper)));
        Ok(limiter)
    }

    fn keeper(&self, config: &LimitConfig) -> Result<Keeper, LimitError> {
        let quota: Quota = config.quota()?;
        let kept = match config.mode {
            LimitMode::Local | LimitMode::Divided { .. } => {
                let ticks = config.ticks.clone().unwrap_or_else(Ticks::system);
                Kept::Local(Local::new(quota, ticks, Local::ROOM))
            }
            LimitMode::Shared => {
                let redis = self.redis.clone().ok_or(LimitError::NoRedis)?;
                let shared = Shared::new(redis, &self.audience, quota, config.ticks.clone());
                Kept::Shared(Arc::new(shared))
            }
        };
        Ok(Keeper {
            rate: config.rate,
            kept,
        })
    }

    /// From now on this rate is admitted, with its number as burst, or everything. What each replica
    /// counts alone begins anew, with rested principals; what is kept in Redis goes on.
    ///
    /// # Errors
    /// When the quota cannot be kept; nothing has changed then.
    pub(crate) fn change(&self, rate: Option<Rate>) -> Result<(), LimitError> {
        let keeper = rate.map(|rate| {
            self.keeper(&LimitConfig {
                rate,
                burst: rate.units(),
                ..self.config.clone()
            })
        });
        self.keeper.store(keeper.transpose()?.map(Arc::new));
        Ok(())
    }

    /// The rate that it admits; `None` while it is lifted.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.keeper.load().as_ref().map(|keeper| keeper.rate)
    }

    /// Judges one request of `principal` for what `method` and `name` name. Waits only for Redis.
    pub(crate) async fn admit(
        &self,
        principal: Option<&str>,
        method: &str,
        name: &str,
    ) -> Admission {
        let item = match self.config.scope {
            LimitScope::Principal => None,
            LimitScope::PrincipalAndItem => Some((method, name)),
        };
        let shared = match self.keeper.load().as_ref().map(|keeper| &keeper.kept) {
            None => return Admission::Admitted(None),
            Some(Kept::Local(local)) => {
                let admission = local.check(principal, item);
                self.tally.count(principal, &admission);
                return admission;
            }
            Some(Kept::Shared(shared)) => Arc::clone(shared),
        };
        // Boxed, so that replicas without Redis do not carry its future in every request's.
        let admission = match Box::pin(shared.check(principal, item)).await {
            Ok(admission) => admission,
            Err(_) => match shared.when_down() {
                WhenDown::Open => Admission::Admitted(None),
                WhenDown::Closed => Admission::Unavailable,
            },
        };
        self.tally.count(principal, &admission);
        admission
    }

    /// How its refusals look.
    pub(crate) const fn signal(&self) -> &Signal {
        &self.config.signal
    }

    pub(crate) fn counters(&self) -> LimitCounters {
        self.tally.read()
    }
}

/// A limiter that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Rate, burst and fleet size do not go together.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// A shared limit is kept in Redis.
    #[error("a shared limit needs the URL of a Redis")]
    NoRedis,
}
