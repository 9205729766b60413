use std::str::FromStr;

use http::{HeaderValue, StatusCode};

use super::fields::{Fields, Reset, RetryAfter};
use super::{Form, Signal, WaitMember};

/// Words that say no signal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignalError {
    /// Neither a word nor a preset.
    #[error("{0:?} is neither a word for a signal nor one of the presets {presets}", presets = presets())]
    Unknown(String),
    /// A word with a value that it does not take.
    #[error("{word}={value:?} cannot be used: {word} is {takes}")]
    Value {
        /// The word.
        word: &'static str,
        /// What was given.
        value: String,
        /// What would be right.
        takes: &'static str,
    },
    /// Words that take each other's meaning away.
    #[error("{0}")]
    Conflict(&'static str),
}

fn presets() -> String {
    Signal::PRESETS
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// What the words have said so far.
#[derive(Default)]
struct Said {
    form: Option<Form>,
    code: Option<i64>,
    wait: Option<Option<WaitMember>>,
    status: Option<StatusCode>,
    retry_after: Option<RetryAfter>,
    structured: bool,
    trio: bool,
    x_trio: bool,
    reset: Option<Reset>,
    policy: Option<String>,
    scope: Option<HeaderValue>,
    always: bool,
}

impl FromStr for Signal {
    type Err = SignalError;

    fn from_str(words: &str) -> Result<Self, SignalError> {
        let mut said = Said::default();
        for word in words.split(',').map(str::trim) {
            match Signal::PRESETS.iter().find(|(name, _)| *name == word) {
                Some((_, words)) => {
                    for word in words.split(',') {
                        said.word(word)?;
                    }
                }
                None => said.word(word)?,
            }
        }
        said.signal()
    }
}

impl Said {
    fn word(&mut self, text: &str) -> Result<(), SignalError> {
        let (word, value) = match text.split_once('=') {
            Some((word, value)) => (word, Some(value)),
            None => (text, None),
        };
        match (word, value) {
            ("rpc", None) => self.form = Some(Form::RPC),
            ("is-error", None) => self.form = Some(Form::IsError),
            ("is-error-text", None) => self.form = Some(Form::IsErrorText),
            ("result-text", None) => self.form = Some(Form::ResultText),
            ("result-error", None) => self.form = Some(Form::ResultError),
            ("problem", None) => self.form = Some(Form::Problem),
            ("text", None) => self.form = Some(Form::Text),
            ("html", None) => self.form = Some(Form::Html),
            ("code", Some(value)) => {
                let code = value.parse();
                self.code = Some(code.map_err(|_| refuse("code", value, "a whole number"))?);
            }
            ("data", Some("none")) => self.wait = Some(None),
            ("data", Some(value)) => {
                let member = value.parse().map_err(|()| {
                    let takes = "none, retryAfter, retryAfterMs, retryAfterSeconds, retry_after, \
                                 retry_after_seconds, reset_in or details.reset_in";
                    refuse("data", value, takes)
                })?;
                self.wait = Some(Some(member));
            }
            ("status", Some(value)) => {
                self.status = Some(match value {
                    "200" => StatusCode::OK,
                    "429" => StatusCode::TOO_MANY_REQUESTS,
                    "503" => StatusCode::SERVICE_UNAVAILABLE,
                    _ => return Err(refuse("status", value, "200, 429 or 503")),
                });
            }
            ("retry-after", None) => self.retry_after = Some(RetryAfter::Seconds),
            ("retry-after", Some("date")) => self.retry_after = Some(RetryAfter::Date),
            ("retry-after", Some(value)) => {
                self.retry_after = Some(RetryAfter::Fixed(visible("retry-after", value)?));
            }
            ("ratelimit", None) => self.structured = true,
            ("ratelimit-trio", None) => self.trio = true,
            ("x-ratelimit", None) => self.x_trio = true,
            ("reset", Some("seconds")) => self.reset = Some(Reset::Seconds),
            ("reset", Some("epoch")) => self.reset = Some(Reset::Epoch),
            ("reset", Some(value)) => return Err(refuse("reset", value, "seconds or epoch")),
            ("policy", Some(value)) => {
                if value.contains(['"', '\\']) {
                    return Err(refuse(
                        "policy",
                        value,
                        "a name without quotes and backslashes",
                    ));
                }
                visible("policy", value)?;
                self.policy = Some(value.to_owned());
            }
            ("scope", Some(value)) => self.scope = Some(visible("scope", value)?),
            ("always", None) => self.always = true,
            _ => return Err(SignalError::Unknown(text.to_owned())),
        }
        Ok(())
    }

    fn signal(self) -> Result<Signal, SignalError> {
        let conflict = |text| Err(SignalError::Conflict(text));
        let form = match self.form.unwrap_or(Form::RPC) {
            Form::Rpc { code, wait } => Form::Rpc {
                code: self.code.unwrap_or(code),
                wait: self.wait.unwrap_or(wait),
            },
            _ if self.code.is_some() || self.wait.is_some() => {
                return conflict("code and data belong to rpc, and another body was chosen");
            }
            form => form,
        };
        let status = match (form.is_result(), self.status) {
            (true, None | Some(StatusCode::OK)) => StatusCode::OK,
            (true, Some(_)) => return conflict("a result comes with status=200 and no other"),
            (false, status) => status.unwrap_or(StatusCode::TOO_MANY_REQUESTS),
        };
        let fields = Fields {
            retry_after: self.retry_after,
            structured: self.structured,
            trio: self.trio,
            x_trio: self.x_trio,
            reset: self.reset.unwrap_or(Reset::Seconds),
            policy: self.policy.unwrap_or_else(|| "default".to_owned()),
            scope: self.scope,
        };
        if self.reset.is_some() && !fields.has_reset() {
            return conflict(
                "reset says how ratelimit-trio or x-ratelimit tell it; add one of them",
            );
        }
        if self.always && !fields.has_quota() {
            return conflict("always needs ratelimit, ratelimit-trio or x-ratelimit");
        }
        Ok(Signal {
            form,
            status,
            fields,
            always: self.always,
        })
    }
}

fn refuse(word: &'static str, value: &str, takes: &'static str) -> SignalError {
    let value = value.to_owned();
    SignalError::Value { word, value, takes }
}

/// A header field's value: visible ASCII, at least one.
fn visible(word: &'static str, value: &str) -> Result<HeaderValue, SignalError> {
    let fits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    match HeaderValue::from_str(value) {
        Ok(value) if fits => Ok(value),
        _ => Err(refuse(word, value, "visible ASCII")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> String {
        words.parse::<Signal>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (words, message) in [
            (
                "status=418",
                "status=\"418\" cannot be used: status is 200, 429 or 503",
            ),
            (
                "code=x",
                "code=\"x\" cannot be used: code is a whole number",
            ),
            (
                "x-ratelimit,reset=ms",
                "reset=\"ms\" cannot be used: reset is seconds or epoch",
            ),
            (
                "policy=a\"b",
                "policy=\"a\\\"b\" cannot be used: policy is a name without quotes and backslashes",
            ),
            (
                "retry-after=",
                "retry-after=\"\" cannot be used: retry-after is visible ASCII",
            ),
            (
                "scope=ü",
                "scope=\"ü\" cannot be used: scope is visible ASCII",
            ),
            (
                "is-error,code=1",
                "code and data belong to rpc, and another body was chosen",
            ),
            (
                "is-error,status=429",
                "a result comes with status=200 and no other",
            ),
            (
                "reset=epoch",
                "reset says how ratelimit-trio or x-ratelimit tell it; add one of them",
            ),
            (
                "always",
                "always needs ratelimit, ratelimit-trio or x-ratelimit",
            ),
        ] {
            assert_eq!(refused(words), message, "{words}");
        }
        assert!(refused("data=wait").contains("details.reset_in"));
        for unknown in [
            "",
            "429",
            "rpc=1",
            "retry_after",
            "rpc,,text",
            "ratelimit=1",
        ] {
            assert!(refused(unknown).contains("cloudflare-edge"), "{unknown}");
        }
    }

    #[test]
    fn later_words_win() {
        let signal = |words: &str| words.parse::<Signal>().unwrap();
        assert_eq!(signal("text,rpc"), signal("rpc"));
        assert_eq!(
            signal("cloudflare-edge,retry-after,status=503"),
            signal("html,status=503,retry-after")
        );
    }
}
