use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::event::EventResult;
use crate::result::fleet::ReplicaResult;
use crate::result::phase::Phased;

/// The rate limit that a replica was started with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaLimit {
    /// Requests per second that one principal is meant to be admitted.
    pub per_s: f64,
    /// Requests that a rested principal may make at once.
    pub burst: u64,
    /// Who keeps the count.
    pub mode: LimitMode,
    /// Whether each tool or prompt has a quota of its own, so that the limit is not one number.
    pub by_item: bool,
}

/// Who keeps the count of a fleet's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitMode {
    /// Each replica alone, with the whole limit.
    Local,
    /// Each replica alone, with its part of the limit.
    Divided,
    /// All replicas together.
    Shared,
}

impl LimitMode {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Divided => "divided",
            Self::Shared => "shared",
        }
    }
}

/// The limit from a moment on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitSpan {
    /// From when, in seconds from the start of the run.
    pub from_s: f64,
    /// Limit on all principals together, in requests per second; null where there is none, or where
    /// replicas differ.
    pub limit_per_s: Option<f64>,
}

/// The limit on all principals together over time.
#[derive(Debug)]
pub(super) struct Limits {
    /// Rising; the first is of the start.
    spans: Vec<LimitSpan>,
    mode: Option<LimitMode>,
    burst: f64,
}

impl Limits {
    /// What the scenario names stands before what replicas say, unless the limit is changed on the way.
    pub(super) fn of(
        named: Option<f64>,
        principals: u64,
        replicas: &[ReplicaResult],
        events: &[EventResult],
    ) -> Self {
        let all = |per_s: f64| per_s * principals as f64;
        let agreed = agreed(replicas);
        let own = agreed.filter(|limit| !limit.by_item);
        let changed = |event: &&EventResult| event.act == "limit" && event.begun_s.is_some();
        let changes: Vec<&EventResult> = events.iter().filter(changed).collect();
        let first = match named {
            Some(per_s) if changes.is_empty() => Some(per_s),
            _ => own.map(|limit| all(limit.per_s)),
        };
        let mut spans = vec![LimitSpan {
            from_s: 0.0,
            limit_per_s: first,
        }];
        for event in changes {
            let of_all = event.replicas.len() == replicas.len() && own.is_some();
            spans.push(LimitSpan {
                from_s: event.at_s,
                limit_per_s: event.limit_per_s.filter(|_| of_all).map(all),
            });
        }
        Self {
            mode: agreed.map(|limit| limit.mode),
            burst: own.map_or(first.unwrap_or(0.0), |limit| all(limit.burst as f64)),
            spans,
        }
    }

    pub(super) fn are_known(&self) -> bool {
        self.spans.iter().any(|span| span.limit_per_s.is_some())
    }

    pub(super) const fn mode(&self) -> Option<LimitMode> {
        self.mode
    }

    /// What all rested principals may do at once; without better knowledge what a second admits.
    pub(super) const fn burst(&self) -> f64 {
        self.burst
    }

    /// As it goes into a result.
    pub(super) fn spans(&self) -> Vec<LimitSpan> {
        match self.are_known() {
            true => self.spans.clone(),
            false => Vec::new(),
        }
    }

    /// The limit at a moment.
    pub(super) fn at(&self, at_s: f64) -> Option<f64> {
        let begun = self.spans.iter().rev().find(|span| span.from_s <= at_s);
        begun.and_then(|span| span.limit_per_s)
    }

    /// The mean over the headline phases, each of which has one limit: where it changes a phase begins.
    pub(super) fn mean(&self, phased: Phased<'_>) -> Option<f64> {
        let (mut sum, mut time) = (0.0, 0.0);
        for span in phased.spans().filter(|span| span.headline) {
            let lasted_s = span.to_s - span.from_s;
            if lasted_s > 0.0 {
                sum += self.at(span.from_s)? * lasted_s;
                time += lasted_s;
            }
        }
        (time > 0.0).then(|| sum / time)
    }
}

/// The limit of all replicas, where they have the same one.
fn agreed(replicas: &[ReplicaResult]) -> Option<ReplicaLimit> {
    let first = replicas.first()?.facts.limit;
    let same = |replica: &ReplicaResult| replica.facts.limit == first;
    first.filter(|_| replicas.iter().all(same))
}
