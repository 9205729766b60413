//! A Redis of the tests' own: redis-server on a free port, in a folder of its own, keeping nothing.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::fixtures::skip;

/// Runs Redis until its own standard input closes, which it does also when the test is killed.
const SCRIPT: &str = r#"redis-server "$@" & exec >&-; cat >/dev/null; kill -KILL $!; wait $! 2>&-"#;

pub(crate) struct RedisServer {
    /// Its own folder, which goes with it.
    _folder: TempDir,
    port: u16,
    running: Child,
}

impl RedisServer {
    /// Starts one; skips the test and gives `None` where there is no redis-server.
    pub(crate) fn start() -> Option<Self> {
        if let Err(error) = Command::new("redis-server").arg("--version").output() {
            skip(&format!("redis-server cannot be run: {error}"));
            return None;
        }
        // Somebody else may take the port before Redis does.
        let started = (0..10).find_map(|_| Self::try_start());
        Some(started.expect("one of ten ports stays free"))
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    fn try_start() -> Option<Self> {
        let folder = TempDir::new().expect("a folder can be made");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.expect("a port is free").port();
        let running = Command::new("sh")
            .args(["-c", SCRIPT, "redis-server"])
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh can be run");
        let mut server = Self {
            _folder: folder,
            port,
            running,
        };
        let stdout = server.running.stdout.take().expect("it is piped");
        let up = BufReader::new(stdout)
            .lines()
            .map_while(Result::ok)
            .any(|line| line.contains("Ready to accept connections"));
        up.then_some(server)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.running.stdin.take());
        // It may have ended already.
        let _ = self.running.wait();
    }
}
