use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::HeaderValue;
use rand::RngExt;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::content::text;
use crate::schedule::workflow_rng;

/// Largest list of tokens, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Longest time that a command may take to print the tokens.
const PATIENCE: Duration = Duration::from_secs(30);
/// Mixed into the seed: who a workflow is depends on nothing else that is drawn for it.
const STREAM: u64 = 0x7072_696e_6369_7061;

/// On whose behalf workflows are sent. No token is ever printed, not in a debug form either.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Principals {
    /// `Authorization` values, marked as sensitive.
    tokens: Arc<[HeaderValue]>,
    command: Option<TokensCommand>,
}

/// What prints the tokens, and where it is run.
#[derive(Debug, Clone, PartialEq)]
struct TokensCommand {
    program: String,
    arguments: Vec<String>,
    folder: PathBuf,
}

impl Principals {
    pub(super) fn from_file(path: &Path) -> Result<Self, String> {
        let shown = path.display().to_string();
        let text = text(path, MAX_BYTES).map_err(|why| format!("{shown}: {why}"))?;
        Ok(Self {
            tokens: read(&shown, &text)?,
            command: None,
        })
    }

    pub(super) fn from_command(program: &str, arguments: &[String], folder: PathBuf) -> Self {
        Self {
            tokens: Arc::default(),
            command: Some(TokensCommand {
                program: program.to_owned(),
                arguments: arguments.to_vec(),
                folder,
            }),
        }
    }

    /// How many tokens there are; 0 without any, and before a command was run.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the scenario names any, from a list or from a command that is yet to be run.
    #[must_use]
    pub fn given(&self) -> bool {
        self.count() > 0 || self.command.is_some()
    }

    /// The program that prints the tokens, if one does.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.command.as_ref().map(|c| c.program.as_str())
    }

    /// Runs the command that prints the tokens, if there is one, in the folder of the scenario. It is
    /// killed when nobody waits for it any more. Needs a runtime with I/O and time.
    ///
    /// # Errors
    /// When it cannot be started, fails, takes more than 30 s, or prints no tokens or bad ones.
    pub async fn prepare(&mut self) -> Result<(), String> {
        let Some(command) = &self.command else {
            return Ok(());
        };
        let printed = command.run().await?;
        self.tokens = read(&format!("the output of {}", command.program), &printed)?;
        Ok(())
    }

    /// The principal that is drawn for a number, a position in the list: a pure function of seed and
    /// number. 0 where there are no tokens.
    pub(super) fn drawn(&self, seed: u64, number: u64) -> usize {
        match self.tokens.len() {
            0 | 1 => 0,
            count => workflow_rng(seed ^ STREAM, number).random_range(0..count),
        }
    }

    /// The `Authorization` value of a principal; `None` where there are no tokens.
    pub(crate) fn token(&self, principal: usize) -> Option<&HeaderValue> {
        self.tokens.get(principal)
    }
}

impl TokensCommand {
    async fn run(&self) -> Result<String, String> {
        self.printed()
            .await
            .map_err(|why| format!("tokens_command {}: {why}", self.program))
    }

    /// All that it prints, once it has ended well.
    async fn printed(&self) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        if !self.folder.as_os_str().is_empty() {
            command.current_dir(&self.folder);
        }
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let output = child.stdout.take().expect("its standard output is a pipe");
        let mut output = output.take(MAX_BYTES + 1);
        let mut bytes = Vec::new();
        let ended = async {
            output.read_to_end(&mut bytes).await?;
            // Of one that prints on nobody waits for the end.
            match bytes.len() as u64 > MAX_BYTES {
                true => Ok(None),
                false => child.wait().await.map(Some),
            }
        };
        let status = timeout(PATIENCE, ended)
            .await
            .map_err(|_| format!("it takes more than {} s", PATIENCE.as_secs()))?
            .map_err(|error: std::io::Error| error.to_string())?;
        match status {
            None => Err("it prints without end".to_owned()),
            Some(status) if !status.success() => Err(format!("it ended with {status}")),
            Some(_) => {
                String::from_utf8(bytes).map_err(|_| "it prints no text in UTF-8".to_owned())
            }
        }
    }
}

/// One token a line; empty lines and those that begin with `#` are passed over.
fn read(from: &str, text: &str) -> Result<Arc<[HeaderValue]>, String> {
    let mut tokens = Vec::new();
    for (line, token) in (1..).zip(text.lines()) {
        let token = token.trim();
        if token.is_empty() || token.starts_with('#') {
            continue;
        }
        // The grammar of RFC 6750, section 2.1. The token itself is not repeated.
        let good = token
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b));
        let value = HeaderValue::try_from(format!("Bearer {token}"));
        let (true, Ok(mut value)) = (good, value) else {
            return Err(format!(
                "line {line} of {from} is no bearer token: letters, digits and -._~+/= alone"
            ));
        };
        value.set_sensitive(true);
        tokens.push(value);
    }
    if tokens.is_empty() {
        return Err(format!("{from} holds no token"));
    }
    Ok(tokens.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workflow_keeps_its_principal_and_all_are_drawn() {
        let principals = Principals {
            tokens: read("x", "# who\nada\n\n  bo \ncy\n").unwrap(),
            command: None,
        };
        assert_eq!(principals.count(), 3);
        let mut seen = std::collections::BTreeMap::new();
        for id in 0..900 {
            let principal = principals.drawn(4, id);
            assert_eq!(principals.drawn(4, id), principal);
            let token = principals.token(principal).unwrap();
            *seen.entry(token.to_str().unwrap()).or_insert(0_u32) += 1;
        }
        assert_eq!(
            seen.keys().copied().collect::<Vec<_>>(),
            ["Bearer ada", "Bearer bo", "Bearer cy"]
        );
        // Three sigma of a binomial with n = 900, p = 1/3 is 42.
        assert!(seen.values().all(|n| n.abs_diff(300) < 43), "{seen:?}");
        let none = Principals::default();
        assert_eq!(none.token(none.drawn(4, 1)), None);
    }

    #[test]
    fn no_token_is_repeated_in_messages_or_debug_forms() {
        let error = read("x", "good\nse cret\n").unwrap_err();
        assert!(
            error.starts_with("line 2 of x is no bearer token"),
            "{error}"
        );
        assert!(!error.contains("cret"), "{error}");
        let principals = Principals {
            tokens: read("x", "secret").unwrap(),
            command: None,
        };
        assert!(!format!("{principals:?}").contains("secret"));
        assert!(
            read("x", "\n# none\n")
                .unwrap_err()
                .contains("holds no token")
        );
    }

    #[test]
    fn a_command_prints_the_tokens_and_its_failure_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let made = |script: &str| {
            let arguments = ["-c".to_owned(), script.to_owned()];
            let mut principals = Principals::from_command("sh", &arguments, PathBuf::new());
            runtime
                .block_on(principals.prepare())
                .map(|()| principals.count())
        };
        assert_eq!(made("printf 'a\\nb\\n'"), Ok(2));
        assert!(
            made("echo a; exit 3")
                .unwrap_err()
                .contains("exit status: 3")
        );
        assert!(made("true").unwrap_err().contains("holds no token"));
        let mut missing = Principals::from_command("./no-such-program", &[], PathBuf::new());
        assert!(
            runtime
                .block_on(missing.prepare())
                .unwrap_err()
                .starts_with("tokens_command ./no-such-program")
        );
    }
}
