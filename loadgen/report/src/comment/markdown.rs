use crate::summary::Block;
use crate::table::Table;
use crate::units::printable;

/// Writes a block behind what is there.
pub(super) fn write(text: &mut String, block: &Block) {
    match block {
        Block::Heading(heading) => *text += &format!("\n**{}**\n\n", escaped(heading)),
        Block::Verdict { word, line, .. } => {
            *text += &format!("\n**{}** {}\n\n", escaped(word), escaped(line));
        }
        Block::Sentence { mark, sentence, .. } => match mark.trim() {
            "" | "-" => *text += &format!("- {}\n", escaped(sentence)),
            mark => *text += &format!("- **{}** {}\n", escaped(mark), escaped(sentence)),
        },
        Block::Hanging {
            start, sentence, ..
        } => *text += &format!("  - {} {}\n", escaped(start.trim()), escaped(sentence)),
        Block::Line(line) if line.trim().is_empty() => {}
        Block::Line(line) => *text += &format!("- {}\n", escaped(line.trim())),
        Block::Quoted(lines) => *text += &fenced(lines),
        Block::Table(rows) => *text += &format!("\n{}\n", table(rows)),
    }
}

/// A table, with its numbers on the right.
pub(super) fn table(table: &Table) -> String {
    let head = table.full_head();
    let row = |cells: &[String]| {
        let cells = (0..head.len()).map(|n| cells.get(n).map_or(String::new(), |c| escaped(c)));
        format!("| {} |\n", cells.collect::<Vec<String>>().join(" | "))
    };
    let rule = (0..head.len()).map(|n| if n < table.left() { "---" } else { "---:" });
    let rule = rule.collect::<Vec<&str>>().join(" | ");
    let body: String = table.body().iter().map(|cells| row(cells)).collect();
    format!("{}| {rule} |\n{body}", row(&head))
}

/// One line of text in which nothing has a meaning: neither to Markdown (every ASCII mark may stand behind
/// a backslash; CommonMark 0.31, 2.4) nor to HTML, nor to a forge that links names and numbers.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '&' => safe += "&amp;",
            // An empty remark parts the mark from what follows, so that nobody is called.
            '@' | '#' => {
                safe.push('\\');
                safe.push(c);
                safe += "<!-- -->";
            }
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '!' | '|' | '~' | '$' | '^' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Lines as they are, behind a fence that is longer than any in them.
fn fenced(lines: &str) -> String {
    let ticks = lines.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((ticks + 1).max(3));
    let lines: Vec<String> = lines.lines().map(printable).collect();
    format!("\n{fence}text\n{}\n{fence}\n\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_has_a_meaning() {
        assert_eq!(
            escaped("a|b <img> ![x](y) @all #1 `c`\n# d"),
            "a\\|b &lt;img&gt; \\!\\[x\\](y) \\@<!-- -->all \\#<!-- -->1 \\`c\\` \\#<!-- --> d"
        );
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        let text = fenced("a\n````\nb");
        assert!(text.starts_with("\n`````text\n") && text.ends_with("\n`````\n\n"));
    }
}
