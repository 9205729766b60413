use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::Deserialize;

use super::{Principal, Principals, hash, token::is_token};
use crate::surface::Tool;

/// Why a table of principals cannot be used. No variant holds a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrincipalsError {
    /// Not TOML, or a key is unknown, missing or of another type.
    #[error("line {line}: {what}")]
    Format {
        /// Counted from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// There is no `[[principal]]`.
    #[error("there is no [[principal]], so nobody could call")]
    Nobody,
    /// A value cannot be used.
    #[error("principal[{index}].{key} {what}")]
    Value {
        /// Which principal, counted from 0.
        index: usize,
        /// Which of its keys.
        key: String,
        /// What is wrong with it.
        what: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    principal: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    tokens: Vec<String>,
    tools: Option<Vec<String>>,
}

pub(super) fn parse(text: &str) -> Result<Principals, PrincipalsError> {
    let file: File = toml::from_str(text).map_err(|e| PrincipalsError::Format {
        line: text[..e.span().map_or(0, |span| span.start)]
            .matches('\n')
            .count()
            + 1,
        what: without_value(e.message()),
    })?;
    if file.principal.is_empty() {
        return Err(PrincipalsError::Nobody);
    }
    let mut table = Principals::default();
    let mut names = HashMap::new();
    for (index, row) in file.principal.into_iter().enumerate() {
        let wrong = |key: String, what: String| PrincipalsError::Value { index, key, what };
        let name = || "name".to_owned();
        if row.name.is_empty() || row.name.contains(char::is_control) {
            return Err(wrong(
                name(),
                "must not be empty or hold control characters".into(),
            ));
        }
        if let Some(other) = names.insert(row.name.clone(), index) {
            return Err(wrong(name(), format!("is that of principal[{other}] too")));
        }
        if row.tokens.is_empty() {
            return Err(wrong("tokens".into(), "must not be empty".into()));
        }
        for (n, token) in row.tokens.iter().enumerate() {
            let key = format!("tokens[{n}]");
            if !is_token(token) {
                let what = "must be letters, digits or -._~+/ and may end with = (RFC 6750)";
                return Err(wrong(key, what.into()));
            }
            match table.by_token.entry(hash(token)) {
                Entry::Vacant(free) => _ = free.insert(index),
                Entry::Occupied(taken) => {
                    let what = format!("is a token of principal[{}] already", taken.get());
                    return Err(wrong(key, what));
                }
            }
        }
        let tool = |(n, name): (usize, &String)| {
            Tool::of(name)
                .ok_or_else(|| wrong(format!("tools[{n}]"), format!("is no tool: {name:?}")))
        };
        let tools = row
            .tools
            .map(|tools| tools.iter().enumerate().map(tool).collect())
            .transpose()?;
        table.all.push(Principal {
            name: row.name,
            tools,
        });
    }
    Ok(table)
}

/// The message without the value that it complains of, which may be a token.
fn without_value(message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some((found, wanted)) if found.starts_with("invalid ") => format!("expected {wanted}"),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
        [[principal]]
        name = "alice"
        tokens = ["a1", "a2"]
        tools = ["echo"]

        [[principal]]
        name = "bob"
        tokens = ["b=="]
    "#;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn tokens_lead_to_their_principal_and_its_tools() {
        let table = parse(TWO).unwrap();
        assert_eq!(table.len(), 2);
        let of = |token| table.by_token(token).map(|p| table.name(p));
        assert_eq!(of("a1"), Some("alice"));
        assert_eq!(of("a2"), Some("alice"));
        assert_eq!(of("b=="), Some("bob"));
        for unknown in ["", "a", "A1", "b", "b="] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
        let may = |token, tool| table.may_call(table.by_token(token).unwrap(), tool);
        assert!(may("a1", Tool::Echo) && !may("a1", Tool::Wizard));
        assert!(may("b==", Tool::Echo) && may("b==", Tool::Wizard));
    }

    #[test]
    fn each_fault_is_named_with_its_place() {
        let row = |name: &str, rest: &str| format!("[[principal]]\nname = {name:?}\n{rest}\n");
        assert!(error("").contains("nobody"));
        let unknown = error(&row("a", "tokens = [\"t\"]\ntoken = \"x\""));
        assert!(
            unknown.starts_with("line 4: ") && unknown.contains("`token`"),
            "{unknown}"
        );
        assert!(error("[principals]").starts_with("line 1: "));
        assert!(error(&row("a", "")).contains("tokens"));
        assert!(error(&row("a", "tokens = \"t\"")).starts_with("line 3: "));
        let cases = [
            (row("", "tokens = [\"t\"]"), "principal[0].name"),
            (row("a", "tokens = []"), "principal[0].tokens must"),
            (row("a", "tokens = [\"t\", \"\"]"), "principal[0].tokens[1]"),
            (row("a", "tokens = [\"t u\"]"), "principal[0].tokens[0]"),
            (
                row("a", "tokens = [\"t\", \"t\"]"),
                "principal[0].tokens[1] is a token of",
            ),
            (
                row("a", "tokens = [\"t\"]\ntools = [\"no\"]"),
                "principal[0].tools[0]",
            ),
            (
                row("a", "tokens = [\"t\"]") + &row("a", "tokens = [\"u\"]"),
                "principal[1].name is that of principal[0]",
            ),
            (
                row("a", "tokens = [\"t\"]") + &row("b", "tokens = [\"u\", \"t\"]"),
                "principal[1].tokens[1] is a token of principal[0]",
            ),
        ];
        for (text, want) in cases {
            let told = error(&text);
            assert!(told.starts_with(want), "{told} for {text}");
        }
    }

    #[test]
    fn a_misplaced_token_is_not_repeated() {
        for (line, want) in [
            ("tokens = \"s3cret\"", "line 3: expected a sequence"),
            (
                "tokens = \"s3cret, expected s3cret\"",
                "line 3: expected a sequence",
            ),
            ("tokens = { a = \"s3cret\" }", "line 3: expected a sequence"),
            ("tokens = [73]", "line 3: expected a string"),
            (
                "tokens = [\"a\"]\ntools = \"s3cret\"",
                "line 4: expected a sequence",
            ),
        ] {
            let told = error(&format!("[[principal]]\nname = \"a\"\n{line}\n"));
            assert_eq!(told, want, "{line}");
        }
        assert_eq!(
            error("principal = \"s3cret\""),
            "line 1: expected a sequence"
        );
    }

    #[test]
    fn no_token_shows_in_print() {
        let shown = format!("{:?}", parse(TWO).unwrap());
        assert!(shown.contains("alice") && !shown.contains("a1") && !shown.contains("b=="));
    }
}
