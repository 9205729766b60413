//! Messages of the TOML reader in the words of the scenario file: serde speaks of Rust's types.

/// The message with what was found and what was expected named as people who write TOML do. One that is
/// not about a type or value is left as it is.
pub(super) fn in_words(message: &str) -> String {
    let kinds = ["invalid type: ", "invalid value: "];
    let about = kinds.into_iter().find_map(|kind| {
        let (found, expected) = message.strip_prefix(kind)?.rsplit_once(", expected ")?;
        Some((kind, found, expected))
    });
    match about {
        Some((kind, found, expected)) => {
            format!(
                "{kind}{}, expected {}",
                found_words(found),
                expected_words(expected)
            )
        }
        None => message.to_owned(),
    }
}

fn expected_words(expected: &str) -> String {
    let most = match expected {
        "f32" | "f64" => return "a number".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => return "a whole number".to_owned(),
        // TOML's own integers end far below the highest of these.
        "u64" | "usize" => return "a whole number, 0 or more".to_owned(),
        "a boolean" | "bool" => return "true or false".to_owned(),
        "a sequence" => return "a list".to_owned(),
        "a map" => return "a table".to_owned(),
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        other if other.starts_with("struct ") => return "a table".to_owned(),
        other => return other.to_owned(),
    };
    format!("a whole number, 0 to {most}")
}

fn found_words(found: &str) -> String {
    match found.split_once(' ') {
        Some(("floating", rest)) => {
            format!("number {}", rest.strip_prefix("point ").unwrap_or(rest))
        }
        Some(("integer", rest)) => format!("number {rest}"),
        None if found == "map" => "a table".to_owned(),
        None if found == "sequence" => "a list".to_owned(),
        _ => found.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Scenario, Source};

    /// What is said about a scenario with these lines, without the place and the line itself.
    fn said(load: &str, workflow: &str) -> String {
        let text = format!("{load}\n[[workflow]]\ntool = \"echo\"\n{workflow}\n");
        let source = Source::new("x.toml", text);
        let error = Scenario::parse(&source).unwrap_err().to_string();
        let (message, _) = error.split_once(" in `").unwrap();
        message.splitn(4, ':').nth(3).unwrap().trim().to_owned()
    }

    #[test]
    fn no_message_names_a_type_of_rust() {
        for (load, workflow, want) in [
            ("load = 3", "", "invalid type: number `3`, expected a table"),
            (
                "load.rate_per_s = true",
                "",
                "invalid type: boolean `true`, expected a number",
            ),
            (
                "load.rate_per_s = [1]",
                "",
                "invalid type: a list, expected a number",
            ),
            (
                "load.concurrency = 1.5",
                "",
                "invalid type: number `1.5`, expected a whole number, 0 to 4294967295",
            ),
            (
                "load.concurrency = -1",
                "",
                "invalid value: number `-1`, expected a whole number, 0 to 4294967295",
            ),
            (
                "load.round_cap = 65536",
                "",
                "invalid value: number `65536`, expected a whole number, 0 to 65535",
            ),
            (
                "seed = -1\nload = {}",
                "",
                "invalid value: number `-1`, expected a whole number, 0 or more",
            ),
            (
                "load.precise = 1",
                "",
                "invalid type: number `1`, expected true or false",
            ),
            (
                "load.spread = 1",
                "",
                "invalid type: number `1`, expected a string",
            ),
            (
                "thresholds = \"x\"\nload = {}",
                "",
                "invalid type: string \"x\", expected a list",
            ),
            (
                "load = {}",
                "arguments = 1",
                "invalid type: number `1`, expected a table",
            ),
            (
                "load = {}",
                "think = 1",
                "invalid type: number `1`, expected a table",
            ),
            (
                "load = {}",
                "think = []",
                "invalid type: a list, expected a table",
            ),
            (
                "load = {}",
                "answers.roots = {}",
                "invalid type: a table, expected a list",
            ),
        ] {
            assert_eq!(said(load, workflow), want, "{load} {workflow}");
        }
    }
}
