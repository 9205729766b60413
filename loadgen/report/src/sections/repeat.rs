use loadgen_measure::RunResult;
use serde_json::Value;

use super::Section;
use crate::summary::Role;

/// Bytes of a scenario that a page shows; a longer one is cut.
const SHOWN_BYTES: usize = 64 << 10;

/// How to make the run again.
pub(super) fn commands(result: &RunResult) -> Section {
    let file = file_name(&result.scenario.name);
    Section::new("To repeat this run", |section| {
        let said = format!(
            "Save the scenario below as {file}; it is the same if its SHA-256 is {}. Then, with {} {}:",
            result.scenario.sha256, result.tool.name, result.tool.version
        );
        section.sentence("", Role::Quiet, &said);
        let check = format!("sha256sum {}", quoted(&file));
        section.quoted(&format!("{check}\n{}", command(result, &file)));
        let limits = "Limits that were given by --fail-if stand in the table of thresholds, and not in this \
                      command.";
        section.sentence("", Role::Quiet, limits);
    })
}

/// The scenario as it was run.
pub(super) fn scenario(result: &RunResult) -> Section {
    let text = &result.scenario.text;
    Section::new("Scenario as run", |section| {
        if text.is_empty() {
            section.sentence("", Role::Quiet, "The result does not hold its text.");
            return;
        }
        let mut end = text.len().min(SHOWN_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        section.quoted(&text[..end]);
        if end < text.len() {
            let left = format!("{} further bytes stand in result.json.", text.len() - end);
            section.sentence("", Role::Quiet, &left);
        }
    })
}

/// The command line with the seed and the options of the run. Limits that `--fail-if` gave are not among
/// those: a result does not tell them from the scenario's own.
fn command(result: &RunResult, file: &str) -> String {
    let mut words = vec![
        "loadgen".to_owned(),
        "run".to_owned(),
        quoted(file),
        "--seed".to_owned(),
        result.seed.to_string(),
    ];
    let others = result.options.iter().filter(|(name, _)| *name != "seed");
    for (name, value) in others {
        let values = match value {
            Value::Array(values) => &values[..],
            value => std::slice::from_ref(value),
        };
        for value in values {
            match value {
                Value::Bool(false) | Value::Null => {}
                Value::Bool(true) => words.push(quoted(&format!("--{name}"))),
                Value::String(text) => words.extend([quoted(&format!("--{name}")), quoted(text)]),
                other => words.extend([quoted(&format!("--{name}")), quoted(&other.to_string())]),
            }
        }
    }
    words.join(" ")
}

/// The name of a scenario as that of a file, without what leads elsewhere.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    format!("{}.toml", name.trim_start_matches(['.', '-']))
}

/// A word for a shell, in quotes where it needs them.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(
            quoted("http://127.0.0.1:9101/mcp"),
            "http://127.0.0.1:9101/mcp"
        );
        assert_eq!(quoted("a b; rm -r '$HOME'"), r"'a b; rm -r '\''$HOME'\'''");
        assert_eq!(quoted(""), "''");
        assert_eq!(file_name("../a b"), "_a_b.toml");
    }
}
