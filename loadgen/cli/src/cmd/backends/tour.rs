use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use loadgen_driver::{FleetPlan, Plan};
use loadgen_measure::{BackendsFacts, BackendsResult, Figure, RunResult, Status, TurnRun};

use super::contenders::Pair;
use super::order::order;
use crate::console;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::session::Job;
use crate::store::Store;

/// Exit codes in the order in which they win.
const WORST_FIRST: [u8; 6] = [1, 2, 4, 130, 5, 3];
/// Turns below which no interval can be had.
const FEWEST_TURNS: u64 = 6;

/// All runs, turn by turn.
pub(super) struct Tour<'a> {
    pub(super) plan: Plan,
    pub(super) fleet: FleetPlan,
    pub(super) pairs: Vec<Pair>,
    pub(super) turns: u64,
    /// When no more turns begin.
    pub(super) max_time: Option<Duration>,
    pub(super) quiet: bool,
    pub(super) store: &'a Store,
    pub(super) facts: BackendsFacts,
    pub(super) runs: Vec<TurnRun>,
    /// Exit codes that apply by now.
    pub(super) exits: Vec<u8>,
}

impl Tour<'_> {
    /// Runs until the turns or the time are over, an interrupt comes, or fewer than two contenders are
    /// left.
    ///
    /// # Errors
    /// When a result cannot be written.
    pub(super) async fn conduct(&mut self, interrupts: &mut Interrupts) -> Result<(), Failure> {
        let begun = Instant::now();
        for turn in 0..self.turns {
            let late = self.max_time.is_some_and(|most| begun.elapsed() >= most);
            if late || self.left() < 2 {
                break;
            }
            for contender in order(turn, self.pairs.len()) {
                if self.facts.contenders[contender].failed.is_some() {
                    continue;
                }
                self.run(turn, contender, interrupts).await?;
                if interrupts.wish().count() > 0 {
                    self.facts.interrupted = true;
                    return Ok(());
                }
            }
            self.store.comparison_only(&self.compared())?;
        }
        Ok(())
    }

    /// The comparison, and the exit code.
    pub(super) fn finish(mut self) -> (BackendsResult, u8) {
        self.facts.partial = false;
        let result = self.compared();
        if result.facts.interrupted {
            self.exits.push(Status::Interrupted.exit_code());
        }
        let enough = self.turns.min(FEWEST_TURNS);
        let short = |contender: &usize| {
            let own = result.runs.iter().filter(|run| run.contender == *contender);
            let (good, bad) = own.fold((0, 0), |(good, bad), run| match run.status {
                Status::Invalid => (good, bad + 1),
                _ => (good + 1, bad),
            });
            bad > 0 && good < enough
        };
        if (0..self.pairs.len()).any(|contender| short(&contender)) {
            self.exits.push(Status::Invalid.exit_code());
        }
        let applies = |code: &&u8| self.exits.contains(code);
        let code = WORST_FIRST.iter().find(applies).copied();
        (result, code.unwrap_or(0))
    }

    fn compared(&self) -> BackendsResult {
        BackendsResult::new(self.facts.clone(), self.runs.clone())
    }

    /// Contenders that have not failed.
    fn left(&self) -> usize {
        let all = self.facts.contenders.iter();
        all.filter(|one| one.failed.is_none()).count()
    }

    /// One run of one contender.
    async fn run(
        &mut self,
        turn: u64,
        contender: usize,
        interrupts: &mut Interrupts,
    ) -> Result<(), Failure> {
        let (algorithm, backend) = self.pairs[contender];
        let mut plan = self.plan.clone();
        plan.seed = plan.seed.wrapping_add(turn);
        plan.fleet = Some(FleetPlan {
            algorithm: Some(algorithm.name().to_owned()),
            backend: Some(backend.name().to_owned()),
            ..self.fleet.clone()
        });
        let folder = format!("turns/{:03}-{algorithm}-{backend}", turn + 1);
        let store = Store::open(&self.store.folder().join(&folder))?;
        let job = Job {
            plan,
            urls: Vec::new(),
            targets: Vec::new(),
            options: BTreeMap::new(),
            quiet: true,
        };
        match job.conduct(&store, interrupts).await {
            Ok((result, _fleet)) => {
                store.result(&result)?;
                self.note(turn, contender, &result, format!("{folder}/result.json"));
            }
            Err(failure) => {
                store.forget_empty();
                // An interrupt is no failure of the contender.
                if interrupts.wish().count() == 0 {
                    self.give_up(contender, &failure);
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, turn: u64, contender: usize, result: &RunResult, file: String) {
        let run = TurnRun::of(turn, contender, result, file);
        if !self.quiet {
            let (algorithm, backend) = self.pairs[contender];
            let time = |figure: Figure| match run.figures.get(&figure) {
                Some(ns) => format!("{:.1} us", ns / 1e3),
                None => "n/a".to_owned(),
            };
            let why = run.reasons.first();
            let why = why.map_or_else(String::new, |why| format!("; {why}"));
            console::say(format_args!(
                "loadgen: turn {}{}: {backend} {algorithm}: open + seal p50 {}, service p50 {}{why}",
                turn + 1,
                match self.facts.turns_asked {
                    Some(turns) => format!(" of {turns}"),
                    None => String::new(),
                },
                time(Figure::OpenAndSealP50),
                time(Figure::ServiceP50),
            ));
        }
        if run.status == Status::ThresholdMissed {
            self.exits.push(run.status.exit_code());
        }
        self.runs.push(run);
    }

    /// Leaves a contender out from now on.
    fn give_up(&mut self, contender: usize, failure: &Failure) {
        let (algorithm, backend) = self.pairs[contender];
        console::say(format_args!(
            "loadgen: {backend} {algorithm} is left out: {failure}"
        ));
        self.facts.contenders[contender].failed = Some(failure.to_string());
        self.exits.push(failure.code());
    }
}
