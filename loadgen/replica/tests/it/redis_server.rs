//! A Redis of the tests' own: Debian's redis-server on a free port, in a folder of its own, keeping
//! nothing.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Runs Redis until its own standard input closes, which it does also when the test is killed.
const SCRIPT: &str = r#"redis-server "$@" & exec >&-; cat >/dev/null; kill -KILL $!; wait $! 2>&-"#;

pub(crate) struct RedisServer {
    folder: TempDir,
    port: u16,
    running: Option<Child>,
}

impl RedisServer {
    /// Starts one; skips the test and gives `None` where there is no redis-server.
    pub(crate) fn start() -> Option<Self> {
        if let Err(error) = Command::new("redis-server").arg("--version").output() {
            skip(&format!("redis-server cannot be run: {error}"));
            return None;
        }
        // Somebody else may take the port before Redis does.
        (0..10).find_map(|_| {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let mut server = Self {
                folder: TempDir::new().unwrap(),
                port: free.local_addr().unwrap().port(),
                running: None,
            };
            drop(free);
            server.run().then_some(server)
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Kills it, and with it everything it knew.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.running.take() {
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }

    /// Starts it on the same port after it was killed, empty.
    pub(crate) fn start_again(&mut self) {
        assert!(self.run(), "the port is free, since Redis had it");
    }

    /// Whether it came up.
    fn run(&mut self) -> bool {
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "redis-server"])
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let up = stdout
            .lines()
            .map_while(Result::ok)
            .any(|line| line.contains("Ready to accept connections"));
        self.running = Some(child);
        if !up {
            self.kill();
        }
        up
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Says that a test cannot run here, and why. In CI, where nothing may be skipped, it fails it.
fn skip(reason: &str) {
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
