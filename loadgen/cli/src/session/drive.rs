use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use loadgen_driver::{Plan, Run, RunOutput, Target};
use loadgen_measure::{GeneratorFacts, ProcessUsage, ReplicaFacts, RunFacts, RunResult};

use super::facts::Facts;
use crate::failure::Failure;
use crate::fleet::{Fleet, Script};
use crate::interrupts::Interrupts;
use crate::progress::Teller;
use crate::store::Store;
use crate::tool::tool;

/// How often the run is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// When what was measured so far is first written: early, so that the memory this takes is part of
/// what the run has settled at.
const FIRST_CHECKPOINT: Duration = Duration::from_secs(2);
/// How often it is written after that.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(5);
/// How often the memory of the run's own replicas is looked at.
const LOOK_AT_MEMORY_EVERY: Duration = Duration::from_millis(250);
/// When memory is looked at for the first time: the run has found its size by then.
const SETTLED: Duration = Duration::from_secs(5);

/// A run under way.
pub(super) struct Session<'a> {
    pub(super) plan: Plan,
    pub(super) facts: Facts,
    pub(super) quiet: bool,
    pub(super) fleet: &'a mut Fleet,
    /// What happens to the fleet during the load.
    pub(super) script: Script,
    pub(super) store: &'a Store,
    /// Up to when the last checkpoint holds what was measured.
    pub(super) checkpointed: Option<Duration>,
}

impl Session<'_> {
    /// Starts the load, watches it to its end and makes the result.
    pub(super) async fn drive(
        &mut self,
        targets: &[Target],
        interrupts: &mut Interrupts,
    ) -> Result<RunResult, Failure> {
        self.fleet.begin_count();
        let mut run = Run::start(self.plan.clone(), targets).map_err(anyhow::Error::from)?;
        run.spill_to(self.store.folder());
        let threads = run.threads();
        let mut teller = Teller::new(self.plan.planned(), self.quiet);
        let mut next_checkpoint = FIRST_CHECKPOINT;
        let mut next_memory = Duration::ZERO;
        let mut look = tokio::time::interval(LOOK_EVERY);
        while !run.is_over() {
            tokio::select! {
                () = interrupts.next() => {
                    run.stop(interrupts.wish().meaning());
                    if interrupts.wish().count() == 1 && !self.quiet {
                        teller.say(
                            "loadgen: interrupted; waiting for what is in flight, once more to \
                             write the result at once",
                        );
                    }
                }
                _ = look.tick() => {}
                () = until(self.script.next(run.elapsed()), &run) => {}
            }
            if interrupts.wish().waits_no_longer(Instant::now()) {
                teller.finish();
                return Err(self.left(&run));
            }
            let elapsed = run.elapsed();
            for failure in self.script.play(elapsed, self.fleet) {
                teller.say(format_args!("loadgen: {failure}"));
            }
            teller.tell(elapsed, run.progress());
            for death in self.fleet.deaths() {
                teller.say(format_args!("loadgen: {death}"));
            }
            if elapsed >= SETTLED && self.facts.settled_rss_bytes.is_none() {
                self.facts.settled_rss_bytes = ProcessUsage::of_self().map(|usage| usage.rss_bytes);
            }
            if elapsed >= next_memory && elapsed < self.plan.duration {
                next_memory = elapsed + LOOK_AT_MEMORY_EVERY;
                self.fleet.look(elapsed, &run.answered());
            }
            if elapsed >= next_checkpoint {
                next_checkpoint = elapsed + CHECKPOINT_EVERY;
                self.checkpoint(&mut run, threads, &teller);
            }
        }
        teller.finish();
        let output = run.join();
        Ok(self.result(output, threads, interrupts.wish().count() > 0, false))
    }

    /// Writes what was measured so far. A disk that is full now may not be full at the end.
    fn checkpoint(&mut self, run: &mut Run, threads: u64, teller: &Teller) {
        let output = run.checkpoint();
        if let Some(trouble) = run.spill_trouble() {
            teller.say(format_args!("loadgen: warning: {trouble}"));
        }
        if let Some(output) = output {
            let output_end = run.elapsed();
            let result = self.result(output, threads, false, true);
            match self.store.result(&result) {
                Ok(()) => self.checkpointed = Some(output_end),
                Err(e) => teller.say(format_args!("loadgen: warning: no checkpoint: {e:#}")),
            }
        }
    }

    /// What is told of a run whose threads do not end.
    fn left(&self, run: &Run) -> Failure {
        let left = match self.checkpointed {
            Some(at) => format!(
                "result.json in {} holds what was measured up to {:.0} s",
                self.store.folder().display(),
                at.as_secs_f64()
            ),
            None => "nothing was written".to_owned(),
        };
        Failure::left(anyhow!(
            "interrupted, and {} of {} sending threads did not end; {left}",
            run.busy(),
            run.threads()
        ))
    }

    fn result(
        &mut self,
        output: RunOutput,
        threads: u64,
        interrupted: bool,
        partial: bool,
    ) -> RunResult {
        let now = ProcessUsage::of_self();
        let since = |f: fn(&ProcessUsage) -> Duration| {
            let (now, before) = now.zip(self.facts.before)?;
            Some(f(&now).saturating_sub(f(&before)).as_secs_f64())
        };
        let generator = GeneratorFacts {
            threads,
            cpu_s: since(|usage| usage.cpu),
            run_queue_delay_s: since(|usage| usage.run_queue_delay.unwrap_or_default())
                .filter(|_| now.is_some_and(|usage| usage.run_queue_delay.is_some())),
            rss_at_5s_bytes: self.facts.settled_rss_bytes,
            rss_at_end_bytes: now.map(|usage| usage.rss_bytes),
        };
        let facts = RunFacts {
            tool: tool(),
            scenario: self.plan.scenario.clone(),
            seed: self.plan.seed,
            options: self.facts.options.clone(),
            targets: self.facts.urls.clone(),
            replicas: self.replicas(),
            events: self.script.results(),
            unused_answers: unused_answers(&self.plan),
            breaks_states: {
                let kinds = self.plan.kinds.iter();
                let broken = kinds.filter(|kind| kind.break_state.is_some());
                broken.map(|kind| kind.name.clone()).collect()
            },
            environment: self.facts.environment.clone(),
            clock: output.clock,
            workload: self.plan.workload(),
            planned: output.planned,
            in_flight: output.in_flight,
            connections: output.connections,
            failures: output.failures,
            generator,
            thresholds: if partial {
                Vec::new()
            } else {
                self.plan.thresholds.clone()
            },
            interrupted,
            partial,
        };
        RunResult::new(facts, &output.samples)
    }

    fn replicas(&mut self) -> Vec<ReplicaFacts> {
        if self.facts.urls.is_empty() {
            return self.fleet.facts();
        }
        let unknown = |url: &String| ReplicaFacts {
            url: url.clone(),
            ..ReplicaFacts::default()
        };
        self.facts.targets.iter().map(unknown).collect()
    }
}

/// Fixed answers that no question has asked for, by kind.
fn unused_answers(plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let kinds = plan.kinds.iter().map(|kind| {
        let unused = kind.answers.fields.never_asked_for();
        (kind.name.clone(), unused.map(str::to_owned).collect())
    });
    kinds
        .filter(|(_, unused): &(_, Vec<String>)| !unused.is_empty())
        .collect()
}

/// Waits for a time of the run; for ever without one.
async fn until(moment: Option<Duration>, run: &Run) {
    match moment {
        Some(moment) => tokio::time::sleep(moment.saturating_sub(run.elapsed())).await,
        None => std::future::pending().await,
    }
}
