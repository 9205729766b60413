//! Programs that the tests talk to: our own replicas, fleets and clients on the official SDKs.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Says that a test cannot run here, and why. In CI, where nothing may be skipped, it fails it.
pub(crate) fn skip(reason: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "cannot run, and nothing may be skipped in CI: {reason}"
    );
    eprintln!("skipped: {reason}");
    if let Some(log) = std::env::var_os("LOADGEN_SKIP_LOG") {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .and_then(|mut log| writeln!(log, "{reason}"))
            .expect("LOADGEN_SKIP_LOG names a file that can be written");
    }
}

/// An official SDK under `scripts/peers`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sdk {
    Python,
    TypeScript,
}

/// An SDK whose servers and clients are installed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(Sdk);

impl Peer {
    /// Installs the SDK on first use; skips the test and gives `None` where that cannot be done.
    pub(crate) fn installed(sdk: Sdk) -> Option<Self> {
        static PYTHON: OnceLock<Result<(), String>> = OnceLock::new();
        static TYPE_SCRIPT: OnceLock<Result<(), String>> = OnceLock::new();
        let outcome = match sdk {
            Sdk::Python => &PYTHON,
            Sdk::TypeScript => &TYPE_SCRIPT,
        };
        match outcome.get_or_init(|| set_up(Self(sdk))) {
            Ok(()) => Some(Self(sdk)),
            Err(reason) => {
                skip(reason);
                None
            }
        }
    }

    /// The SDK's client: one JSON line per call, exit 1 if any failed. Every request goes to the
    /// next of `urls`.
    pub(crate) fn client(self, urls: &[String]) -> Command {
        let (program, script) = match self.0 {
            Sdk::Python => ("python/.venv/bin/python", "python/client.py"),
            Sdk::TypeScript => ("bin/node", "ts/client.mjs"),
        };
        let mut command = Command::new(peers_work().join(program));
        command.arg(peers_work().join(script)).args(urls);
        command
    }

    /// A Python program of ours among the peers, run by the Python that the SDK is installed for.
    pub(crate) fn python_program(self, name: &str) -> Command {
        let mut command = Command::new(peers_work().join("python/.venv/bin/python"));
        command.arg(workspace().join("scripts/peers/python").join(name));
        command
    }

    fn name(self) -> &'static str {
        match self.0 {
            Sdk::Python => "python",
            Sdk::TypeScript => "ts",
        }
    }
}

fn peers_work() -> PathBuf {
    workspace().join("target/peers")
}

fn set_up(peer: Peer) -> Result<(), String> {
    let done = Command::new(workspace().join("scripts/peers/setup"))
        .arg(peer.name())
        .env("PEERS_WORK", peers_work())
        .output()
        .map_err(|error| format!("scripts/peers/setup cannot be run: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(said.lines().last().unwrap_or("no reason given").to_owned())
}

/// A program that serves until it is dropped. It is told to end by SIGTERM, and by the end of its
/// standard input should the test be killed.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// What it printed when it was ready.
    ready: Value,
}

impl Server {
    /// Starts `command`, gives it `input` and waits for the JSON line that says it is ready. Its
    /// standard input stays open.
    fn start(command: &mut Command, input: &str) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server's program can be run");
        child
            .stdin
            .as_mut()
            .expect("stdin is piped")
            .write_all(input.as_bytes())
            .expect("the server reads its standard input");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("stdout is piped"))
            .read_line(&mut line)
            .expect("the ready line is text");
        let mut server = Self {
            child,
            ready: Value::Null,
        };
        server.ready = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("no ready line but {line:?}: {error}"));
        assert_eq!(server.ready["ready"], true, "{line}");
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to tell it.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// Our own replicas, each a process of its own, all with one key.
#[derive(Debug)]
pub(crate) struct Replicas(Vec<Server>);

impl Replicas {
    /// `options` go to every one of them.
    pub(crate) fn start(replicas: usize, options: &[&str]) -> Self {
        Self::start_each(&vec![options.to_vec(); replicas])
    }

    /// Each has options of its own.
    pub(crate) fn start_each(options: &[Vec<&str>]) -> Self {
        let key = "1:mint:bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE\n\n";
        let start = |(instance, options): (usize, &Vec<&str>)| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
            command.args(["replica", "--keys-from-stdin"]);
            command.args(["--instance", &instance.to_string()]);
            command.args(options);
            Server::start(&mut command, key)
        };
        Self(options.iter().enumerate().map(start).collect())
    }

    /// Gives one of them a line of docs/faults.md.
    pub(crate) fn tell(&mut self, replica: usize, line: &str) {
        let stdin = self.0[replica].child.stdin.as_mut();
        writeln!(stdin.expect("stdin is piped"), "{line}").expect("it reads");
    }

    /// One URL per replica.
    pub(crate) fn urls(&self) -> Vec<String> {
        let url = |server: &Server| server.ready["url"].as_str().expect("a URL").to_owned();
        self.0.iter().map(url).collect()
    }

    /// Where each says its metrics are.
    pub(crate) fn metrics(&self) -> Vec<String> {
        let url = |server: &Server| server.ready["metrics"].as_str().expect("a URL").to_owned();
        self.0.iter().map(url).collect()
    }

    /// What each says it seals its states with.
    pub(crate) fn algorithms(&self) -> Vec<&Value> {
        self.0
            .iter()
            .map(|server| &server.ready["algorithm"])
            .collect()
    }
}

/// Replicas on an official SDK, on free ports, sharing whatever key `env` names.
#[derive(Debug)]
pub(crate) struct Fleet(Server);

impl Fleet {
    pub(crate) fn start(peer: Peer, replicas: usize, env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(workspace().join("scripts/peers/fleet"));
        command
            .args([peer.name(), "start", &replicas.to_string(), "0"])
            .arg("--end-with-stdin")
            .env("PEERS_WORK", peers_work())
            .env_remove("REQUEST_STATE_KEY")
            .envs(env.iter().copied());
        Self(Server::start(&mut command, ""))
    }

    /// One URL per replica.
    pub(crate) fn urls(&self) -> Vec<String> {
        let urls = self.0.ready["urls"].as_array().expect("a list of URLs");
        let url = |url: &Value| url.as_str().expect("a URL").to_owned();
        urls.iter().map(url).collect()
    }
}
