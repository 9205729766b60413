use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::net::TcpStream;

use crate::failure::Failure;

/// What stands for the port in a command and in an address.
pub(super) const PORT: &str = "{port}";
/// How long a server may take until it accepts connections.
const START: Duration = Duration::from_secs(30);
/// How long it may take to end once it was told to.
const END: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A server that can be started, on a port that it is told.
#[derive(Debug)]
pub(super) struct Server {
    command: String,
    words: Vec<String>,
    url: String,
}

/// Servers that were started. Dropping them ends them, and what they have started themselves.
#[derive(Debug, Default)]
pub(super) struct Servers {
    children: Vec<Started>,
    urls: Vec<String>,
}

#[derive(Debug)]
struct Started {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Server {
    /// Reads a command, and the address that it answers on.
    pub(super) fn read(command: &str, url: &str) -> Result<Self, String> {
        if !url.contains(PORT) {
            return Err(format!(
                "--url {url} has no {PORT}, which each server gets another one of"
            ));
        }
        Ok(Self {
            command: command.to_owned(),
            words: words(command)?,
            url: url.to_owned(),
        })
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Starts so many and waits until each accepts connections. What they write goes into files in the
    /// folder.
    pub(super) async fn start(&self, count: usize, folder: &Path) -> Result<Servers, Failure> {
        let mut servers = Servers::default();
        for number in 0..count {
            let port = free_port()?;
            let log = folder.join(format!("server-{number}.log"));
            let filled = self
                .words
                .iter()
                .map(|word| word.replace(PORT, &port.to_string()));
            let child = spawn(&filled.collect::<Vec<_>>(), &log)?;
            servers.children.push(Started { child, port, log });
            servers.urls.push(self.url.replace(PORT, &port.to_string()));
        }
        for server in &mut servers.children {
            server.wait_ready(&self.command).await?;
        }
        Ok(servers)
    }
}

impl Servers {
    pub(super) fn urls(&self) -> &[String] {
        &self.urls
    }
}

impl Started {
    async fn wait_ready(&mut self, command: &str) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            if TcpStream::connect(("localhost", self.port)).await.is_ok() {
                return Ok(());
            }
            let ended = self.child.try_wait().ok().flatten();
            let why = match ended {
                Some(status) => format!("ended at once, {status}"),
                None if begun.elapsed() > START => {
                    format!(
                        "accepts no connection on port {} after {START:?}",
                        self.port
                    )
                }
                None => {
                    tokio::time::sleep(LOOK_EVERY).await;
                    continue;
                }
            };
            let why = anyhow!("`{command}` {why}{}", said(&self.log));
            return Err(Failure::with_code(4, why));
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in &self.children {
            signal(&server.child, Signal::TERM);
        }
        let end = Instant::now() + END;
        for server in &mut self.children {
            while Instant::now() < end && matches!(server.child.try_wait(), Ok(None)) {
                std::thread::sleep(LOOK_EVERY);
            }
            // Also what it has started and left behind.
            signal(&server.child, Signal::KILL);
            let _ = server.child.wait();
        }
    }
}

/// The words of a command, as a shell splits them.
pub(super) fn words(command: &str) -> Result<Vec<String>, String> {
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err("the command is empty".to_owned()),
        None => Err(format!(
            "`{command}` has a quotation mark without its partner"
        )),
    }
}

/// Starts a command in a process group of its own, so that a Ctrl-C on the terminal is not for it. What it
/// writes goes into this file.
pub(super) fn spawn(words: &[String], log: &Path) -> Result<Child, Failure> {
    let open = || -> anyhow::Result<(File, File)> {
        let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let other = file.try_clone()?;
        Ok((file, other))
    };
    let (out, err) = open()?;
    let started = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .process_group(0)
        .spawn();
    started.map_err(|e| Failure::usage(anyhow!("cannot start `{}`: {e}", words[0])))
}

/// Sends a signal to a process that was started by [`spawn`], and to what it has started.
pub(super) fn signal(child: &Child, signal: Signal) {
    // It may have ended just now, and then there is nothing to do.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

/// The last line of a log, for a message.
pub(super) fn said(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("; it said: {}", line.trim()),
        None => String::new(),
    }
}

/// A port that nobody has at the moment.
fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let split = words("node 'my server.js' --port {port}").expect("it is whole");
        assert_eq!(split, ["node", "my server.js", "--port", "{port}"]);
        assert!(
            words("node 'x")
                .expect_err("half")
                .contains("quotation mark")
        );
        assert_eq!(words(" ").expect_err("nothing"), "the command is empty");
        let fixed = Server::read("x {port}", "http://127.0.0.1:80/mcp");
        assert!(
            fixed
                .expect_err("one port for all")
                .contains("has no {port}")
        );
    }
}
