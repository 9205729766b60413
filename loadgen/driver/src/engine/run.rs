use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    Archive, ConnectionFacts, FailureExample, FinishedSeconds, InFlight, Recorder, RunClock, Shape,
    SpillError,
};
use loadgen_timer::{Alarms, Pacer, Timer};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustls::ClientConfig;
use tokio::sync::{mpsc as async_mpsc, watch};
use tokio::task::LocalSet;
use tokio::time::Instant;

use super::core::{Core, Shared};
use super::failures::Failures;
use super::flight::Flying;
use super::load::offer;
use super::part::Part;
use crate::plan::{Load, Plan};
use crate::target::Target;
use crate::transport::{Http, tls};

/// File descriptors beside connections: runtimes, pipes, result files.
const OTHER_FILES: u64 = 64;

/// How a run is asked to end before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is not.
    No,
    /// Start nothing more and wait for what is in flight.
    Drain,
    /// End at once; what is in flight is abandoned.
    Now,
}

/// A run that goes on in threads of its own.
#[derive(Debug)]
pub struct Run {
    plan: Arc<Plan>,
    stop: watch::Sender<Stop>,
    threads: Vec<Thread>,
    /// What the threads have let go of.
    archive: Archive,
    started_at: SystemTime,
    started: std::time::Instant,
}

/// Counts of a run so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Workflows taken up.
    pub started: u64,
    /// Workflows that ended well.
    pub ok: u64,
    /// Workflows that ended in any other way.
    pub failed: u64,
    /// Rounds that ended.
    pub rounds: u64,
}

/// What a run, or a run so far, has given.
#[derive(Debug)]
pub struct RunOutput {
    /// The samples of all threads.
    pub samples: Recorder,
    /// Workflows that the plan held; of a closed workload, those that were started.
    pub planned: u64,
    /// When and how long.
    pub clock: RunClock,
    /// Workflows in flight; `None` in a checkpoint.
    pub in_flight: Option<InFlight>,
    /// Limit and peak of connections.
    pub connections: ConnectionFacts,
    /// What servers said when rounds failed.
    pub failures: Vec<FailureExample>,
}

#[derive(Debug)]
struct Thread {
    shared: Arc<Shared>,
    checkpoints: async_mpsc::UnboundedSender<mpsc::Sender<Recorder>>,
    handle: JoinHandle<ThreadOutput>,
}

#[derive(Debug)]
struct ThreadOutput {
    samples: Recorder,
    flying: Flying,
    failures: Failures,
    connections: ConnectionFacts,
    load: Duration,
    ended: std::time::Instant,
    ended_at: SystemTime,
}

impl Run {
    /// Starts the threads of a plan against these targets.
    ///
    /// # Errors
    /// When the process may not open as many files as the plan has connections (the soft limit is
    /// raised first), TLS is needed and nothing is trusted, or a thread or its runtime cannot be made.
    pub fn start(plan: Plan, targets: &[Target]) -> io::Result<Self> {
        allow_files(u64::from(plan.connections) + OTHER_FILES)?;
        let shape = Shape {
            kinds: plan.kinds.iter().map(|kind| kind.name.clone()).collect(),
            replicas: targets.iter().map(|t| t.url().to_owned()).collect(),
        };
        let secured = tls(&plan.http, targets)?;
        let plan = Arc::new(plan);
        let (stop, stopped) = watch::channel(Stop::No);
        let started = std::time::Instant::now();
        let started_at = SystemTime::now();
        let of = plan.sending_threads();
        let threads = (0..of)
            .map(|index| {
                let shared = Arc::new(Shared::of(targets.len()));
                let (checkpoints, requests) = async_mpsc::unbounded_channel();
                let work = ThreadWork {
                    plan: Arc::clone(&plan),
                    shape: shape.clone(),
                    targets: targets.to_vec(),
                    tls: secured.clone(),
                    part: Part { index, of },
                    epoch: Instant::from_std(started),
                    shared: Arc::clone(&shared),
                    stop: stopped.clone(),
                    checkpoints: requests,
                };
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                let handle = std::thread::Builder::new()
                    .name(format!("load-{index}"))
                    .spawn(move || LocalSet::new().block_on(&runtime, work.run()))?;
                Ok(Thread {
                    shared,
                    checkpoints,
                    handle,
                })
            })
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            plan,
            stop,
            threads,
            archive: Archive::default(),
            started_at,
            started,
        })
    }

    /// Threads that send.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.threads.len() as u64
    }

    /// Asks the run to end before its time. Never takes an earlier request back.
    pub fn stop(&self, how: Stop) {
        self.stop.send_if_modified(|current| {
            let stronger = matches!(
                (*current, how),
                (Stop::No, Stop::Drain | Stop::Now) | (Stop::Drain, Stop::Now)
            );
            if stronger {
                *current = how;
            }
            stronger
        });
    }

    /// Whether every thread has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.threads.iter().all(|t| t.handle.is_finished())
    }

    /// How many threads have not ended.
    #[must_use]
    pub fn busy(&self) -> usize {
        let ended = self.threads.iter().filter(|t| t.handle.is_finished());
        self.threads.len() - ended.count()
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts so far.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut sum = Progress::default();
        for Thread { shared, .. } in &self.threads {
            sum.started += shared.started.load(Ordering::Relaxed);
            sum.ok += shared.ok.load(Ordering::Relaxed);
            sum.failed += shared.failed.load(Ordering::Relaxed);
            sum.rounds += shared.rounds.load(Ordering::Relaxed);
        }
        sum
    }

    /// Replies so far of each replica, in the order of the targets.
    #[must_use]
    pub fn answered(&self) -> Vec<u64> {
        let mut sums = Vec::new();
        for Thread { shared, .. } in &self.threads {
            sums.resize(shared.answered.len(), 0);
            for (sum, count) in sums.iter_mut().zip(&shared.answered) {
                *sum += count.load(Ordering::Relaxed);
            }
        }
        sums
    }

    /// From now on keeps seconds that are over in a file without a name in this folder, and not in
    /// memory. Only [`Run::checkpoint`] and [`Run::join`] write to it: no sending thread waits for the
    /// disk.
    pub fn spill_to(&mut self, folder: &Path) {
        self.archive.spill_to(folder);
    }

    /// Why seconds stay in memory all the same, told once.
    pub fn spill_trouble(&mut self) -> Option<SpillError> {
        self.archive.trouble()
    }

    /// What was measured so far; `None` when the run is ending.
    #[must_use]
    pub fn checkpoint(&mut self) -> Option<RunOutput> {
        let (mut samples, mut finished) = (None, FinishedSeconds::default());
        for thread in &self.threads {
            let (reply, copy) = mpsc::channel();
            let asked = thread.checkpoints.send(reply);
            let copy = asked.map(|()| copy.recv_timeout(Duration::from_secs(2)));
            finished.append(thread.shared.take_finished());
            let Ok(Ok(copy)) = copy else {
                // What the others have given away already must not be lost.
                self.archive.add(finished);
                return None;
            };
            add(&mut samples, copy);
        }
        self.archive.add(finished);
        let mut samples = samples?;
        self.archive.lend(&mut samples);
        let elapsed = self.elapsed();
        Some(RunOutput {
            planned: planned(&samples, self.plan.planned()),
            clock: RunClock::new(
                self.started_at,
                SystemTime::now(),
                elapsed,
                elapsed.min(self.plan.duration),
            ),
            in_flight: None,
            connections: ConnectionFacts {
                asked: Some(u64::from(self.plan.connections)),
                ..ConnectionFacts::default()
            },
            failures: Vec::new(),
            samples,
        })
    }

    /// Waits for the end and gives everything that was measured.
    ///
    /// # Panics
    /// When a sending thread panicked: goes on with that panic.
    #[must_use]
    pub fn join(mut self) -> RunOutput {
        let (mut samples, mut finished) = (None, FinishedSeconds::default());
        let mut failures = Failures::default();
        let (mut area_ns, mut max, mut changes) = (0, 0, 0);
        let mut connections = ConnectionFacts {
            asked: Some(u64::from(self.plan.connections)),
            ..ConnectionFacts::default()
        };
        let mut load = Duration::ZERO;
        let (mut ended, mut ended_at) = (self.started, self.started_at);
        for thread in std::mem::take(&mut self.threads) {
            let mut output = thread
                .handle
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic));
            finished.append(thread.shared.take_finished());
            finished.append(output.samples.take_finished());
            add(&mut samples, output.samples);
            failures.merge(output.failures);
            area_ns += output.flying.area_ns;
            max += output.flying.max;
            changes += output.flying.changes;
            connections = connections.and(output.connections);
            load = load.max(output.load);
            if output.ended > ended {
                (ended, ended_at) = (output.ended, output.ended_at);
            }
        }
        self.archive.add(finished);
        let mut samples = samples.expect("a run has at least one thread");
        self.archive.lend(&mut samples);
        let elapsed = ended.saturating_duration_since(self.started);
        RunOutput {
            planned: planned(&samples, self.plan.planned()),
            clock: RunClock::new(self.started_at, ended_at, elapsed, load),
            in_flight: Some(InFlight {
                mean: area_ns as f64 / elapsed.as_nanos().max(1) as f64,
                max,
                looks: changes,
            }),
            connections,
            failures: failures.into_examples(),
            samples,
        }
    }
}

/// Adds a thread's samples. The first ones are taken as they are: a recorder is megabytes.
fn add(sum: &mut Option<Recorder>, samples: Recorder) {
    match sum {
        Some(sum) => sum.merge(&samples),
        None => *sum = Some(samples),
    }
}

/// What the plan held, or in a closed workload what was started.
fn planned(samples: &Recorder, plan: Option<u64>) -> u64 {
    plan.unwrap_or_else(|| samples.started_count())
}

fn pacer(plan: &Plan) -> Pacer {
    match &plan.load {
        Load::Open { pace, .. } if pace.precise => Pacer::precise(Timer::finest()),
        _ => Pacer::new(Timer::finest()),
    }
}

struct ThreadWork {
    plan: Arc<Plan>,
    shape: Shape,
    targets: Vec<Target>,
    tls: Option<Arc<ClientConfig>>,
    part: Part,
    epoch: Instant,
    shared: Arc<Shared>,
    stop: watch::Receiver<Stop>,
    checkpoints: async_mpsc::UnboundedReceiver<mpsc::Sender<Recorder>>,
}

impl ThreadWork {
    async fn run(mut self) -> ThreadOutput {
        let connections = self.part.share(self.plan.connections, &self.plan) as usize;
        let http = Http::new(
            &self.plan.http,
            &self.targets,
            self.tls.as_ref(),
            connections,
            self.epoch + self.plan.duration,
        );
        let core = Rc::new(Core::new(
            self.plan,
            &self.shape,
            http,
            self.epoch,
            self.shared,
            Alarms::new(Timer::finest()),
        ));
        let copying = Rc::clone(&core);
        let copies = tokio::task::spawn_local(async move {
            while let Some(reply) = self.checkpoints.recv().await {
                // Given away before the copy is made, which then need not hold them.
                copying.let_go_of_finished();
                // Nobody waits for it any more if this fails.
                let _ = reply.send(copying.with_recorder(|r| r.clone()));
            }
        });
        let pacer = pacer(core.plan());
        let load = offer(&core, self.part, &pacer, self.stop).await;
        copies.abort();
        let (samples, flying, failures, connections) = core.into_parts();
        ThreadOutput {
            samples,
            flying,
            failures,
            connections,
            load,
            ended: std::time::Instant::now(),
            ended_at: SystemTime::now(),
        }
    }
}

/// Makes sure that `needed` files may be open, raising the soft limit up to the hard one.
fn allow_files(needed: u64) -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if limit.maximum.is_some_and(|maximum| maximum < needed) {
        return Err(io::Error::other(format!(
            "the plan needs {needed} open files (its connections and {OTHER_FILES} more), but the \
             limit of this process is {}; lower `connections` or raise `ulimit -n`",
            limit.maximum.unwrap_or(0)
        )));
    }
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(needed),
            maximum: limit.maximum,
        },
    )?;
    Ok(())
}
