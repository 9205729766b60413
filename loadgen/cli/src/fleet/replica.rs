use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use loadgen_driver::{FleetPlan, KeyPlan};
use loadgen_measure::{
    MemoryLooks, ProcessUsage, ReplicaDeath, ReplicaFacts, ReplicaLimit, Sealing,
};
use loadgen_seal::{Algorithm, Key, KeyId, KeyRing, Role};
use serde_json::{Value, json};

use super::process::{END, Process};

/// How long a replica may take to answer a command.
const ANSWER: Duration = Duration::from_secs(5);

/// One replica of a fleet: an address, and the process behind it, if there is one.
#[derive(Debug)]
pub(super) struct Replica {
    /// Options of every process of it.
    options: Vec<String>,
    ring: KeyRing,
    /// Where it records used states.
    store: Option<String>,
    /// The rate limit of its first process.
    limit: Option<ReplicaLimit>,
    /// The command that changed its limit last.
    limited: Option<String>,
    /// What it seals with, and how long one key is good for that.
    sealing: Option<Sealing>,
    url: String,
    process: Process,
    life: Life,
    died: Option<ReplicaDeath>,
    /// Processor time of the processes before this one.
    spent: Duration,
    restarts: u64,
    /// The memory of this process.
    looks: MemoryLooks,
}

/// What becomes of the process at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    Up,
    /// It was given a command and has not answered.
    Asked(Instant),
    /// It was told to end; whether it begins anew then.
    Ending(Instant, bool),
    Starting(Instant),
    Down,
}

impl Replica {
    /// Starts the replica of this number and waits until it is ready.
    pub(super) fn start(plan: &FleetPlan, number: usize, ring: KeyRing) -> anyhow::Result<Self> {
        let options = options(plan, number);
        let mut process = Process::spawn(command(&options, &[])?, &ring)?;
        let url = process.wait_ready()?;
        Ok(Self {
            url,
            options,
            ring,
            store: process.store().cloned(),
            limit: process.limit(),
            limited: None,
            sealing: sealing(&process, plan.keys == KeyPlan::Shared),
            process,
            life: Life::Up,
            died: None,
            spent: Duration::ZERO,
            restarts: 0,
            looks: MemoryLooks::default(),
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Gives it a line of docs/faults.md and does not wait for the answer.
    pub(super) fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        let told = self.process.tell(line);
        told.with_context(|| format!("replica {}", self.url))
    }

    pub(super) fn used(&self) -> Option<ProcessUsage> {
        match self.life {
            Life::Down => None,
            _ => self.process.used(),
        }
    }

    /// How it ended although nobody told it to; once.
    pub(super) fn has_died(&mut self) -> Option<String> {
        if !matches!(self.life, Life::Up | Life::Asked(_)) {
            return None;
        }
        let status = self.process.ended()?.to_string();
        self.life = Life::Down;
        self.died = Some(ReplicaDeath {
            status: status.clone(),
            stderr_tail: self.process.whole_tail(),
        });
        Some(status)
    }

    /// Looks at its memory, when it has answered so many requests by this time of the load.
    pub(super) fn look(&mut self, at: Duration, requests: u64) {
        if let Some(used) = self.used() {
            self.looks.look(at, requests, used.rss_bytes);
        }
    }

    pub(super) fn facts(&mut self) -> ReplicaFacts {
        let known = !matches!(self.life, Life::Down) || self.died.is_none();
        let cpu = self.process.cpu().filter(|_| known);
        let slope = self.looks.slope();
        ReplicaFacts {
            url: self.url.clone(),
            started_by_run: true,
            died: self.died.clone(),
            sealing: self.sealing.clone(),
            limit: self.limit,
            store: self.store.clone(),
            restarts: self.restarts,
            cpu_s: cpu.map(|cpu| (self.spent + cpu).as_secs_f64()),
            rss_bytes: self.used().map(|used| used.rss_bytes),
            rss_slope_bytes_per_request: slope.map(|slope| slope.bytes_per_request),
            rss_slope_standard_error: slope.map(|slope| slope.standard_error),
        }
    }

    /// From now on its processor time counts.
    pub(super) fn begin_count(&mut self) {
        self.process.begin_count();
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) -> anyhow::Result<()> {
        self.must_run()?;
        self.process.cpu();
        self.process.kill();
        self.life = Life::Down;
        Ok(())
    }

    /// Tells it to end.
    pub(super) fn drain(&mut self) -> anyhow::Result<()> {
        self.end(false)
    }

    /// Tells it to end, and to begin anew then.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        self.end(true)
    }

    fn end(&mut self, again: bool) -> anyhow::Result<()> {
        self.must_run()?;
        self.process.close();
        self.life = Life::Ending(Instant::now(), again);
        Ok(())
    }

    /// Lets it begin anew at its address, with the keys and the limit that it has now and, besides, as in
    /// the beginning.
    pub(super) fn begin_again(&mut self) -> anyhow::Result<()> {
        if self.life != Life::Down {
            bail!("it has not ended");
        }
        self.spent += self.process.cpu().unwrap_or_default();
        let authority = self
            .url
            .split('/')
            .nth(2)
            .context("its url has no address")?;
        let mut anew = vec!["--listen", authority];
        if let Some(limited) = &self.limited {
            anew.extend(["--fault", limited]);
        }
        self.process = Process::spawn(command(&self.options, &anew)?, &self.ring)?;
        self.restarts += 1;
        self.looks = MemoryLooks::default();
        self.life = Life::Starting(Instant::now());
        Ok(())
    }

    /// Whether it was given a command that it has not answered yet.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.life, Life::Asked(_))
    }

    /// Gives it a command, for [`Self::settle`] to tell when it is obeyed.
    pub(super) fn ask(&mut self, command: &Value) -> anyhow::Result<()> {
        self.must_run()?;
        self.process.tell(&command.to_string())?;
        self.life = Life::Asked(Instant::now());
        Ok(())
    }

    /// Changes its keys, also for when it begins anew.
    pub(super) fn change_keys(&mut self, change: KeyChange) -> anyhow::Result<()> {
        let (line, changed) = change.apply(&self.ring)?;
        self.ask(&line)?;
        self.ring = changed;
        Ok(())
    }

    /// Changes its limit to this rate or lifts it, also for when it begins anew.
    pub(super) fn change_limit(&mut self, rate: Option<&str>) -> anyhow::Result<()> {
        let line = json!({ "limit": rate });
        self.ask(&line)?;
        self.limited = Some(line.to_string());
        Ok(())
    }

    /// Whether what was begun is done.
    ///
    /// # Errors
    /// When it cannot be done; it is over then.
    pub(super) fn settle(&mut self) -> anyhow::Result<bool> {
        match self.life {
            Life::Up | Life::Down => Ok(true),
            Life::Asked(since) => {
                let answer = self.process.answer();
                if answer.as_ref().is_ok_and(Option::is_none) && since.elapsed() < ANSWER {
                    return Ok(false);
                }
                self.life = Life::Up;
                answer?.context("it does not answer")?;
                Ok(true)
            }
            Life::Ending(since, again) => {
                self.process.cpu();
                if self.process.ended().is_none() {
                    if since.elapsed() < END {
                        return Ok(false);
                    }
                    self.process.kill();
                }
                self.life = Life::Down;
                if again {
                    self.begin_again()?;
                }
                Ok(!again)
            }
            Life::Starting(since) => match self.process.try_ready(since) {
                Ok(None) => Ok(false),
                Ok(Some(_)) => {
                    self.life = Life::Up;
                    Ok(true)
                }
                Err(e) => {
                    self.life = Life::Down;
                    Err(e)
                }
            },
        }
    }

    /// Tells it to end, at the end of the run.
    pub(super) fn close(&mut self) {
        self.process.close();
    }

    /// Waits for the end, and forces it at `end`.
    pub(super) fn reap(&mut self, end: Instant) {
        self.process.reap(end);
    }

    fn must_run(&self) -> anyhow::Result<()> {
        match self.life {
            Life::Up => Ok(()),
            Life::Down => bail!("it has ended already"),
            Life::Asked(_) | Life::Ending(..) | Life::Starting(_) => {
                bail!("it is still busy with what happened before")
            }
        }
    }
}

/// A change of a replica's keys.
#[derive(Debug)]
pub(super) enum KeyChange {
    /// Opens states of this key too.
    Accept(Key),
    /// Mints with the key of this id.
    Mint(KeyId),
    /// Forgets the key of this id.
    Drop(KeyId),
}

impl KeyChange {
    /// The command, and the ring when it was obeyed.
    fn apply(self, ring: &KeyRing) -> anyhow::Result<(Value, KeyRing)> {
        let mut ring = ring.clone();
        let change = match self {
            Self::Accept(key) => {
                let line = key.to_secret_line(Role::Accept);
                ring.accept(key)?;
                json!({ "accept": line.trim_end() })
            }
            Self::Mint(id) => {
                ring.mint_with(id)?;
                json!({ "mint": id.0 })
            }
            Self::Drop(id) => {
                ring.retire(id)?;
                json!({ "drop": id.0 })
            }
        };
        Ok((json!({ "keys": change }), ring))
    }
}

/// What a process that is ready seals with.
fn sealing(process: &Process, key_shared: bool) -> Option<Sealing> {
    let (algorithm, backend) = process.seals_with()?;
    let known: Algorithm = algorithm.parse().ok()?;
    Some(Sealing {
        algorithm: algorithm.clone(),
        backend: backend.clone(),
        seal_bound_log2: known.seal_bound_log2(),
        key_shared,
    })
}

/// Options of a replica, without its address.
pub(crate) fn options(plan: &FleetPlan, number: usize) -> Vec<String> {
    let replica = &plan.replicas[number];
    let mut options = vec!["--instance".to_owned(), number.to_string()];
    for (option, value) in [
        ("--algorithm", plan.algorithm.clone()),
        ("--backend", plan.backend.clone()),
        ("--ttl", plan.ttl_s.map(|s| s.to_string())),
    ] {
        if let Some(value) = value {
            options.extend([option.to_owned(), value]);
        }
    }
    options.extend(replica.options.iter().cloned());
    if !replica.faults.is_empty() {
        let line = json!({ "set": replica.faults });
        options.extend(["--fault".to_owned(), line.to_string()]);
    }
    options
}

fn command(options: &[String], more: &[&str]) -> anyhow::Result<Command> {
    let program = std::env::current_exe().context("this program's own file is not known")?;
    let mut command = Command::new(program);
    command.args(["replica", "--keys-from-stdin"]);
    command.args(options).args(more);
    Ok(command)
}
