use super::terminal::Terminal;
use crate::table::Table;

/// Whether a summary carries terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// With ANSI escape codes.
    Coloured,
}

/// What a piece of text is, and so how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Heading,
    Good,
    Bad,
    Warning,
    Quiet,
}

/// A piece of a summary, before a terminal, a page or a comment gives it a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    Heading(String),
    /// A word of judgement and what it is about.
    Verdict {
        role: Role,
        word: String,
        line: String,
    },
    /// A sentence, perhaps behind a mark.
    Sentence {
        mark: String,
        role: Role,
        sentence: String,
    },
    /// A sentence below the one before, behind a start that is so wide.
    Hanging {
        start: String,
        indent: usize,
        sentence: String,
    },
    /// A line that is not broken; an empty one parts what stands around it.
    Line(String),
    /// Lines of somebody else, as they are.
    Quoted(String),
    Table(Table),
}

/// A summary under construction.
pub(crate) struct Text {
    style: Style,
    blocks: Vec<Block>,
}

impl Text {
    pub(crate) fn new(style: Style) -> Self {
        Self {
            style,
            blocks: Vec::new(),
        }
    }

    /// As text for a terminal.
    pub(crate) fn finish(self) -> String {
        let mut terminal = Terminal::new(self.style);
        self.blocks.iter().for_each(|block| terminal.write(block));
        terminal.finish()
    }

    /// As what it is made of.
    pub(crate) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.blocks.push(Block::Line(line.to_owned()));
    }

    /// A word of a line as its role looks in a terminal, where that has colours.
    pub(crate) fn paint(&self, role: Role, word: &str) -> String {
        Terminal::new(self.style).paint(role, word)
    }

    /// The first line of a summary.
    pub(crate) fn verdict(&mut self, word: &str, role: Role, line: &str) {
        self.blocks.push(Block::Verdict {
            role,
            word: word.to_owned(),
            line: line.to_owned(),
        });
    }

    /// An empty line, then a heading.
    pub(crate) fn heading(&mut self, heading: &str) {
        self.blocks.push(Block::Heading(heading.to_owned()));
    }

    /// A sentence, in a terminal broken between words and indented by two.
    pub(crate) fn sentence(&mut self, mark: &str, role: Role, sentence: &str) {
        self.blocks.push(Block::Sentence {
            mark: mark.to_owned(),
            role,
            sentence: sentence.to_owned(),
        });
    }

    /// A sentence behind a start that is so wide, broken like [`Text::sentence`].
    pub(crate) fn hanging(&mut self, start: &str, indent: usize, sentence: &str) {
        self.blocks.push(Block::Hanging {
            start: start.to_owned(),
            indent,
            sentence: sentence.to_owned(),
        });
    }

    pub(crate) fn quoted(&mut self, lines: &str) {
        self.blocks.push(Block::Quoted(lines.to_owned()));
    }

    pub(crate) fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }

    pub(crate) fn table(&mut self, table: &Table) {
        self.blocks.push(Block::Table(table.clone()));
    }
}
