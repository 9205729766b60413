mod counting;
mod fairness;
mod limits;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::counting::Counting;
pub(super) use self::fairness::jain;
use self::limits::Limits;
pub use self::limits::{LimitMode, LimitSpan, ReplicaLimit};
use super::event::EventResult;
use super::fleet::ReplicaResult;
use super::load::LoadResult;
use super::phase::{Phased, Span};
use super::throttle::ThrottleResult;
use crate::Recorder;

/// Above this many times the limit, beside one whole burst of each principal, it is not kept.
const EXCEEDED: f64 = 1.1;

/// What a rate limit admitted, against what it is meant to, and what it cost.
///
/// Rates are of requests (rounds, not workflows) over the measured time: what a rested quota holds at
/// once is in them, unless the load has a warm-up that spends it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateLimitResult {
    /// Principals that have a quota each; 1 without tokens.
    pub principals: u64,
    /// Replicas that the requests went to.
    pub replicas: u64,
    /// Who keeps the count; absent where the run did not start the replicas, or they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<LimitMode>,
    /// The limit on all principals together over time; empty when it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitSpan>,
    /// The same as the mean over the measured time; absent when there was a part of that without a
    /// known limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_per_s: Option<f64>,
    /// Rounds that ended well, per second; absent when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_per_s: Option<f64>,
    /// Attempts that were refused, per second; absent when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_per_s: Option<f64>,
    /// Admitted rate over limit; absent without either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_over_limit: Option<f64>,
    /// Admitted rates of single principals; absent when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal_rates: Option<PrincipalRates>,
    /// What the two rates say about who counts; absent when they say nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counting: Option<Counting>,
    /// Whether clearly more was admitted than the limit and one burst of each principal.
    pub exceeded: bool,
    /// Workflows that ended well over those that were due, both per second; absent in a closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodput_share: Option<f64>,
    /// Attempts that did no work over all attempts; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wasted_share: Option<f64>,
    /// Seconds that rounds waited for another attempt or were held back, all together.
    pub waited_s: f64,
    /// The same over the time that all workflows took together; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_share: Option<f64>,
    /// Jain's index over the workflows of each principal that ended well: 1 when all have the same, 1/n
    /// when one of n has all; absent with fewer than two principals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// The same by phase; empty when there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseRates>,
}

/// Admitted rates of single principals, in requests per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrincipalRates {
    /// Of the one that was admitted least.
    pub min_per_s: f64,
    /// Mean.
    pub mean_per_s: f64,
    /// Of the one that was admitted most.
    pub max_per_s: f64,
}

/// What was admitted in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRates {
    /// Its name.
    pub name: String,
    /// The limit on all principals together; absent where there is none or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_per_s: Option<f64>,
    /// Rounds that ended well in it, per second; absent when it lasted no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_per_s: Option<f64>,
    /// Attempts that were refused in it, per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_per_s: Option<f64>,
    /// Admitted rate over limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_over_limit: Option<f64>,
    /// Jain's index over the rounds of each principal that ended well in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
}

/// What a result of a rate limit is made of.
pub(super) struct Parts<'a> {
    pub(super) samples: &'a Recorder,
    pub(super) phased: Phased<'a>,
    pub(super) load: &'a LoadResult,
    /// What all workflows took together.
    pub(super) sojourn_s: f64,
    pub(super) throttle: Option<&'a ThrottleResult>,
    pub(super) replicas: &'a [ReplicaResult],
    pub(super) events: &'a [EventResult],
}

/// What went on in a span of time.
#[derive(Debug, Clone, Copy)]
struct Rates {
    admitted_per_s: Option<f64>,
    refused_per_s: Option<f64>,
    over_limit: Option<f64>,
}

impl Rates {
    /// Of so many rounds and refused attempts in so many seconds.
    fn of(limit_per_s: Option<f64>, admitted: u64, refused: u64, lasted_s: f64) -> Self {
        let per_s = |count: u64| (lasted_s > 0.0).then(|| count as f64 / lasted_s);
        let admitted_per_s = per_s(admitted);
        Self {
            admitted_per_s,
            refused_per_s: per_s(refused),
            over_limit: (admitted_per_s.zip(limit_per_s)).map(|(a, limit)| a / limit),
        }
    }
}

impl RateLimitResult {
    /// `None` when nothing was refused and no limit is known.
    pub(super) fn of(parts: &Parts<'_>) -> Option<Self> {
        let (phased, load, throttle) = (parts.phased, parts.load, parts.throttle);
        let principals = parts.samples.principals.as_deref();
        let count = principals.map_or(1, |all| all.count as u64);
        let named = throttle.and_then(|throttle| throttle.limit_per_s);
        let limits = Limits::of(named, count, parts.replicas, parts.events);
        let refused = throttle.map_or(0, |throttle| throttle.refused);
        if refused == 0 && !limits.are_known() {
            return None;
        }
        let measured_s = load.measured_s;
        let admitted = phased.sum(|part| part.admitted);
        let refusals = phased.sum(|part| part.refused);
        let limit_per_s = limits.mean(phased);
        let rates = Rates::of(limit_per_s, admitted, refusals, measured_s);
        let exceeded = limit_per_s.is_some_and(|limit| {
            let most = EXCEEDED * limit * measured_s + limits.burst();
            refused > 0 && admitted as f64 > most
        });
        let waited = throttle.and_then(|throttle| throttle.waited.as_ref());
        let waited_s = waited.map_or(0.0, |w| w.mean_ns * w.count as f64 / 1e9);
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        Some(Self {
            principals: count,
            replicas: parts.replicas.len() as u64,
            mode: limits.mode(),
            limits: limits.spans(),
            limit_per_s,
            admitted_per_s: rates.admitted_per_s,
            refused_per_s: rates.refused_per_s,
            admitted_over_limit: rates.over_limit,
            principal_rates: principal_rates(parts, rates.admitted_per_s),
            counting: (rates.over_limit)
                .filter(|_| refused > 0)
                .and_then(|ratio| Counting::of(ratio, parts.replicas.len())),
            exceeded,
            goodput_share: (load.throughput_per_s.zip(load.offered_per_s))
                .and_then(|(good, offered)| share(good, offered)),
            wasted_share: share(
                throttle.map_or(0, |t| t.wasted_attempts) as f64,
                load.attempts as f64,
            ),
            waited_s,
            waited_share: share(waited_s, parts.sojourn_s),
            fairness: principals.and_then(|all| {
                let ok: Vec<u64> = all.each().iter().map(|principal| principal.ok).collect();
                jain(&ok)
            }),
            phases: phases(parts, &limits),
        })
    }

    /// Limit on one principal, in requests per second.
    pub fn principal_limit_per_s(&self) -> Option<f64> {
        Some(self.limit_per_s? / self.principals as f64)
    }

    /// The measurement in one sentence.
    pub fn sentence(&self) -> String {
        let each = self.principal_rates.filter(|_| self.principals > 1);
        let (admitted, limit) = match each {
            Some(each) => (Some(each.mean_per_s), self.principal_limit_per_s()),
            None => (self.admitted_per_s, self.limit_per_s),
        };
        let Some(admitted) = admitted.map(short) else {
            return "nothing was measured".to_owned();
        };
        let mut sentence = match each {
            Some(_) => format!("each principal was admitted {admitted}/s"),
            None => format!("{admitted}/s were admitted"),
        };
        match (limit, self.admitted_over_limit) {
            (Some(limit), Some(ratio)) => {
                sentence += &format!(" of a limit of {}/s: {ratio:.2}x", short(limit));
            }
            _ => sentence += ", of a limit that is not known",
        }
        if self.refused_per_s == Some(0.0) {
            return sentence + "; none was refused, so more may be admitted";
        }
        if let Some(counting) = self.counting {
            sentence += counting.words();
        }
        sentence
    }
}

fn principal_rates(parts: &Parts<'_>, all_per_s: Option<f64>) -> Option<PrincipalRates> {
    let all_per_s = all_per_s?;
    let Some(principals) = parts.samples.principals.as_deref() else {
        return Some(PrincipalRates {
            min_per_s: all_per_s,
            mean_per_s: all_per_s,
            max_per_s: all_per_s,
        });
    };
    let mut each = vec![0; principals.each().len()];
    let spans = parts.phased.spans().enumerate();
    for (phase, _) in spans.filter(|(_, span)| span.headline) {
        for (sum, admitted) in each.iter_mut().zip(principals.admitted(phase)) {
            *sum += admitted;
        }
    }
    let per_s = |count: u64| count as f64 / parts.load.measured_s;
    Some(PrincipalRates {
        min_per_s: per_s(*each.iter().min()?),
        mean_per_s: per_s(each.iter().sum()) / each.len() as f64,
        max_per_s: per_s(*each.iter().max()?),
    })
}

fn phases(parts: &Parts<'_>, limits: &Limits) -> Vec<PhaseRates> {
    let principals = parts.samples.principals.as_deref();
    let one = |(index, span): (usize, Span<'_>)| {
        let (limit_per_s, part) = (limits.at(span.from_s), span.part);
        let lasted_s = span.to_s - span.from_s;
        let rates = Rates::of(limit_per_s, part.admitted, part.refused, lasted_s);
        PhaseRates {
            name: span.phase.name.clone(),
            limit_per_s,
            admitted_per_s: rates.admitted_per_s,
            refused_per_s: rates.refused_per_s,
            admitted_over_limit: rates.over_limit,
            fairness: principals.and_then(|all| jain(all.admitted(index))),
        }
    };
    let phases: Vec<PhaseRates> = parts.phased.spans().enumerate().map(one).collect();
    if phases.len() > 1 { phases } else { Vec::new() }
}

/// A rate in at least two digits.
fn short(per_s: f64) -> String {
    match per_s {
        100.0.. => format!("{per_s:.0}"),
        10.0.. => format!("{per_s:.1}"),
        _ => format!("{per_s:.2}"),
    }
}
