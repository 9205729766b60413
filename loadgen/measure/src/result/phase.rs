use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::work::KindResult;
use crate::kind::KindTally;
use crate::phase_tally::PhaseTally;
use crate::{NotStarted, Phase, Recorder};

/// A named part of the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseResult {
    /// Its name in the scenario.
    pub name: String,
    /// Whether it only warmed up, and is not in the headline figures.
    pub warmup: bool,
    /// When it began, in seconds from the start of the run.
    pub from_s: f64,
    /// When it ended, or the run did, in seconds from the start of the run.
    pub to_s: f64,
    /// Workflows per second that were to arrive at its start; absent in a closed workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_rate_per_s: Option<f64>,
    /// Workflows per second that were to arrive at its end; absent in a closed workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_rate_per_s: Option<f64>,
    /// Workflows that were due in it and not taken up, by cause; only causes that happened.
    pub not_started: BTreeMap<NotStarted, u64>,
    /// Workflows that ended well while it lasted, whenever they were due, per second of it; null when
    /// it lasted no time.
    pub throughput_per_s: Option<f64>,
    /// The workflows, and the rounds, that were due in it; all kinds together.
    pub work: KindResult,
}

/// The phases of a run, and which of them make the headline figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phased<'a> {
    samples: &'a Recorder,
    load_s: f64,
    /// Whether nothing but warm-up was seen, so that it has to stand for the rest.
    pub(crate) warmup_only: bool,
}

/// A phase as far as the load came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'a> {
    pub(crate) phase: &'a Phase,
    pub(crate) part: &'a PhaseTally,
    /// When it began, in seconds from the start of the run.
    pub(crate) from_s: f64,
    /// When it ended.
    pub(crate) to_s: f64,
    /// Whether headline figures are of it.
    pub(crate) headline: bool,
}

impl<'a> Phased<'a> {
    pub(crate) fn new(samples: &'a Recorder, load_s: f64) -> Self {
        let mut measured = samples.phases.list().iter().zip(&samples.parts);
        let warms_up = samples.phases.list().iter().any(|phase| phase.warmup);
        let warmup_only =
            warms_up && !measured.any(|(phase, part)| !phase.warmup && part.has_work());
        Self {
            samples,
            load_s,
            warmup_only,
        }
    }

    fn all(self) -> impl Iterator<Item = (&'a Phase, &'a PhaseTally)> {
        self.samples.phases.list().iter().zip(&self.samples.parts)
    }

    /// The phases that headline figures are of.
    fn headline(self) -> impl Iterator<Item = (&'a Phase, &'a PhaseTally)> {
        self.all()
            .filter(move |(phase, _)| !phase.warmup || self.warmup_only)
    }

    /// When a phase began and ended, in seconds, as far as the load came.
    fn span(self, phase: &Phase) -> (f64, f64) {
        let within = |s: f64| s.min(self.load_s);
        (
            within(phase.from.as_secs_f64()),
            within(phase.to.as_secs_f64()),
        )
    }

    /// How long the headline phases lasted, in seconds.
    pub(crate) fn measured_s(self) -> f64 {
        let spans = self.headline().map(|(phase, _)| self.span(phase));
        spans.map(|(from, to)| to - from).sum()
    }

    /// A count over the headline phases.
    pub(crate) fn sum(self, count: impl Fn(&PhaseTally) -> u64) -> u64 {
        self.headline().map(|(_, part)| count(part)).sum()
    }

    /// Each kind over the headline phases. A single phase is not copied.
    pub(crate) fn kinds(self) -> Cow<'a, [KindTally]> {
        let mut parts = self.headline().map(|(_, part)| part).peekable();
        let Some(first) = parts.next() else {
            return Cow::Borrowed(&[]);
        };
        if parts.peek().is_none() {
            return Cow::Borrowed(&first.kinds);
        }
        let mut sum = first.kinds.clone();
        for part in parts {
            for (sum, kind) in sum.iter_mut().zip(&part.kinds) {
                sum.merge(kind);
            }
        }
        Cow::Owned(sum)
    }

    /// Whole seconds of the load that begin in a headline phase, rising.
    pub(crate) fn seconds(self) -> Vec<usize> {
        let mut seconds = Vec::new();
        for (phase, _) in self.headline() {
            let (from, to) = self.span(phase);
            seconds.extend(from.ceil() as usize..to.ceil() as usize);
        }
        seconds
    }

    /// Whole seconds of the load in which only headline phases lasted, rising.
    pub(crate) fn whole_seconds(self) -> Vec<usize> {
        let mut seconds = Vec::new();
        for (phase, _) in self.headline() {
            let (from, to) = self.span(phase);
            seconds.extend(from.ceil() as usize..to.floor() as usize);
        }
        seconds
    }

    /// Whether the plan shapes the load in time: more phases than one, or a ramp.
    pub(crate) fn is_shaped(self) -> bool {
        self.samples.phases.list().len() > 1 || self.headline_moves()
    }

    /// Whether the headline phases differ in their rate, or run along a ramp.
    pub(crate) fn headline_moves(self) -> bool {
        let mut rates = self.headline().map(|(phase, _)| phase.rate_per_s);
        let first = rates.next().flatten();
        first.is_some_and(|(from, to)| from != to) || rates.any(|rate| rate != first)
    }

    /// Every phase, by position.
    pub(crate) fn spans(self) -> impl Iterator<Item = Span<'a>> {
        self.all().map(move |(phase, part)| {
            let (from_s, to_s) = self.span(phase);
            Span {
                phase,
                part,
                from_s,
                to_s,
                headline: !phase.warmup || self.warmup_only,
            }
        })
    }

    /// Figures of each phase; none when there is only one, which is the whole.
    pub(crate) fn results(self) -> Vec<PhaseResult> {
        if self.samples.phases.list().len() == 1 {
            return Vec::new();
        }
        self.all()
            .map(|(phase, part)| self.result(phase, part))
            .collect()
    }

    fn result(self, phase: &Phase, part: &PhaseTally) -> PhaseResult {
        let all = KindTally::together(&part.kinds);
        let (from_s, to_s) = self.span(phase);
        let ok = part.ended_ok as f64;
        PhaseResult {
            name: phase.name.clone(),
            warmup: phase.warmup,
            from_s,
            to_s,
            from_rate_per_s: phase.rate_per_s.map(|(from, _)| from),
            to_rate_per_s: phase.rate_per_s.map(|(_, to)| to),
            not_started: NotStarted::ALL
                .into_iter()
                .map(|cause| (cause, part.not_started[cause.index()]))
                .filter(|(_, count)| *count > 0)
                .collect(),
            throughput_per_s: (to_s > from_s).then(|| ok / (to_s - from_s)),
            work: KindResult::of(&phase.name, &all),
        }
    }
}
