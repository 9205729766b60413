use std::fmt;
use std::io::{self, BufWriter, ErrorKind, Stdout, Write as _};

use anstream::AutoStream;
use anyhow::Context as _;

/// Prints on stdout, without colours where they cannot be shown or are not wanted. A reader that
/// went away is no fault of ours; anything else that keeps the text from it is.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// The same for what is written piece by piece.
pub(crate) fn print_with(
    write: impl FnOnce(&mut BufWriter<AutoStream<Stdout>>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(anstream::stdout());
    let written = write(&mut out).and_then(|()| out.flush());
    unless_gone(written).context("cannot write to standard output")
}

/// Writes bytes on stdout as they are: another program reads them, so nothing is taken out of them.
pub(crate) fn print_raw(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    unless_gone(written).context("cannot write to standard output")
}

/// Writes one line on stderr. Where nobody can read it, there is nobody to tell that: what the
/// program does, a run with its result above all, must not depend on it.
pub(crate) fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", one_line(&line.to_string()));
}

/// The text with its control characters written out: a file, a scenario or a server may have given
/// names or words that would break the line or steer the terminal.
fn one_line(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|e| match e.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(e),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_stay_in_their_line() {
        assert_eq!(
            one_line("cannot: naïve\nx\u{1b}[31m"),
            "cannot: naïve\\nx\\u{1b}[31m"
        );
        assert_eq!(one_line("cannot read `a b`"), "cannot read `a b`");
    }

    #[test]
    fn only_a_reader_that_went_away_is_forgiven() {
        assert!(unless_gone(Err(ErrorKind::BrokenPipe.into())).is_ok());
        assert!(unless_gone(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
