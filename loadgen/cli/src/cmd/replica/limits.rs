use std::num::NonZeroU32;

use clap::ValueEnum;
use loadgen_replica::{
    Config, LimitConfig, LimitMode, LimitScope, Rate, RedisConfig, Signal, StoreConfig, WhenDown,
};

use serde_json::{Value, json};

use crate::cmd::replica::values::from_one;

/// How much the replica admits, and what it shares with other replicas for that.
#[derive(Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Admit each principal this many tool calls, prompts and resource reads: N/s (or N
    /// alone), N/min or N/h; each round is one.
    #[arg(long, value_name = "RATE")]
    limit: Option<Rate>,

    /// How many a rested principal may make at once [default: the number in --limit].
    #[arg(long, value_name = "N", requires = "limit", value_parser = from_one)]
    limit_burst: Option<NonZeroU32>,

    /// Whose requests are counted together: a principal's (`principal`), or a principal's for the
    /// same tool or prompt (`item`) [default: principal].
    #[arg(long, value_name = "SCOPE", requires = "limit")]
    limit_scope: Option<Scope>,

    /// Who keeps the count: each replica for itself (`local`), each replica its part of the limit
    /// (`divided`, needs --fleet-size), or all together in Redis (`shared`, needs --redis) [default:
    /// local].
    #[arg(long, value_name = "MODE", requires = "limit")]
    limit_mode: Option<Mode>,

    /// How many replicas divide the limit, in --limit-mode divided.
    #[arg(long, value_name = "N", requires = "limit", value_parser = from_one)]
    fleet_size: Option<NonZeroU32>,

    /// How a refusal looks: words separated by commas, or a preset such as cloudflare or toolhive;
    /// docs/rate-limit-signals.md has them all [default: retry-after].
    #[arg(long, value_name = "WORDS", requires = "limit")]
    limit_signal: Option<Signal>,

    /// Where states that were used are recorded, for tools that do a thing at most once (redeem):
    /// nowhere (`none`), in each replica (`memory`), or in Redis (`redis`, needs --redis).
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = Store::None)]
    store: Store,

    /// The Redis that replicas share, as redis://HOST:PORT/DB.
    #[arg(long, value_name = "URL")]
    redis: Option<String>,

    /// What happens to requests that need Redis while it gives no answer: they are refused
    /// (`closed`) or served (`open`) [default: closed].
    #[arg(long, value_name = "HOW", requires = "redis")]
    redis_down: Option<Down>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    Principal,
    Item,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Local,
    Divided,
    Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    None,
    Memory,
    Redis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Down {
    Closed,
    Open,
}

impl LimitArgs {
    /// Puts what the options say into the replica's configuration.
    ///
    /// # Errors
    /// When options need each other that were not given together.
    pub(crate) fn apply(self, config: &mut Config) -> anyhow::Result<()> {
        let mode = self.limit_mode.unwrap_or(Mode::Local);
        anyhow::ensure!(
            mode != Mode::Shared || self.redis.is_some(),
            "--limit-mode shared needs --redis URL"
        );
        anyhow::ensure!(
            self.store != Store::Redis || self.redis.is_some(),
            "--store redis needs --redis URL"
        );
        anyhow::ensure!(
            mode == Mode::Shared || self.store == Store::Redis || self.redis.is_none(),
            "--redis is of use with --limit-mode shared or --store redis alone"
        );
        config.store = match self.store {
            Store::None => StoreConfig::None,
            Store::Memory => StoreConfig::Memory,
            Store::Redis => StoreConfig::Redis,
        };
        let mode = match (mode, self.fleet_size) {
            (Mode::Local, None) => LimitMode::Local,
            (Mode::Shared, None) => LimitMode::Shared,
            (Mode::Divided, Some(fleet)) => LimitMode::Divided { fleet },
            (Mode::Divided, None) => anyhow::bail!("--limit-mode divided needs --fleet-size N"),
            (_, Some(_)) => anyhow::bail!("--fleet-size is of use with --limit-mode divided alone"),
        };
        if let Some(rate) = self.limit {
            let defaults = LimitConfig::new(rate);
            config.limit = Some(LimitConfig {
                burst: self.limit_burst.unwrap_or(defaults.burst),
                scope: self.limit_scope.map_or(defaults.scope, Scope::of),
                mode,
                signal: self.limit_signal.unwrap_or(defaults.signal),
                ..defaults
            });
        }
        config.redis = self.redis.map(|url| {
            let mut redis = RedisConfig::new(url);
            redis.when_down = match self.redis_down.unwrap_or(Down::Closed) {
                Down::Closed => WhenDown::Closed,
                Down::Open => WhenDown::Open,
            };
            redis
        });
        Ok(())
    }
}

/// A limit as the ready line tells it.
pub(crate) fn told(limit: &LimitConfig) -> Value {
    json!({
        "per_s": limit.rate.per_s(),
        "burst": limit.burst,
        "mode": match limit.mode {
            LimitMode::Local => "local",
            LimitMode::Divided { .. } => "divided",
            LimitMode::Shared => "shared",
        },
        "by_item": limit.scope == LimitScope::PrincipalAndItem,
    })
}

/// Where used states are recorded, as the ready line tells it.
pub(crate) const fn store(store: StoreConfig) -> &'static str {
    match store {
        StoreConfig::None => "none",
        StoreConfig::Memory => "memory",
        StoreConfig::Redis => "redis",
    }
}

impl Scope {
    fn of(self) -> LimitScope {
        match self {
            Self::Principal => LimitScope::Principal,
            Self::Item => LimitScope::PrincipalAndItem,
        }
    }
}
