use std::io::{self, BufRead, Read as _, Write as _};

use anyhow::Context as _;
use loadgen_replica::{Command, CommandError, Replica};
use serde_json::{Map, Value};

use crate::console;

/// The longest line, in bytes.
const LINE_MAX: u64 = 64 << 10;

/// What a replica is told about its faults and its keys.
#[derive(Debug, clap::Args)]
pub(crate) struct ControlArgs {
    /// Misbehave from the start, as a line of docs/faults.md says; can be repeated.
    #[arg(long = "fault", value_name = "JSON")]
    faults: Vec<String>,
}

impl ControlArgs {
    /// Reads the lines.
    ///
    /// # Errors
    /// Names the first that is no command.
    pub(crate) fn commands(&self) -> anyhow::Result<Vec<Command>> {
        // The line itself is not repeated, since it may hold a key.
        let read = |(number, line): (usize, &String)| {
            Command::parse(line).with_context(|| format!("--fault {number}"))
        };
        (1..).zip(&self.faults).map(read).collect()
    }
}

/// Obeys what was said at the start.
///
/// # Errors
/// Names the first that cannot be obeyed.
pub(crate) fn obey_all(replica: &Replica, commands: Vec<Command>) -> anyhow::Result<()> {
    for (number, command) in (1..).zip(commands) {
        replica
            .obey(command)
            .with_context(|| format!("--fault {number}"))?;
    }
    Ok(())
}

/// Obeys each line of standard input and answers it on standard output. Returns when nothing more
/// can come.
pub(crate) fn obey_stdin(replica: &Replica) {
    let mut from = io::stdin().lock();
    let mut number = 0_u64;
    while let Some(line) = next_line(&mut from) {
        number += 1;
        if matches!(&line, Ok(text) if text.trim().is_empty()) {
            continue;
        }
        let obeyed = line.and_then(|text| Command::parse(&text).and_then(|c| replica.obey(c)));
        if let Err(error) = &obeyed {
            console::say(format_args!(
                "loadgen replica: line {number} of standard input: {error}"
            ));
        }
        // The lines count even where nobody reads the answers.
        let mut stdout = io::stdout().lock();
        let _ = writeln!(stdout, "{}", answer(number, obeyed)).and_then(|()| stdout.flush());
    }
}

fn answer(number: u64, obeyed: Result<Map<String, Value>, CommandError>) -> Value {
    let mut answer = Map::new();
    answer.insert("ok".to_owned(), obeyed.is_ok().into());
    answer.insert("line".to_owned(), number.into());
    match obeyed {
        Ok(told) => answer.extend(told),
        Err(error) => {
            answer.insert("error".to_owned(), error.to_string().into());
        }
    }
    answer.into()
}

/// The next line without its end; `None` when nothing more can come. What is too long or no text is
/// an error of its line alone.
fn next_line(from: &mut impl BufRead) -> Option<Result<String, CommandError>> {
    let mut line = Vec::new();
    let read = from.take(LINE_MAX).read_until(b'\n', &mut line);
    if !matches!(read, Ok(1..)) {
        return None;
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LINE_MAX {
        skip_line(from);
        let why = format!("a line has at most {LINE_MAX} bytes");
        return Some(Err(CommandError::Syntax(why)));
    }
    Some(
        String::from_utf8(line)
            .map_err(|_| CommandError::Syntax("a line is text in UTF-8".to_owned())),
    )
}

fn skip_line(from: &mut impl BufRead) {
    let mut end = false;
    while !end {
        let Ok(held @ [_, ..]) = from.fill_buf() else {
            return;
        };
        let line_end = held.iter().position(|&b| b == b'\n');
        let used = line_end.map_or(held.len(), |at| at + 1);
        end = line_end.is_some();
        from.consume(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_one_by_one_and_bad_ones_spoil_no_other() {
        let mut text = b"{}\n\nx\xff\n".to_vec();
        text.resize(text.len() + 200_000, b'y');
        text.extend_from_slice(b"\nlast");
        let mut from = io::BufReader::with_capacity(100, &text[..]);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut from) {
            lines.push(line.map_err(|error| error.to_string()));
        }
        let (long, binary) = ("a line has at most 65536 bytes", "a line is text in UTF-8");
        assert_eq!(
            lines,
            [
                Ok("{}\n".to_owned()),
                Ok("\n".to_owned()),
                Err(binary.to_owned()),
                Err(long.to_owned()),
                Ok("last".to_owned()),
            ]
        );
    }
}
