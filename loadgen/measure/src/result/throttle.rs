use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::LatencyFigures;
use crate::throttle::{SdkView, SignalTally, ThrottleSignal, ThrottleTally};

/// Refusals by rate limits, waits for them and attempts after the first.
///
/// Waits stand here and in response times, which run from when the plan wanted a round sent; they
/// are in no service time, which is that of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThrottleResult {
    /// Attempts that were refused.
    pub refused: u64,
    /// Refusals by how and where they were said, most frequent first.
    pub signals: Vec<SignalResult>,
    /// Second and later attempts that were made.
    pub new_attempts: u64,
    /// Attempts that did no work: refused ones, and those that another one followed.
    pub wasted_attempts: u64,
    /// Rounds of more than one attempt, by their number of attempts.
    pub rounds_by_attempts: BTreeMap<u16, u64>,
    /// Waits that were told; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<LatencyFigures>,
    /// Refusals that told a wait in a way that cannot be read.
    pub unreadable_waits: u64,
    /// Waits that were longer than the scenario or the run allowed; no attempt followed them.
    pub clipped_waits: u64,
    /// Attempts that the retry budget did not allow.
    pub budget_refusals: u64,
    /// Time that rounds waited for another attempt, or were held back before their first; absent
    /// when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<LatencyFigures>,
    /// Most new attempts in 100 ms over a tenth of the most in one second: 1 is even, 10 all at
    /// once; absent with fewer than 20 in the busiest second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_factor: Option<f64>,
    /// From a replica's first refusal of a principal to when it admitted that again, as tested; absent
    /// when nothing was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<LatencyFigures>,
    /// Rounds that ended well per second, over the whole measured seconds from that of the first
    /// refusal on (over all of them when nothing was refused, when it is a lower bound of what is
    /// admitted); absent when no whole second was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_per_s: Option<f64>,
    /// Rate that the target is meant to admit; absent when the scenario names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_per_s: Option<f64>,
    /// Admitted rate over that limit: 1 for a shared counter, up to the number of replicas when each
    /// counts alone; absent without either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted_over_limit: Option<f64>,
}

/// Refusals of one replica that were said in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignalResult {
    /// How it was said: where the wait stands, or else what made it a refusal.
    pub signal: ThrottleSignal,
    /// Replica that said it.
    pub replica: usize,
    /// How often.
    pub count: u64,
    /// Of these, those that only words mark as refusals.
    pub guessed: u64,
    /// Of these, those that told a wait that can be read.
    pub told_a_wait: u64,
    /// What a client on an official SDK sees of them.
    pub sdk: SdkViews,
}

/// Refusals by what a client on an official SDK sees of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SdkViews {
    /// In a body with HTTP status 200, which every SDK hands on.
    pub seen: u64,
    /// In a body with another status, which the Go and TypeScript SDKs lose.
    pub in_part: u64,
    /// In status, header fields or a page: a failed request and no wait.
    pub hidden: u64,
    /// Taken for a success.
    pub as_success: u64,
}

/// Rounds that ended well, second by second.
pub(crate) struct Admitted<I> {
    pub(crate) ok: I,
    /// The whole measured seconds.
    pub(crate) seconds: Vec<usize>,
}

impl<I: Iterator<Item = u64>> Admitted<I> {
    /// Per second of those from `from` on.
    fn rate(self, from: u64) -> Option<f64> {
        let counted = |second: &usize| *second as u64 >= from;
        let seconds: BTreeSet<usize> = self.seconds.into_iter().filter(counted).collect();
        let ok = self.ok.enumerate();
        let count: u64 = ok
            .filter(|(second, _)| seconds.contains(second))
            .map(|(_, ok)| ok)
            .sum();
        (!seconds.is_empty()).then(|| count as f64 / seconds.len() as f64)
    }
}

impl ThrottleResult {
    /// `failed_before`: attempts that another one followed although they were not refused.
    pub(crate) fn of(
        tally: &ThrottleTally,
        failed_before: u64,
        admitted: Admitted<impl Iterator<Item = u64>>,
    ) -> Self {
        let signals = signals(tally);
        let refused = signals.iter().map(|signal| signal.count).sum();
        let admitted_per_s = admitted.rate(tally.first_second.unwrap_or(0));
        let limit_per_s = tally.limit_per_s;
        Self {
            refused,
            signals,
            new_attempts: tally.new_attempts.total(),
            wasted_attempts: refused + failed_before,
            rounds_by_attempts: (2..)
                .zip(tally.attempts.iter().copied())
                .filter(|(_, rounds)| *rounds > 0)
                .collect(),
            told: LatencyFigures::of(&tally.told),
            unreadable_waits: tally.unreadable,
            clipped_waits: tally.clipped,
            budget_refusals: tally.budget_refusals,
            waited: LatencyFigures::of(&tally.waited),
            burst_factor: tally.new_attempts.factor(),
            recovery: LatencyFigures::of(&tally.recovery),
            admitted_per_s,
            limit_per_s,
            admitted_over_limit: admitted_per_s.zip(limit_per_s).map(|(a, limit)| a / limit),
        }
    }
}

impl SdkViews {
    /// The views that there were, each with its count.
    pub fn present(self) -> impl Iterator<Item = (SdkView, u64)> {
        let counts = [self.seen, self.in_part, self.hidden, self.as_success];
        let all = SdkView::ALL.into_iter().zip(counts);
        all.filter(|(_, count)| *count > 0)
    }
}

fn signals(tally: &ThrottleTally) -> Vec<SignalResult> {
    let of_replica = |(replica, signals): (usize, &[SignalTally; ThrottleSignal::ALL.len()])| {
        let both = ThrottleSignal::ALL.into_iter().zip(*signals);
        both.filter(|(_, tally)| tally.count > 0)
            .map(move |(signal, tally)| SignalResult {
                signal,
                replica,
                count: tally.count,
                guessed: tally.guessed,
                told_a_wait: tally.told,
                sdk: views(tally.sdk),
            })
    };
    let mut signals: Vec<SignalResult> = tally
        .signals
        .iter()
        .enumerate()
        .flat_map(of_replica)
        .collect();
    signals.sort_by_key(|signal| std::cmp::Reverse(signal.count));
    signals
}

fn views([seen, in_part, hidden, as_success]: [u64; SdkView::ALL.len()]) -> SdkViews {
    SdkViews {
        seen,
        in_part,
        hidden,
        as_success,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::throttle::Refusal;
    use std::time::Duration;

    fn admitted(ok: &[u64]) -> Admitted<impl Iterator<Item = u64>> {
        Admitted {
            ok: ok.iter().copied(),
            seconds: (0..6).collect(),
        }
    }

    #[test]
    fn a_rate_is_that_of_the_seconds_in_which_the_limit_binds() {
        // A burst of 30 at once, then 5 per second; what ends in the drain is left out.
        let seconds = [30, 5, 5, 5, 5, 5, 90];
        let mut tally = ThrottleTally {
            limit_per_s: Some(5.0),
            ..ThrottleTally::default()
        };
        let unlimited = ThrottleResult::of(&tally, 0, admitted(&seconds));
        assert_eq!(unlimited.admitted_per_s, Some(55.0 / 6.0));
        tally.refused(&Refusal {
            replica: 1,
            signal: ThrottleSignal::IsErrorText,
            certain: false,
            sdk: SdkView::Seen,
            told: None,
            unreadable: true,
            at: Duration::from_millis(1200),
        });
        let limited = ThrottleResult::of(&tally, 4, admitted(&seconds));
        assert_eq!(limited.admitted_over_limit, Some(1.0));
        assert_eq!((limited.refused, limited.wasted_attempts), (1, 5));
        assert_eq!(limited.unreadable_waits, 1);
        let signal = &limited.signals[0];
        assert_eq!(
            (signal.replica, signal.guessed, signal.told_a_wait),
            (1, 1, 0)
        );
        let views: Vec<_> = signal.sdk.present().collect();
        assert_eq!(views, [(SdkView::Seen, 1)]);
    }
}
