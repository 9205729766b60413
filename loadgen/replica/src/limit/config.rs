use std::num::NonZeroU32;

use crate::limit::{Quota, QuotaError, Rate, Signal, Ticks};

/// A rate limit on tool calls, prompts and resource reads. Every round of a workflow is a request
/// of its own.
#[derive(Debug, Clone)]
pub struct LimitConfig {
    /// How fast a spent quota refills.
    pub rate: Rate,
    /// What a rested principal may spend at once, in requests.
    pub burst: NonZeroU32,
    /// Whose requests are counted together.
    pub scope: LimitScope,
    /// Who keeps the count.
    pub mode: LimitMode,
    /// How a refusal looks.
    pub signal: Signal,
    /// What refills the quota. `None` is the clock of whoever keeps the count: this process's, or
    /// Redis' own.
    pub ticks: Option<Ticks>,
}

/// Which requests share a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    /// All of a principal's.
    Principal,
    /// A principal's requests for the same tool or prompt; all resources are one.
    PrincipalAndItem,
}

/// Who keeps the count of a fleet's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitMode {
    /// Each replica alone, with the full limit: a fleet of N admits up to N times as much.
    Local,
    /// Each replica alone, with its part of the limit: right only while the balancer is fair.
    Divided {
        /// How many replicas there are.
        fleet: NonZeroU32,
    },
    /// All replicas together, in Redis.
    Shared,
}

impl LimitConfig {
    /// The limit that each replica keeps alone, per principal, with the default signal; the burst
    /// is the rate's number.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            burst: rate.units(),
            scope: LimitScope::Principal,
            mode: LimitMode::Local,
            signal: Signal::default(),
            ticks: None,
        }
    }

    /// What one counter admits.
    ///
    /// # Errors
    /// When rate, burst and fleet size do not go together.
    pub fn quota(&self) -> Result<Quota, QuotaError> {
        match self.mode {
            LimitMode::Local | LimitMode::Shared => Quota::new(self.rate, self.burst),
            LimitMode::Divided { fleet } => Quota::divided(self.rate, self.burst, fleet),
        }
    }
}
