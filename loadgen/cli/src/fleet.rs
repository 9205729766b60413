use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use loadgen_driver::{FleetPlan, KeyPlan};
use loadgen_measure::{ProcessUsage, ReplicaDeath, ReplicaFacts};
use loadgen_seal::{Key, KeyId, KeyRing};

/// How long a replica may take to be ready.
const START: Duration = Duration::from_secs(20);
/// How long a replica may take to end once it was told to: longer than its own grace.
const END: Duration = Duration::from_secs(8);
/// Last lines of a replica's stderr that are kept.
const TAIL_LINES: usize = 20;

/// Replicas that a run has started: children of this process, each with a pipe to its standard
/// input, at whose end it stops. Dropping the fleet stops it.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    replicas: Vec<Replica>,
}

#[derive(Debug)]
struct Replica {
    child: Child,
    /// Closed to tell the replica to stop.
    stdin: Option<ChildStdin>,
    url: String,
    before: Option<ProcessUsage>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    reader: Option<JoinHandle<()>>,
    died: Option<ExitStatus>,
}

impl Fleet {
    /// Starts the replicas and waits until each is ready.
    pub(crate) fn start(plan: &FleetPlan) -> anyhow::Result<Self> {
        Self::start_with(plan, &[])
    }

    /// The same, with these options of `loadgen replica` besides.
    pub(crate) fn start_with(plan: &FleetPlan, options: &[String]) -> anyhow::Result<Self> {
        let shared = KeyRing::single(Key::generate(KeyId(1), None));
        let mut fleet = Self::default();
        for instance in 0..plan.replicas {
            let ring = match plan.keys {
                KeyPlan::Shared => shared.clone(),
                KeyPlan::Own => KeyRing::single(Key::generate(KeyId(1), None)),
            };
            fleet.replicas.push(
                Replica::spawn(plan, instance, &ring, options)
                    .with_context(|| format!("cannot start replica {instance}"))?,
            );
        }
        Ok(fleet)
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.replicas.iter().map(|r| r.url.clone()).collect()
    }

    /// Gives every replica a line of docs/faults.md.
    pub(crate) fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        for replica in &mut self.replicas {
            let stdin = replica.stdin.as_mut().context("it has no standard input")?;
            writeln!(stdin, "{line}")
                .and_then(|()| stdin.flush())
                .with_context(|| format!("replica {} takes no commands", replica.url))?;
        }
        Ok(())
    }

    /// What the replicas have used since they were ready, those that can still be read.
    pub(crate) fn used(&self) -> Vec<ProcessUsage> {
        let living = self.replicas.iter().filter(|r| r.died.is_none());
        living
            .filter_map(|r| ProcessUsage::of(r.child.id()))
            .collect()
    }

    /// Notes which replicas have ended although nobody told them to. Gives those that are new.
    pub(crate) fn deaths(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        for (index, replica) in self.replicas.iter_mut().enumerate() {
            if replica.died.is_none()
                && let Ok(Some(status)) = replica.child.try_wait()
            {
                replica.died = Some(status);
                told.push(format!("replica {index} ({}) died: {status}", replica.url));
            }
        }
        told
    }

    /// What is known about the replicas at the end of the load, before they are stopped.
    pub(crate) fn facts(&mut self) -> Vec<ReplicaFacts> {
        self.deaths();
        self.replicas.iter_mut().map(Replica::facts).collect()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for replica in &mut self.replicas {
            replica.stdin = None;
        }
        let end = Instant::now() + END;
        for replica in &mut self.replicas {
            replica.reap(end);
        }
    }
}

impl Replica {
    fn spawn(
        plan: &FleetPlan,
        instance: u32,
        ring: &KeyRing,
        options: &[String],
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program's own file is not known")?;
        let mut command = Command::new(program);
        command
            .args(["replica", "--keys-from-stdin", "--instance"])
            .arg(instance.to_string())
            .args(options);
        for (option, value) in [
            ("--algorithm", plan.algorithm.clone()),
            ("--backend", plan.backend.clone()),
            ("--ttl", plan.ttl_s.map(|s| s.to_string())),
        ] {
            if let Some(value) = value {
                command.arg(option).arg(value);
            }
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A Ctrl-C on the terminal is for the run, which then ends its replicas in order.
            .process_group(0)
            .spawn()?;
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let reader = keep_tail(&mut child, Arc::clone(&stderr));
        let mut replica = Self {
            stdin: child.stdin.take(),
            child,
            url: String::new(),
            before: None,
            stderr,
            reader,
            died: None,
        };
        match replica.make_ready(ring) {
            Ok(url) => {
                replica.url = url;
                replica.before = ProcessUsage::of(replica.child.id());
                Ok(replica)
            }
            Err(e) => {
                replica.stdin = None;
                replica.reap(Instant::now() + END);
                let tail = replica.tail();
                Err(if tail.is_empty() {
                    e
                } else {
                    anyhow!("{e:#}; it said: {}", tail.replace('\n', " | "))
                })
            }
        }
    }

    /// Hands the keys over and gives the address of the ready line.
    fn make_ready(&mut self, ring: &KeyRing) -> anyhow::Result<String> {
        let stdin = self.stdin.as_mut().context("it has no standard input")?;
        stdin
            .write_all(ring.to_secret_text().as_bytes())
            .and_then(|()| stdin.write_all(b"\n"))
            .and_then(|()| stdin.flush())
            .context("it does not take its keys")?;
        let stdout = self
            .child
            .stdout
            .take()
            .context("it has no standard output")?;
        let (line_read, line) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(stdout).read_line(&mut line).map(|_| line);
            // Nobody waits for it any more if this fails.
            let _ = line_read.send(read);
        });
        let line = match line.recv_timeout(START) {
            Ok(line) => line.context("its ready line cannot be read")?,
            Err(_) => bail!("it was not ready within {} s", START.as_secs()),
        };
        let ready: serde_json::Value =
            serde_json::from_str(&line).context("it ended before it was ready")?;
        ready["url"]
            .as_str()
            .map(str::to_owned)
            .context("its ready line names no url")
    }

    fn facts(&mut self) -> ReplicaFacts {
        let now = match self.died {
            None => ProcessUsage::of(self.child.id()),
            Some(_) => None,
        };
        let died = self.died.map(|status| {
            if let Some(reader) = self.reader.take() {
                // Its stderr has ended with it.
                let _ = reader.join();
            }
            ReplicaDeath {
                status: status.to_string(),
                stderr_tail: self.tail(),
            }
        });
        ReplicaFacts {
            url: self.url.clone(),
            started_by_run: true,
            died,
            cpu_s: now
                .zip(self.before)
                .map(|(now, before)| now.cpu.saturating_sub(before.cpu).as_secs_f64()),
            rss_bytes: now.map(|now| now.rss_bytes),
        }
    }

    fn tail(&self) -> String {
        let lines = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect::<Vec<_>>().join("\n")
    }

    /// Waits for the end, and forces it after `end`.
    fn reap(&mut self, end: Instant) {
        while Instant::now() < end {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        // It may have ended just now, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the child's stderr to its end in a thread of its own and keeps the last lines.
fn keep_tail(child: &mut Child, into: Arc<Mutex<VecDeque<String>>>) -> Option<JoinHandle<()>> {
    let stderr = child.stderr.take()?;
    Some(std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let mut lines = into.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() == TAIL_LINES {
                lines.pop_front();
            }
            lines.push_back(line);
        }
    }))
}
