use anstyle::{AnsiColor, Style as Ansi};

use super::text::{Block, Role, Style};
use crate::table::Table;
use crate::units::printable;

/// Columns of a line.
const WIDTH: usize = 98;

/// Blocks as lines for a terminal.
pub(super) struct Terminal {
    style: Style,
    text: String,
}

impl Terminal {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            text: String::new(),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn write(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => {
                let heading = self.paint(Role::Heading, &printable(heading));
                self.line("");
                self.line(&heading);
            }
            Block::Verdict { role, word, line } => {
                let word = self.paint(*role, word);
                self.line(&format!("{word}  {line}"));
            }
            Block::Sentence {
                mark,
                role,
                sentence,
            } => self.sentence(mark, *role, sentence),
            Block::Hanging {
                start,
                indent,
                sentence,
            } => self.hanging(start, *indent, sentence),
            Block::Line(line) => self.line(line),
            Block::Quoted(lines) => {
                for line in lines.lines() {
                    self.line(&format!("    | {}", printable(line)));
                }
            }
            Block::Table(table) => self.table(table),
        }
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn sentence(&mut self, mark: &str, role: Role, sentence: &str) {
        let indent = 2 + if mark.is_empty() { 0 } else { mark.len() + 1 };
        let start = match mark {
            "" => " ".repeat(indent),
            mark => format!("  {} ", self.paint(role, mark)),
        };
        self.hanging(&start, indent, sentence);
    }

    /// Breaks between words into lines of at most [`WIDTH`] columns; words that are wider than a line
    /// are broken too.
    fn hanging(&mut self, start: &str, indent: usize, sentence: &str) {
        let widest = WIDTH.saturating_sub(indent).max(1);
        let mut line = String::new();
        let mut lines = Vec::new();
        for word in printable(sentence).split_whitespace() {
            for piece in pieces(word, widest) {
                let width = line.chars().count() + 1 + piece.chars().count();
                if !line.is_empty() && indent + width > WIDTH {
                    lines.push(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line += piece;
            }
        }
        lines.push(line);
        for (index, line) in lines.iter().enumerate() {
            let start = if index == 0 {
                start
            } else {
                &" ".repeat(indent)
            };
            self.line(&format!("{start}{line}"));
        }
    }

    fn table(&mut self, table: &Table) {
        for (index, line) in table.lines().into_iter().enumerate() {
            let line = if index == 0 {
                self.paint(Role::Quiet, &line)
            } else {
                line
            };
            self.line(&line);
        }
    }

    pub(super) fn paint(&self, role: Role, text: &str) -> String {
        if self.style == Style::Plain {
            return text.to_owned();
        }
        let ansi = match role {
            Role::Heading => Ansi::new().bold(),
            Role::Good => Ansi::new().bold().fg_color(Some(AnsiColor::Green.into())),
            Role::Bad => Ansi::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Role::Warning => Ansi::new().fg_color(Some(AnsiColor::Yellow.into())),
            Role::Quiet => Ansi::new().dimmed(),
        };
        format!("{ansi}{text}{ansi:#}")
    }
}

/// A word in pieces of at most so many characters.
fn pieces(word: &str, widest: usize) -> impl Iterator<Item = &str> {
    let starts = word.char_indices().step_by(widest).map(|(start, _)| start);
    let ends = starts.clone().skip(1).chain([word.len()]);
    starts.zip(ends).map(|(start, end)| &word[start..end])
}
