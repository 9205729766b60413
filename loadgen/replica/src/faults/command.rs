use std::fmt;

use loadgen_seal::{Key, KeyId, KeyRing, KeyRingError, Role, RotationError};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::faults::millis::Millis;
use crate::limit::{LimitError, Rate, RateError};

/// One line of the language in which a replica is told to misbehave: a JSON object with one member.
#[derive(Debug)]
pub struct Command(pub(crate) Verb);

/// What a line says.
#[derive(Debug)]
pub(crate) enum Verb {
    /// Adds these faults to those that are set, or takes those away whose value is null or false.
    Set(Map<String, Value>),
    /// Ends every fault.
    Clear,
    /// Answers nothing for this long from now on.
    Freeze(Millis),
    /// Opens states of this key too.
    Accept(Key),
    /// Mints with the key of this id.
    Mint(KeyId),
    /// Forgets the key of this id.
    Drop(KeyId),
    /// Admits this rate from now on, or everything.
    Limit(Option<Rate>),
    /// Changes nothing and tells what is set and how often it made a difference.
    Show,
}

/// Why a line was not obeyed. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The line is no command.
    #[error("{0}")]
    Syntax(String),
    /// A key is not known or has a value that it cannot have.
    #[error("{path}: {message}")]
    Value {
        /// The key, behind those that hold it.
        path: String,
        /// What is wrong with it and what would be right.
        message: String,
    },
    /// A key does nothing beside those that are set.
    #[error("{0}")]
    Useless(&'static str),
    /// The text of a key cannot be read.
    #[error("keys.accept: {0}")]
    Key(KeyRingError),
    /// The key says that it mints.
    #[error("keys.accept: the role must be accept; make the key mint by keys.mint afterwards")]
    Role,
    /// The ring cannot be changed so.
    #[error("keys: {0}")]
    Rotation(RotationError),
    /// There is no limit that could be changed.
    #[error("limit: the replica was started without --limit")]
    NoLimit,
    /// The limit cannot be kept.
    #[error("limit: {0}")]
    Limit(LimitError),
}

/// What every line must be.
const FORM: &str = "a line must be one JSON object with one member";
/// What the member can be.
const VERBS: &str = "set, clear, freeze_ms, keys, limit or show";

/// The line as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Set(Map<String, Value>),
    Clear(Yes),
    FreezeMs(Millis),
    Keys(Change),
    Limit(Option<RateText>),
    Show(Yes),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Change {
    Accept(String),
    Mint(u8),
    Drop(u8),
}

/// A rate as `--limit` takes it.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct RateText(Rate);

/// The value of a command that has none.
#[derive(Deserialize)]
#[serde(try_from = "bool")]
struct Yes;

impl Command {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is no command; the error names what would be right.
    pub fn parse(line: &str) -> Result<Self, CommandError> {
        let mut json = serde_json::Deserializer::from_str(line);
        let read: Line = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| CommandError::of_path("", &error))?;
        json.end()
            .map_err(|_| CommandError::Syntax("a line holds one JSON object and no more".into()))?;
        Ok(Self(match read {
            Line::Set(faults) => Verb::Set(faults),
            Line::Clear(Yes) => Verb::Clear,
            Line::FreezeMs(time) => Verb::Freeze(time),
            Line::Show(Yes) => Verb::Show,
            Line::Limit(rate) => Verb::Limit(rate.map(|RateText(rate)| rate)),
            Line::Keys(Change::Mint(id)) => Verb::Mint(KeyId(id)),
            Line::Keys(Change::Drop(id)) => Verb::Drop(KeyId(id)),
            Line::Keys(Change::Accept(text)) => match KeyRing::parse_key(&text)? {
                (Role::Accept, key) => Verb::Accept(key),
                (Role::Mint, _) => return Err(CommandError::Role),
            },
        }))
    }
}

// Both messages hold their cause's, which is therefore no source: printed with its chain, an error
// would say it twice.
impl From<KeyRingError> for CommandError {
    fn from(error: KeyRingError) -> Self {
        Self::Key(error)
    }
}

impl From<RotationError> for CommandError {
    fn from(error: RotationError) -> Self {
        Self::Rotation(error)
    }
}

impl From<LimitError> for CommandError {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl CommandError {
    /// An error of serde's, with the path to what is wrong and without its place in the text, which
    /// is one line.
    pub(super) fn of_path<E: fmt::Display>(
        above: &str,
        error: &serde_path_to_error::Error<E>,
    ) -> Self {
        let message = error.inner().to_string();
        let message = in_words(message.split(" at line ").next().unwrap_or_default());
        let message = message.as_str();
        let mut path: Vec<String> = [above.to_owned(), error.path().to_string()].into();
        path.retain(|part| !part.is_empty() && part != "." && part != "?");
        if let Some((key, valid)) = unknown(message, "unknown field `") {
            let named = path
                .last()
                .is_some_and(|last| last.rsplit('.').next() == Some(key));
            if !named {
                path.push(key.to_owned());
            }
            return Self::Value {
                path: path.join("."),
                message: match nearest(key, &valid) {
                    Some(near) => format!("no such key; the nearest is {near}"),
                    None => format!("no such key; there are {}", valid.join(", ")),
                },
            };
        }
        if path.is_empty() {
            return Self::Syntax(match unknown(message, "unknown variant `") {
                Some((verb, valid)) => {
                    format!("{verb}: no such command; there are {}", valid.join(", "))
                }
                // All that serde says to `{}` and to text that is none.
                None if message == "expected value" => format!("{FORM}, which is {VERBS}"),
                None => format!("{FORM}: {message}"),
            });
        }
        let message = if path[0].starts_with("keys") {
            without_key(message)
        } else {
            message.to_owned()
        };
        Self::Value {
            path: path.join("."),
            message,
        }
    }
}

impl TryFrom<String> for RateText {
    type Error = RateError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl TryFrom<bool> for Yes {
    type Error = &'static str;

    fn try_from(yes: bool) -> Result<Self, Self::Error> {
        if yes {
            Ok(Self)
        } else {
            Err("the value must be true")
        }
    }
}

/// The message with the types of this program in words.
fn in_words(message: &str) -> String {
    const TYPES: [(&str, &str); 6] = [
        ("a nonzero u32", "a whole number from 1 to 4294967295"),
        ("u64", "a whole number"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u16", "a whole number from 0 to 65535"),
        ("u8", "a whole number from 0 to 255"),
        ("f64", "a number"),
    ];
    if let Some((found, wanted)) = message.rsplit_once(", expected ")
        && let Some((_, words)) = TYPES.iter().find(|(name, _)| *name == wanted)
    {
        return format!("{found}, expected {words}");
    }
    message.to_owned()
}

/// The message without the text that it complains of, which may be a key.
fn without_key(message: &str) -> String {
    if let Some((_, valid)) = unknown(message, "unknown variant `") {
        return format!("no such change; there are {}", valid.join(", "));
    }
    match message.rsplit_once(", expected ") {
        Some((found, wanted)) if found.contains(": string ") => {
            format!("invalid type: string, expected {wanted}")
        }
        _ => message.to_owned(),
    }
}

/// The unknown name and the valid ones of serde's message about it.
fn unknown<'a>(message: &'a str, prefix: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let (name, rest) = message.strip_prefix(prefix)?.split_once('`')?;
    Some((name, rest.split('`').skip(1).step_by(2).collect()))
}

/// The valid name that looks most like `name`, if any looks like it at all.
fn nearest<'a>(name: &str, valid: &[&'a str]) -> Option<&'a str> {
    let score = |candidate: &str| strsim::normalized_damerau_levenshtein(name, candidate);
    valid
        .iter()
        .copied()
        .max_by(|a, b| score(a).total_cmp(&score(b)))
        .filter(|best| score(best) >= 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        Command::parse(line).unwrap_err().to_string()
    }

    #[test]
    fn each_command_is_read() {
        let verb = |line: &str| Command::parse(line).unwrap().0;
        assert!(matches!(verb(r#"{"set":{"latency_ms":5}}"#), Verb::Set(m) if m.len() == 1));
        assert!(matches!(verb(r#"{"clear":true}"#), Verb::Clear));
        assert!(
            matches!(verb(r#" {"freeze_ms": 2000} "#), Verb::Freeze(t) if t.get().as_secs() == 2)
        );
        assert!(matches!(verb(r#"{"limit":null}"#), Verb::Limit(None)));
        assert!(
            matches!(verb(r#"{"limit":"20/min"}"#), Verb::Limit(Some(rate)) if rate.per_s() < 0.4)
        );
        assert!(matches!(verb(r#"{"show":true}"#), Verb::Show));
        assert!(matches!(
            verb(r#"{"keys":{"mint":2}}"#),
            Verb::Mint(KeyId(2))
        ));
        assert!(matches!(
            verb(r#"{"keys":{"drop":1}}"#),
            Verb::Drop(KeyId(1))
        ));
        let key = Key::generate(KeyId(9), None).to_secret_line(Role::Accept);
        let line = serde_json::json!({ "keys": { "accept": &*key } }).to_string();
        assert!(matches!(verb(&line), Verb::Accept(key) if key.id() == KeyId(9)));
    }

    #[test]
    fn what_is_no_command_is_refused_with_what_would_be_right() {
        for (bad, says) in [
            ("", "a line must be one JSON object with one member: EOF"),
            ("latency", "a line must be one JSON object"),
            ("[]", "a line must be one JSON object"),
            (
                "{}",
                "a line must be one JSON object with one member, which is set, clear, freeze_ms, keys, limit or show",
            ),
            (
                r#"{"sett":{}}"#,
                "sett: no such command; there are set, clear, freeze_ms, keys, limit, show",
            ),
            (
                r#"{"set":{},"clear":true}"#,
                "a line must be one JSON object with one member",
            ),
            (
                r#"{"show":true} {"show":true}"#,
                "a line holds one JSON object and no more",
            ),
            (
                r#"{"limit":20}"#,
                "limit: invalid type: integer `20`, expected a string",
            ),
            (r#"{"limit":"fast"}"#, "limit: a rate is "),
            (r#"{"clear":false}"#, "clear: the value must be true"),
            (
                r#"{"freeze_ms":-1}"#,
                "freeze_ms: invalid value: integer `-1`, expected a whole number",
            ),
            (
                r#"{"freeze_ms":3600001}"#,
                "freeze_ms: milliseconds must be at most 3600000",
            ),
            (
                r#"{"set":5}"#,
                "set: invalid type: integer `5`, expected a map",
            ),
            (r#"{"keys":{"accept":5}}"#, "keys.accept: invalid type"),
            (
                r#"{"keys":{"accept":"1:accept:AAAA"}}"#,
                "keys.accept: key line 1: ",
            ),
            (
                r#"{"keys":{"mint":256}}"#,
                "keys.mint: invalid value: integer `256`, expected a whole number from 0 to 255",
            ),
            (
                r#"{"keys":{"forget":1}}"#,
                "keys: no such change; there are accept, mint, drop",
            ),
        ] {
            assert!(error(bad).contains(says), "{bad}: {}", error(bad));
        }
    }

    #[test]
    fn a_key_in_the_wrong_place_is_not_repeated() {
        let key = Key::generate(KeyId(9), None).to_secret_line(Role::Accept);
        let secret = key.split(':').nth(2).unwrap().trim();
        for (value, want) in [
            (
                serde_json::json!({ "mint": &*key }),
                "keys.mint: invalid type: string, expected a whole number from 0 to 255",
            ),
            (
                serde_json::json!({ "drop": &*key }),
                "keys.drop: invalid type: string, expected a whole number from 0 to 255",
            ),
            (
                serde_json::json!({ "accept": [&*key] }),
                "keys.accept: invalid type: sequence",
            ),
            (serde_json::json!(&*key), "keys: "),
            (serde_json::json!([&*key]), "keys: "),
            (
                serde_json::json!({ &*key: 1 }),
                "keys: no such change; there are accept",
            ),
        ] {
            let told = error(&serde_json::json!({ "keys": value }).to_string());
            assert!(told.starts_with(want), "{told}");
            assert!(!told.contains(secret), "{told}");
        }
    }

    #[test]
    fn a_key_that_would_mint_at_once_is_refused_and_never_shown() {
        let key = Key::generate(KeyId(9), None).to_secret_line(Role::Mint);
        let line = serde_json::json!({ "keys": { "accept": &*key } }).to_string();
        assert!(error(&line).contains("the role must be accept"));
        let cut = line.replace(":mint:", ":mine:");
        let secret = key.split(':').nth(2).unwrap().trim();
        assert!(!error(&cut).contains(secret));
    }
}
