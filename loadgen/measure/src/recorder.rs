use std::sync::Arc;
use std::time::Duration;

use crate::by_outcome::{ByOutcome, merge_optional};
use crate::deviation::DeviationTally;
use crate::finished::{Kept, Key};
use crate::kind::{RoundTally, add_ns};
use crate::matrix::MatrixTally;
use crate::paired::PairedTally;
use crate::phase::Phases;
use crate::phase_tally::PhaseTally;
use crate::principal::Principals;
use crate::replay::{Replay, ReplayTally};
use crate::seconds::Seconds;
use crate::throttle::{Refusal, ThrottleTally};
use crate::wire::WireTally;
use crate::{
    BodyRefusals, FinishedSeconds, KindPair, Latency, NotStarted, Outcome, Phase, PrincipalTally,
    RefusedBody, RoundSample, Shape, SlotLimit, StatusDeviation, SupersededAttempt, TooLarge,
    WorkflowSample,
};

/// Takes the samples of one driver thread: no locks, no hashing, memory bounded by the shape of
/// the work and the length of the run, never by the number of requests. The recorders of all
/// threads are merged at the end (or cloned and merged for a checkpoint).
///
/// A sample that names a kind or replica outside the [`Shape`] is a programming error and panics.
#[derive(Debug, Clone)]
pub struct Recorder {
    shape: Shape,
    pub(crate) phases: Phases,
    /// One for each phase.
    pub(crate) parts: Vec<PhaseTally>,
    pub(crate) replicas: Vec<ReplicaTally>,
    /// Rounds of which no replica heard, nor failed to hear.
    pub(crate) untried: ByOutcome,
    pub(crate) matrix: MatrixTally,
    pub(crate) wire: WireTally,
    pub(crate) lateness: Latency,
    pub(crate) seconds: Seconds,
    pub(crate) inverted: u64,
    pub(crate) awake: Option<Duration>,
    /// When the load ended, where that was before the end of its last phase.
    load_end: Option<Duration>,
    pub(crate) throttle: Option<Box<ThrottleTally>>,
    pub(crate) principals: Option<Box<Principals>>,
    /// Longest body that the target is meant to take, in bytes.
    pub(crate) body_limit: Option<u64>,
    /// Bodies that were too large, by kind; empty when there were none.
    pub(crate) refused_bodies: Vec<Option<BodyRefusals>>,
    pub(crate) paired: Option<Box<PairedTally>>,
    /// By kind; empty until a state is replayed.
    pub(crate) replays: Vec<ReplayTally>,
}

/// What is known about one replica.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplicaTally {
    pub(crate) rounds: ByOutcome,
    pub(crate) connect: Option<Box<Latency>>,
    pub(crate) reused: u64,
    pub(crate) deviations: DeviationTally,
    pub(crate) state_only: u64,
    pub(crate) too_large: Option<TooLarge>,
}

impl Recorder {
    /// An empty recorder for samples of this shape, in a load of one phase.
    pub fn new(shape: &Shape) -> Self {
        Self::of(shape, Phases::single())
    }

    /// The same for a load of these phases. Workflows are recorded in the phase in which they were
    /// due, and so is each round.
    ///
    /// # Panics
    /// Without any phase.
    pub fn with_phases(shape: &Shape, phases: &[Phase]) -> Self {
        Self::of(shape, Phases::new(phases.to_vec()))
    }

    fn of(shape: &Shape, phases: Phases) -> Self {
        Self {
            parts: vec![PhaseTally::new(shape.kinds.len()); phases.list().len()],
            phases,
            replicas: vec![ReplicaTally::default(); shape.replicas.len()],
            untried: ByOutcome::default(),
            matrix: MatrixTally::new(shape.replicas.len()),
            wire: WireTally::default(),
            lateness: Latency::new(),
            seconds: Seconds::default(),
            inverted: 0,
            awake: None,
            load_end: None,
            throttle: None,
            principals: None,
            body_limit: None,
            refused_bodies: Vec::new(),
            paired: None,
            replays: Vec::new(),
            shape: shape.clone(),
        }
    }

    /// The shape that it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The load ended: what ends later, in the drain, counts for no rate.
    pub fn load_ended(&mut self, at: Duration) {
        self.load_end = Some(at);
    }

    /// A workflow of this kind, due then, was taken up. Every one must end in
    /// [`Recorder::workflow`].
    pub fn started(&mut self, kind: usize, intended: Duration) {
        self.part_mut(intended).kinds[kind].started += 1;
    }

    /// Workflows that were taken up so far, of all kinds.
    pub fn started_count(&self) -> u64 {
        self.parts.iter().map(PhaseTally::started).sum()
    }

    /// A workflow that was due then was passed over, for this reason.
    pub fn not_started(&mut self, cause: NotStarted, intended: Duration) {
        self.seconds.not_started(intended);
        self.part_mut(intended).not_started[cause.index()] += 1;
    }

    /// `count` planned workflows of the phase with this position were not come to, for this reason.
    pub fn given_up(&mut self, cause: NotStarted, phase: usize, count: u64) {
        self.parts[phase].not_started[cause.index()] += count;
    }

    /// Planned workflows that were not taken up for this reason, in all phases.
    pub(crate) fn not_started_count(&self, cause: NotStarted) -> u64 {
        let parts = self.parts.iter();
        parts.map(|part| part.not_started[cause.index()]).sum()
    }

    /// The thread watched the clock for so long, to be precise.
    pub fn awake(&mut self, time: Duration) {
        self.awake = Some(self.awake.unwrap_or_default() + time);
    }

    /// A connection to a replica was made in this time.
    pub fn connect(&mut self, replica: u16, time: Duration) {
        self.replicas[usize::from(replica)]
            .connect
            .get_or_insert_default()
            .record(time);
    }

    /// A request waited so long for a connection or a stream, or to the end of the run for one.
    pub fn slot_wait(&mut self, limit: SlotLimit, time: Duration) {
        self.wire.wait(limit, time);
    }

    /// Requests that were sent again because a kept-alive connection was closed before anything was
    /// received. They are no attempts of their own.
    pub fn resent(&mut self, count: u64) {
        self.wire.resent += count;
    }

    /// Requests that a server told to take elsewhere (HTTP/2 GOAWAY or REFUSED_STREAM) before it
    /// had looked at them, and that went to another connection. They are no attempts of their own.
    pub fn moved(&mut self, count: u64) {
        self.wire.moved += count;
    }

    /// An attempt was sent with a trace context, which took so many bytes of its body and of its header
    /// fields.
    pub fn traced(&mut self, body_bytes: u64, header_bytes: u64) {
        for (sum, more) in self
            .wire
            .traced
            .iter_mut()
            .zip([1, body_bytes, header_bytes])
        {
            *sum += more;
        }
    }

    /// An attempt was answered with an error whose HTTP status is not the protocol's.
    pub fn status_deviation(&mut self, replica: u16, seen: StatusDeviation) {
        self.replicas[usize::from(replica)].deviations.add(seen, 1);
    }

    /// A round was answered with a state and no question: the server wants to be asked again.
    pub fn state_only(&mut self, replica: u16) {
        self.replicas[usize::from(replica)].state_only += 1;
    }

    /// The target is meant to take request bodies of so many bytes.
    pub fn body_limit(&mut self, bytes: u64) {
        self.body_limit = Some(bytes);
    }

    /// Kinds are compared that differ in their spread alone. Without any pair nothing is kept for it.
    pub fn compare(&mut self, pairs: &[KindPair]) {
        let kinds = self.shape.kinds.len();
        self.paired = (!pairs.is_empty()).then(|| Box::new(PairedTally::new(pairs, kinds)));
    }

    /// A request was refused as too large.
    pub fn too_large(&mut self, body: &RefusedBody) {
        let one = TooLarge {
            count: 1,
            smallest_bytes: body.bytes,
        };
        let refused = &mut self.replicas[usize::from(body.replica)].too_large;
        *refused = TooLarge::together(*refused, Some(one));
        self.refused_bodies.resize(self.shape.kinds.len(), None);
        let refused = &mut self.refused_bodies[body.kind];
        *refused = BodyRefusals::together(*refused, Some(BodyRefusals::of(body)));
    }

    /// An attempt ended and the same round was sent again.
    pub fn superseded(&mut self, attempt: &SupersededAttempt) {
        let round = self.round_mut(attempt.intended, attempt.kind, attempt.round);
        match attempt.service {
            Some(service) => {
                round.superseded_sent += 1;
                let superseded = &mut round.superseded;
                superseded.record(attempt.outcome, service, Some(service));
            }
            None => round.superseded.count_untimed(attempt.outcome),
        }
    }

    /// The target is meant to admit so many requests per second.
    pub fn limit(&mut self, per_s: f64) {
        self.throttle_mut().limit_per_s = Some(per_s);
    }

    /// An attempt was refused by a rate limit, whatever follows it.
    pub fn refused(&mut self, refusal: &Refusal) {
        self.throttle_mut().refused(refusal);
        self.seconds.refused(refusal.at);
        if let Some(part) = self.lasting_mut(refusal.at) {
            part.refused += 1;
        }
    }

    /// A wait for another attempt is over.
    pub fn waited(&mut self, time: Duration) {
        self.throttle_mut().waited.record(time);
    }

    /// A wait was longer than it may be: no attempt was made after it.
    pub fn clipped_wait(&mut self) {
        self.throttle_mut().clipped += 1;
    }

    /// The retry budget did not allow another attempt.
    pub fn budget_refused(&mut self) {
        self.throttle_mut().budget_refusals += 1;
    }

    /// A second or later attempt of a round begins.
    pub fn new_attempt(&mut self, at: Duration) {
        self.throttle_mut().new_attempts.add(at);
    }

    /// A replica that had refused admitted again, so long after its first refusal.
    pub fn recovered(&mut self, after: Duration) {
        self.throttle_mut().recovery.record(after);
    }

    /// A state of this kind was sent back to several replicas at once.
    pub fn replayed(&mut self, kind: usize, replay: &Replay) {
        let kinds = self.shape.kinds.len();
        self.replays.resize(kinds, ReplayTally::default());
        self.replays[kind].add(replay);
    }

    /// Workflows are sent on behalf of so many principals, each of which is counted.
    pub fn principals(&mut self, count: usize) {
        self.principals = Some(Box::new(Principals::new(count, self.parts.len())));
    }

    /// A round of this principal ended well then. Nothing unless [`Recorder::principals`] are
    /// counted.
    pub fn admitted(&mut self, principal: usize, done: Duration) {
        if self.principals.is_none() {
            return;
        }
        if let (Some(phase), Some(all)) = (self.lasting(done), &mut self.principals) {
            all.admit(principal, phase);
        }
    }

    /// The counts of a principal, by its position in the list of tokens; `None` unless
    /// [`Recorder::principals`] are counted.
    pub fn principal(&mut self, position: usize) -> Option<&mut PrincipalTally> {
        self.principals.as_mut()?.of(position)
    }

    /// A round ended.
    pub fn round(&mut self, sample: &RoundSample) {
        let response = self.between(sample.intended, sample.done);
        let service = sample.sent.map(|sent| self.between(sent, sample.done));
        if let Some(first_sent) = sample.first_sent {
            if sample.round == 0 {
                let lateness = self.between(sample.ready, first_sent);
                self.lateness.record(lateness);
            }
            self.seconds.sent(first_sent);
            if sample.outcome != Outcome::Timeout {
                self.seconds.settled(sample.done);
            }
        }
        if sample.attempts > 1 {
            self.throttle_mut().attempts(sample.attempts);
        }
        if let (Some(_), Some(part)) = (sample.response_bytes, self.lasting_mut(sample.done)) {
            part.answered += 1;
            part.admitted += u64::from(sample.outcome == Outcome::Ok);
        }
        if sample.outcome == Outcome::Ok {
            self.seconds.ok(sample.done, sample.round, response);
            if let (Some(paired), Some(service)) = (&mut self.paired, service) {
                paired.ok(sample.kind, sample.round, sample.done, service);
            }
        } else {
            self.seconds.failed(sample.done);
        }

        let replica = &mut self.replicas[usize::from(sample.replica)];
        if sample.was_tried() {
            replica.rounds.record(sample.outcome, response, service);
        } else {
            self.untried.record(sample.outcome, response, service);
        }
        replica.reused += u64::from(sample.reused_connection);
        if let (Some(minted_by), Some(_)) = (sample.minted_by, sample.sent) {
            self.matrix
                .record(minted_by, sample.replica, sample.outcome, service);
        }
        self.round_mut(sample.intended, sample.kind, sample.round)
            .record(sample, response, service);
    }

    /// A workflow ended.
    pub fn workflow(&mut self, sample: &WorkflowSample) {
        let response = self.between(sample.intended, sample.done);
        let sojourn = self.between(sample.started, sample.done);
        self.seconds.ended(sample.done);
        if sample.outcome == Outcome::Ok {
            self.seconds.workflow(sample.done, response);
            if let Some(part) = self.lasting_mut(sample.done) {
                part.ended_ok += 1;
            }
        }
        let kind = &mut self.part_mut(sample.intended).kinds[sample.kind];
        kind.workflows
            .record(sample.outcome, response, Some(sojourn));
        kind.workflow_rounds += u64::from(sample.rounds);
        kind.think_ns = add_ns(kind.think_ns, sample.think);
        kind.sojourn_ns = add_ns(kind.sojourn_ns, sojourn);
    }

    /// Adds everything that another recorder of the same shape took.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(
            self.shape, other.shape,
            "recorders of one run share a shape"
        );
        assert_eq!(self.phases, other.phases, "and phases");
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.replicas.iter_mut().zip(&other.replicas) {
            mine.rounds.merge(&theirs.rounds);
            merge_optional(&mut mine.connect, theirs.connect.as_deref());
            mine.reused += theirs.reused;
            mine.deviations.merge(&theirs.deviations);
            mine.state_only += theirs.state_only;
            mine.too_large = TooLarge::together(mine.too_large, theirs.too_large);
        }
        self.untried.merge(&other.untried);
        self.matrix.merge(&other.matrix);
        self.wire.merge(&other.wire);
        self.lateness.merge(&other.lateness);
        self.seconds.merge(&other.seconds);
        self.inverted += other.inverted;
        if let Some(awake) = other.awake {
            self.awake(awake);
        }
        if let Some(theirs) = &other.throttle {
            self.throttle_mut().merge(theirs);
        }
        self.body_limit = self.body_limit.or(other.body_limit);
        if !other.refused_bodies.is_empty() {
            self.refused_bodies.resize(self.shape.kinds.len(), None);
        }
        for (mine, theirs) in self.refused_bodies.iter_mut().zip(&other.refused_bodies) {
            *mine = BodyRefusals::together(*mine, *theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.paired, &other.paired) {
            mine.merge(theirs);
        }
        if self.replays.len() < other.replays.len() {
            self.replays
                .resize(other.replays.len(), ReplayTally::default());
        }
        for (mine, theirs) in self.replays.iter_mut().zip(&other.replays) {
            mine.merge(theirs);
        }
        if let Some(theirs) = &other.principals {
            match &mut self.principals {
                Some(mine) => mine.merge(theirs),
                None => self.principals = Some(theirs.clone()),
            }
        }
    }

    /// Takes out the seconds that are over, for an [`Archive`](crate::Archive) that compresses them.
    pub fn take_finished(&mut self) -> FinishedSeconds {
        self.seconds.take_finished()
    }

    pub(crate) fn lend(&mut self, kept: Arc<Vec<(Key, Kept)>>) {
        self.seconds.lend(kept);
    }

    /// Time between two moments; an inverted pair gives 0 and is counted, so that it shows.
    fn between(&mut self, from: Duration, to: Duration) -> Duration {
        to.checked_sub(from).unwrap_or_else(|| {
            self.inverted += 1;
            Duration::ZERO
        })
    }

    fn throttle_mut(&mut self) -> &mut ThrottleTally {
        self.throttle.get_or_insert_default()
    }

    fn part_mut(&mut self, intended: Duration) -> &mut PhaseTally {
        &mut self.parts[self.phases.at(intended)]
    }

    /// The phase that lasted at a moment; `None` in the drain.
    fn lasting(&self, moment: Duration) -> Option<usize> {
        if self.load_end.is_some_and(|end| moment >= end) {
            return None;
        }
        self.phases.lasting(moment)
    }

    /// What is known about it.
    fn lasting_mut(&mut self, moment: Duration) -> Option<&mut PhaseTally> {
        let phase = self.lasting(moment)?;
        Some(&mut self.parts[phase])
    }

    fn round_mut(&mut self, intended: Duration, kind: usize, round: u16) -> &mut RoundTally {
        let rounds = &mut self.part_mut(intended).kinds[kind].rounds;
        let round = usize::from(round);
        if rounds.len() <= round {
            rounds.resize_with(round + 1, RoundTally::default);
        }
        &mut rounds[round]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerTiming;

    fn shape() -> Shape {
        Shape {
            kinds: vec!["wizard".into()],
            replicas: vec![
                "http://127.0.0.1:1/mcp".into(),
                "http://127.0.0.1:2/mcp".into(),
            ],
        }
    }

    fn sample() -> RoundSample {
        RoundSample {
            kind: 0,
            round: 1,
            outcome: Outcome::Ok,
            attempts: 2,
            intended: Duration::from_millis(10),
            ready: Duration::from_millis(10),
            first_sent: Some(Duration::from_millis(12)),
            sent: Some(Duration::from_millis(15)),
            done: Duration::from_millis(20),
            replica: 1,
            minted_by: Some(0),
            request_bytes: 700,
            response_bytes: Some(900),
            state_sent_bytes: Some(200),
            state_received_bytes: None,
            server: ServerTiming {
                open: Some(Duration::from_micros(3)),
                ..ServerTiming::default()
            },
            reused_connection: true,
        }
    }

    #[test]
    fn both_clocks_are_kept() {
        let mut recorder = Recorder::new(&shape());
        recorder.round(&sample());
        let outcomes = &recorder.parts[0].kinds[0].rounds[1].outcomes;
        let max = |latency: Option<&Latency>| latency.unwrap().max_ns();
        assert_eq!(max(outcomes.response(Outcome::Ok)), Some(10_000_000));
        assert_eq!(max(outcomes.service(Outcome::Ok)), Some(5_000_000));
        assert!(recorder.lateness.is_empty(), "only round 0 has a schedule");
        assert_eq!(recorder.parts[0].kinds[0].rounds[1].attempts, 2);
    }

    #[test]
    fn an_inverted_pair_is_zero_and_counted() {
        let mut recorder = Recorder::new(&shape());
        recorder.round(&RoundSample {
            done: Duration::from_millis(14),
            ..sample()
        });
        let outcomes = &recorder.parts[0].kinds[0].rounds[1].outcomes;
        assert_eq!(outcomes.service(Outcome::Ok).unwrap().max_ns(), Some(0));
        assert_eq!(recorder.inverted, 1);
    }

    #[test]
    fn merged_threads_equal_one_thread() {
        let mut one = Recorder::new(&shape());
        let mut left = Recorder::new(&shape());
        let mut right = Recorder::new(&shape());
        for step in 0..200_u64 {
            let sample = RoundSample {
                round: u16::try_from(step % 3).unwrap(),
                outcome: Outcome::ALL[usize::try_from(step % 5).unwrap()],
                done: Duration::from_millis(20 + 37 * step),
                ..sample()
            };
            one.round(&sample);
            if step % 2 == 0 { &mut left } else { &mut right }.round(&sample);
        }
        left.merge(&right);
        assert_eq!(left.seconds.counts(), one.seconds.counts());
        let buckets = |recorder: &Recorder| {
            let mut all = Vec::new();
            let unread = recorder.seconds.read(|second, series, buckets| {
                all.push((second, series, buckets.values().collect::<Vec<_>>()));
            });
            assert_eq!(unread, []);
            all
        };
        assert_eq!(buckets(&left), buckets(&one));
        for (mine, theirs) in left.parts[0].kinds[0]
            .rounds
            .iter()
            .zip(&one.parts[0].kinds[0].rounds)
        {
            for outcome in Outcome::ALL {
                let of = |round: &RoundTally| {
                    let latency = round.outcomes.service(outcome)?;
                    Some((latency.sum_ns(), latency.buckets().collect::<Vec<_>>()))
                };
                assert_eq!(of(mine), of(theirs));
            }
            assert_eq!(mine.request.sum_bytes(), theirs.request.sum_bytes());
        }
    }
}
