use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use loadgen_measure::RunResult;
use rustix::process::Signal;

use super::server::{said, signal, spawn, words};
use crate::failure::Failure;
use crate::interrupts::Interrupts;

const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A loadgen program, which drives the load and starts the fleet itself.
#[derive(Debug)]
pub(super) struct Program {
    command: String,
    words: Vec<String>,
    scenario: PathBuf,
}

impl Program {
    pub(super) fn read(command: &str, scenario: &Path) -> Result<Self, String> {
        Ok(Self {
            command: command.to_owned(),
            words: words(command)?,
            scenario: scenario.to_owned(),
        })
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Lets it run the scenario, and reads the result. Interrupts are handed on; where a run would be left to
    /// itself, the program is killed.
    pub(super) async fn run(
        &self,
        seed: u64,
        folder: &Path,
        interrupts: &mut Interrupts,
    ) -> Result<RunResult, Failure> {
        let (log, file) = (folder.join("program.log"), folder.join("result.json"));
        if file.exists() {
            let removed = std::fs::remove_file(&file);
            removed.with_context(|| format!("cannot remove {}", file.display()))?;
        }
        let mut words = self.words.clone();
        words.push("run".to_owned());
        let seed = seed.to_string();
        let options = ["--seed", &seed, "--format", "quiet"].map(str::to_owned);
        words.extend(options);
        let mut paths = Vec::new();
        for path in [Path::new("--out"), folder, &self.scenario] {
            let text = path.to_str();
            let text = text.with_context(|| format!("{} is not UTF-8", path.display()))?;
            paths.push(text.to_owned());
        }
        words.extend(paths);
        let mut child = spawn(&words, &log)?;
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for a program")? {
                break status;
            }
            tokio::select! {
                () = interrupts.next() => signal(&child, Signal::INT),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if interrupts.wish().waits_no_longer(Instant::now()) {
                signal(&child, Signal::KILL);
            }
        };
        if !file.exists() {
            return Err(self.no_result(status, &log));
        }
        RunResult::load(&file).map_err(Failure::usage)
    }

    fn no_result(&self, status: ExitStatus, log: &Path) -> Failure {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        let why = anyhow!(
            "`{} run` ended without a result, {status}{}",
            self.command,
            said(log)
        );
        Failure::with_code(code.filter(|code| *code > 0).unwrap_or(1), why)
    }
}
