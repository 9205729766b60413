use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use loadgen_measure::{ProcessUsage, ReplicaLimit};
use loadgen_seal::KeyRing;
use serde_json::Value;

/// How long a replica may take to be ready.
pub(super) const START: Duration = Duration::from_secs(20);
/// How long a replica may take to end once it was told to: longer than its own grace.
pub(super) const END: Duration = Duration::from_secs(8);
/// Last lines of a replica's stderr that are kept.
const TAIL_LINES: usize = 20;

/// Exit code of a replica that was not started in the right way.
const USAGE: i32 = 2;

/// A replica does not take what the scenario starts it with.
#[derive(Debug)]
pub(crate) struct WrongOptions;

impl fmt::Display for WrongOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it does not take what [fleet] gives it")
    }
}

impl std::error::Error for WrongOptions {}

/// One process of a replica. It ends when its standard input closes.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Closed to tell the replica to stop.
    stdin: Option<ChildStdin>,
    /// Lines of its standard output.
    lines: Receiver<String>,
    stderr: Arc<Mutex<VecDeque<String>>>,
    reader: Option<JoinHandle<()>>,
    /// What it had used when it was ready.
    before: Option<ProcessUsage>,
    /// What it had used when it was last looked at.
    last: Option<ProcessUsage>,
    /// Commands that it was given.
    told: u64,
    /// Algorithm and backend that it says it seals with.
    seals_with: Option<(String, String)>,
    /// Where it says that it records used states.
    store: Option<String>,
    /// The rate limit that it says it has.
    limit: Option<ReplicaLimit>,
}

impl Process {
    /// Starts it and hands the keys over. It is not ready yet.
    pub(super) fn spawn(mut command: Command, ring: &KeyRing) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A Ctrl-C on the terminal is for the run, which then ends its replicas in order.
            .process_group(0)
            .spawn()?;
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let reader = keep_tail(&mut child, Arc::clone(&stderr));
        let mut process = Self {
            stdin: child.stdin.take(),
            lines: read_lines(&mut child),
            child,
            stderr,
            reader,
            before: None,
            last: None,
            told: 0,
            seals_with: None,
            store: None,
            limit: None,
        };
        let keys = ring.to_secret_text();
        match process.write(&keys) {
            Ok(()) => Ok(process),
            Err(e) => Err(process.failed(e.context("it does not take its keys"))),
        }
    }

    /// Waits for its ready line and gives the address in it.
    pub(super) fn wait_ready(&mut self) -> anyhow::Result<String> {
        let line = match self.lines.recv_timeout(START) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Err(self.failed(late())),
            Err(RecvTimeoutError::Disconnected) => return Err(self.failed(early_end())),
        };
        self.ready(&line)
    }

    /// The address in its ready line, if that is there.
    pub(super) fn try_ready(&mut self, since: Instant) -> anyhow::Result<Option<String>> {
        match self.lines.try_recv() {
            Ok(line) => self.ready(&line).map(Some),
            Err(TryRecvError::Disconnected) => Err(self.failed(early_end())),
            Err(TryRecvError::Empty) if since.elapsed() > START => Err(self.failed(late())),
            Err(TryRecvError::Empty) => Ok(None),
        }
    }

    fn ready(&mut self, line: &str) -> anyhow::Result<String> {
        self.before = ProcessUsage::of(self.child.id());
        let ready: Value = serde_json::from_str(line).context("its first line is no ready line")?;
        let named = |key: &str| ready[key].as_str().map(str::to_owned);
        self.seals_with = named("algorithm").zip(named("backend"));
        self.store = named("store");
        self.limit = serde_json::from_value(ready["limit"].clone()).ok();
        let url = named("url");
        url.context("its ready line names no url")
    }

    /// Gives it a line of docs/faults.md. The answer to it is for [`Self::answer`].
    pub(super) fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        self.write(line)?;
        self.told += 1;
        Ok(())
    }

    /// What it answered to the last line, once it has.
    ///
    /// # Errors
    /// What it said against it, or that it has ended.
    pub(super) fn answer(&mut self) -> anyhow::Result<Option<()>> {
        loop {
            match self.lines.try_recv() {
                Ok(line) => {
                    let answer: Value = serde_json::from_str(&line).unwrap_or_default();
                    if answer["line"].as_u64() != Some(self.told) {
                        continue;
                    }
                    if answer["ok"] == true {
                        return Ok(Some(()));
                    }
                    bail!("{}", answer["error"].as_str().unwrap_or("it said no"));
                }
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => bail!("it has ended"),
            }
        }
    }

    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("it has no standard input")?;
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .context("it takes no commands")
    }

    /// What it has used, if it can be read.
    pub(super) fn used(&self) -> Option<ProcessUsage> {
        ProcessUsage::of(self.child.id())
    }

    /// Algorithm and backend that it seals with, once it is ready.
    pub(super) fn seals_with(&self) -> Option<&(String, String)> {
        self.seals_with.as_ref()
    }

    /// Where it records used states, once it is ready.
    pub(super) fn store(&self) -> Option<&String> {
        self.store.as_ref()
    }

    /// The rate limit that it has, once it is ready.
    pub(super) const fn limit(&self) -> Option<ReplicaLimit> {
        self.limit
    }

    /// From now on its processor time counts.
    pub(super) fn begin_count(&mut self) {
        self.before = self.used().or(self.before);
    }

    /// Processor time since it was ready, or its count began, as far as it was looked at.
    pub(super) fn cpu(&mut self) -> Option<Duration> {
        self.last = self.used().or(self.last);
        let (last, before) = self.last.zip(self.before)?;
        Some(last.cpu.saturating_sub(before.cpu))
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Tells it to end.
    pub(super) fn close(&mut self) {
        self.stdin = None;
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) {
        self.stdin = None;
        // It may have ended just now, and then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the end, and forces it at `end`.
    pub(super) fn reap(&mut self, end: Instant) {
        while Instant::now() < end {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        self.kill();
    }

    /// The last lines that it wrote to stderr.
    pub(super) fn tail(&self) -> String {
        let lines = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect::<Vec<_>>().join("\n")
    }

    /// The same once it has ended: all of them.
    pub(super) fn whole_tail(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            // Its stderr has ended with it.
            let _ = reader.join();
        }
        self.tail()
    }

    /// Ends what cannot be used, and puts what it said to the reason.
    fn failed(&mut self, reason: anyhow::Error) -> anyhow::Error {
        self.close();
        self.reap(Instant::now() + END);
        let tail = self.whole_tail();
        let told = if tail.is_empty() {
            reason
        } else {
            anyhow!("{reason:#}; it said: {}", tail.replace('\n', " | "))
        };
        match self.ended().and_then(|status| status.code()) {
            Some(USAGE) => told.context(WrongOptions),
            _ => told,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.close();
            self.reap(Instant::now() + END);
        }
    }
}

fn late() -> anyhow::Error {
    anyhow!("it was not ready within {} s", START.as_secs())
}

fn early_end() -> anyhow::Error {
    anyhow!("it ended before it was ready")
}

/// Reads the child's standard output to its end in a thread of its own.
fn read_lines(child: &mut Child) -> Receiver<String> {
    let (read, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Nobody waits for it any more if this fails; the pipe is read all the same.
                let _ = read.send(line);
            }
        });
    }
    lines
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
