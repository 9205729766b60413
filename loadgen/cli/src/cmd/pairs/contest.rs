use std::time::{Duration, Instant};

use anyhow::anyhow;
use loadgen_measure::{
    Judgement, Metric, PairsEnd, PairsFacts, PairsResult, Side, SideRun, TURN, pair_order,
};

use super::side::Contender;
use crate::console;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::store::Store;

/// All runs of both sides, turn by turn.
pub(super) struct Contest<'a> {
    pub(super) metrics: Vec<Metric>,
    /// Of the first turn.
    pub(super) seed: u64,
    /// A and b.
    pub(super) sides: [Contender; 2],
    /// When no more pairs begin.
    pub(super) max_time: Option<Duration>,
    pub(super) quiet: bool,
    pub(super) store: &'a Store,
    pub(super) facts: PairsFacts,
    pub(super) runs: Vec<SideRun>,
}

impl Contest<'_> {
    /// Runs pairs until nothing is open, all are there, the time is over, too many do not count, or an
    /// interrupt comes.
    ///
    /// # Errors
    /// When a side cannot be run at all, the runs have none of the figures, or a result cannot be
    /// written.
    pub(super) async fn conduct(&mut self, interrupts: &mut Interrupts) -> Result<(), Failure> {
        let begun = Instant::now();
        for turn in 0.. {
            for (place, side) in (0..TURN).zip(pair_order(self.seed, turn)) {
                let between_pairs = place % 2 == 0;
                if between_pairs && let Some(end) = self.end(begun.elapsed()) {
                    self.facts.ended = Some(end);
                    break;
                }
                self.run((turn, place, side), interrupts).await?;
                self.facts.elapsed_s = begun.elapsed().as_secs_f64();
                if interrupts.wish().count() > 0 {
                    self.facts.ended = Some(PairsEnd::Interrupted);
                    break;
                }
                if !between_pairs {
                    self.look()?;
                }
            }
            if self.facts.ended.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The judgement on what is there.
    pub(super) fn judged(&self) -> PairsResult {
        PairsResult::new(self.facts.clone(), &self.metrics, self.runs.clone())
    }

    /// How it ends here, if it does.
    fn end(&self, elapsed: Duration) -> Option<PairsEnd> {
        let over = match self.facts.pairs_asked {
            Some(asked) => {
                (PairsResult::counted(&self.runs) as u64 >= asked).then_some(PairsEnd::Complete)
            }
            None if PairsResult::settled(&self.facts, &self.metrics, &self.runs) => {
                Some(PairsEnd::Decided)
            }
            None => self
                .max_time
                .is_some_and(|most| elapsed >= most)
                .then_some(PairsEnd::MaxTime),
        };
        let failed = PairsResult::too_many_left_out(&self.runs).then_some(PairsEnd::Failed);
        over.or(failed)
    }

    /// One run of one side.
    async fn run(
        &mut self,
        (turn, place, side): (u64, u8, Side),
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        let at = (turn, place, side);
        let seed = self.seed.wrapping_add(turn);
        let contender = match side {
            Side::A => &self.sides[0],
            Side::B => &self.sides[1],
        };
        let folder = format!("turns/{:03}-{}{}", turn + 1, place + 1, side.name());
        let store = Store::open(&self.store.folder().join(&folder))?;
        let run = match contender.run(seed, &store, interrupts).await {
            Ok(result) => SideRun::of(at, &result, &self.metrics, format!("{folder}/result.json")),
            Err(failure) => {
                store.forget_empty();
                let interrupted = interrupts.wish().count() > 0;
                let ran = |run: &SideRun| run.side == side && run.status.is_some();
                if !interrupted && !self.runs.iter().any(ran) {
                    let why = anyhow!("side {}: {failure}", side.name());
                    return Err(Failure::with_code(failure.code(), why));
                }
                SideRun::failed(at, seed, failure.to_string())
            }
        };
        self.runs.push(run);
        Ok(())
    }

    /// Writes and tells what stands after a pair.
    fn look(&self) -> Result<(), Failure> {
        let result = self.judged();
        self.store.pairs_only(&result)?;
        if result.pairs > 0 && result.figures.is_empty() {
            return Err(Failure::usage(anyhow!(
                "the runs have none of the figures that are to be judged: {}",
                result.not_there.join(", ")
            )));
        }
        if !self.quiet {
            self.tell(&result);
        }
        Ok(())
    }

    fn tell(&self, result: &PairsResult) {
        let figures = result.figures.iter().map(|figure| {
            let change = figure.change.as_ref();
            let change = change.map_or_else(
                || "n/a".to_owned(),
                |change| format!("x {:.3}", change.ratio),
            );
            match figure.judgement {
                Judgement::Undecided => format!("{} {change}", figure.name),
                judgement => format!("{} {change} {judgement}", figure.name),
            }
        });
        let mut figures: Vec<String> = figures.collect();
        if figures.is_empty() {
            figures.push("none counts yet".to_owned());
        }
        let left_out = match result.left_out {
            0 => String::new(),
            some => format!(" ({some} left out)"),
        };
        console::say(format_args!(
            "loadgen: pair {}{left_out}, {:.0} s: {}",
            result.pairs + result.left_out,
            self.facts.elapsed_s,
            figures.join(", ")
        ));
    }
}
