use std::time::Duration;

use http::StatusCode;
use rand::seq::SliceRandom as _;
use tokio::time::Instant;

use crate::faults::draw::Draw;
use crate::faults::fault::Fault;
use crate::faults::settings::Settings;
use crate::faults::share::Share;
use crate::faults::values::ErrorKind;

/// What is wrong at one moment, and every decision that follows from it: each a function of this,
/// the request's number and the time.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) settings: Settings,
    pub(crate) draw: Draw,
    /// When the pattern of stalls began.
    pub(crate) stall_from: Instant,
    pub(crate) frozen_until: Option<Instant>,
}

/// What happens to a request instead of its execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The connection is cut.
    Close,
    /// A page of HTML, as a proxy would show it.
    Html(StatusCode),
    /// An error.
    Error(ErrorKind),
}

/// What becomes of a result's `resultType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retyped<'a> {
    Omitted,
    As(&'a str),
}

impl Snapshot {
    /// Until when nothing is processed, if nothing is at `now`, and by which fault.
    pub(crate) fn held(&self, now: Instant) -> Option<(Fault, Instant)> {
        if let Some(until) = self.frozen_until.filter(|&until| until > now) {
            return Some((Fault::Freeze, until));
        }
        let stall = self.settings.stall?;
        let elapsed = now.checked_duration_since(self.stall_from)?;
        stall.left(elapsed).map(|left| (Fault::Stall, now + left))
    }

    /// Whether there is nothing wrong any more once a freeze is over.
    pub(crate) fn is_spent(&self, now: Instant) -> bool {
        self.settings == Settings::default() && self.frozen_until.is_none_or(|until| until <= now)
    }

    /// How long the request is delayed; `None` when it is not among those that are.
    pub(crate) fn latency(&self, number: u64) -> Option<Duration> {
        let delay = self.settings.latency_ms?;
        let share = self.settings.latency_rate.unwrap_or(Share::ALL);
        let mut stream = self.draw.stream(Fault::Latency, number);
        // One stream for both: whether comes first, so that the share does not move the times.
        let hit = rand::RngExt::random::<f64>(&mut stream) < share.get();
        hit.then(|| delay.sample(&mut stream))
    }

    /// What happens to the request instead of its execution: the first that hits of a cut
    /// connection, a page of HTML and an error.
    pub(crate) fn interruption(&self, number: u64) -> Option<(Fault, Interruption)> {
        let Settings {
            close_before_rate,
            html_rate,
            html_status,
            error_rate,
            error_kind,
            ..
        } = self.settings;
        let html = html_status.map_or(StatusCode::BAD_GATEWAY, |status| status.get());
        [
            (Fault::CloseBefore, close_before_rate, Interruption::Close),
            (Fault::Html, html_rate, Interruption::Html(html)),
            (
                Fault::Error,
                error_rate,
                Interruption::Error(error_kind.unwrap_or_default()),
            ),
        ]
        .into_iter()
        .find(|&(fault, share, _)| self.hits(fault, share, number))
        .map(|(fault, _, instead)| (fault, instead))
    }

    /// Whether the connection is cut once the request was executed.
    pub(crate) fn closes_after(&self, number: u64) -> bool {
        self.hits(Fault::CloseAfter, self.settings.close_after_rate, number)
    }

    /// What becomes of the `resultType` of the request's result.
    pub(crate) fn retyped(&self, number: u64) -> Option<(Fault, Retyped<'_>)> {
        let retyped = match &self.settings.result_type {
            Some(other) => (Fault::ResultType, Retyped::As(other)),
            None if self.settings.omit_result_type => (Fault::OmitResultType, Retyped::Omitted),
            None => return None,
        };
        let share = self.settings.result_type_rate.unwrap_or(Share::ALL);
        self.hits(retyped.0, Some(share), number).then_some(retyped)
    }

    /// Puts several things into another order, by the request's number.
    pub(crate) fn shuffle<T>(&self, things: &mut [T], number: u64) {
        things.shuffle(&mut self.draw.stream(Fault::ShuffleQuestions, number));
    }

    fn hits(&self, fault: Fault, share: Option<Share>, number: u64) -> bool {
        share.is_some_and(|share| self.draw.hits(fault, number, share.get()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn snapshot(set: Value) -> Snapshot {
        let Value::Object(set) = set else {
            panic!("no object");
        };
        Snapshot {
            settings: Settings::read(&set).unwrap(),
            draw: Draw {
                seed: 1,
                instance: 0,
            },
            stall_from: Instant::now(),
            frozen_until: None,
        }
    }

    /// How many of 10 000 requests are told `true`.
    fn of_10_000(decide: impl Fn(u64) -> bool) -> usize {
        (0..10_000).filter(|&number| decide(number)).count()
    }

    #[test]
    fn a_freeze_outlasts_a_stall_and_then_ends() {
        let mut now = snapshot(json!({ "stall": { "for_ms": 200, "every_ms": 2000 } }));
        let start = now.stall_from;
        let at = |ms| start + Duration::from_millis(ms);
        now.frozen_until = Some(at(2100));
        assert_eq!(now.held(at(50)), Some((Fault::Freeze, at(2100))));
        assert_eq!(now.held(at(2100)), Some((Fault::Stall, at(2200))));
        assert_eq!(now.held(at(2200)), None);
        assert_eq!(now.held(at(4000)), Some((Fault::Stall, at(4200))));
    }

    #[test]
    fn nothing_is_left_after_a_freeze() {
        let mut frozen = snapshot(json!({}));
        let start = frozen.stall_from;
        assert!(frozen.is_spent(start));
        frozen.frozen_until = Some(start + Duration::from_millis(1));
        assert!(!frozen.is_spent(start));
        assert!(frozen.is_spent(start + Duration::from_millis(1)));
        assert!(!snapshot(json!({ "no_expiry": true })).is_spent(start));
    }

    #[test]
    fn a_share_of_the_requests_is_slow() {
        let slow = snapshot(json!({ "latency_ms": 50, "latency_rate": 0.1 }));
        let fifty = Some(Duration::from_millis(50));
        let hit = of_10_000(|n| slow.latency(n) == fifty);
        assert!((910..=1090).contains(&hit), "{hit}");
        assert_eq!(of_10_000(|n| slow.latency(n).is_none()), 10_000 - hit);
    }

    #[test]
    fn one_request_has_one_interruption() {
        let all = snapshot(json!({
            "close_before_rate": 0.5, "html_rate": 0.5, "error_rate": 0.5,
        }));
        let count = |wanted| of_10_000(|n| all.interruption(n).map(|(fault, _)| fault) == wanted);
        // Halves of what the ones before have left; three standard deviations are at most 150.
        for (fault, share) in [
            (Some(Fault::CloseBefore), 5000),
            (Some(Fault::Html), 2500),
            (Some(Fault::Error), 1250),
            (None, 1250),
        ] {
            assert!(count(fault).abs_diff(share) <= 150, "{fault:?}");
        }
    }

    #[test]
    fn a_result_type_is_changed_for_its_share() {
        let always = snapshot(json!({ "result_type": "done" }));
        assert_eq!(of_10_000(|n| always.retyped(n).is_some()), 10_000);
        let half = snapshot(json!({ "omit_result_type": true, "result_type_rate": 0.5 }));
        let hit = of_10_000(|n| half.retyped(n) == Some((Fault::OmitResultType, Retyped::Omitted)));
        assert!((4850..=5150).contains(&hit), "{hit}");
    }

    #[test]
    fn orders_differ_between_requests_and_replicas() {
        let mut one = snapshot(json!({ "shuffle_questions": true }));
        let order = |snapshot: &Snapshot, number| {
            let mut things = [0, 1, 2, 3, 4, 5];
            snapshot.shuffle(&mut things, number);
            things
        };
        let first = order(&one, 0);
        assert_eq!(first, order(&one, 0));
        assert!((1..5).any(|n| order(&one, n) != first));
        one.draw.instance = 1;
        assert_ne!(order(&one, 0), first);
    }
}
