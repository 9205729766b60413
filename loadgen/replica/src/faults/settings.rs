use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::faults::command::CommandError;
use crate::faults::delay::Delay;
use crate::faults::millis::Millis;
use crate::faults::share::Share;
use crate::faults::slowdown::Slowdown;
use crate::faults::stall::Stall;
use crate::faults::values::{Drip, ErrorKind, Leak, Over, StateRefusal, Status, Text};
use crate::http::line_end::LineEnd;

/// Every fault that can be set, as it is written and checked. `docs/faults.md` says what each does.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    pub(crate) seed: Option<u64>,

    pub(crate) latency_ms: Option<Delay>,
    pub(crate) latency_rate: Option<Share>,
    pub(crate) stall: Option<Stall>,
    pub(crate) drip: Option<Drip>,

    pub(crate) error_rate: Option<Share>,
    pub(crate) error_kind: Option<ErrorKind>,
    pub(crate) html_rate: Option<Share>,
    pub(crate) html_status: Option<Status>,
    pub(crate) close_before_rate: Option<Share>,
    pub(crate) close_after_rate: Option<Share>,

    pub(crate) tool_error_every: Option<NonZeroU32>,
    pub(crate) omit_result_type: bool,
    pub(crate) result_type: Option<String>,
    pub(crate) result_type_rate: Option<Share>,
    pub(crate) extra_members: bool,
    pub(crate) capability_status: Option<Status>,
    pub(crate) state_refusal: Option<StateRefusal>,
    pub(crate) only_version: Option<Text>,
    pub(crate) sse_line_end: Option<LineEnd>,

    pub(crate) ignore_answers: bool,
    pub(crate) undeclared_questions: bool,
    pub(crate) shuffle_questions: bool,
    pub(crate) question_suffix: Option<Text>,

    pub(crate) malleable_base64: bool,
    pub(crate) no_binding: bool,
    pub(crate) no_expiry: bool,
    pub(crate) clock_offset_s: Option<i32>,
    pub(crate) slow_seal: Option<Slowdown>,

    pub(crate) close_idle_ms: Option<Millis>,
    pub(crate) goaway_every: Option<NonZeroU32>,
    pub(crate) accept_limit: Option<NonZeroU32>,
    pub(crate) accept_over: Option<Over>,

    pub(crate) leak_bytes: Option<Leak>,
}

impl Settings {
    /// Reads what is set: each key of the language with its value, none of them null or false.
    ///
    /// # Errors
    /// Names the key and what would be right.
    pub(crate) fn read(set: &Map<String, Value>) -> Result<Self, CommandError> {
        let settings: Self = serde_path_to_error::deserialize(Value::Object(set.clone()))
            .map_err(|error| CommandError::of_path("set", &error))?;
        settings.check().map_err(CommandError::Useless)?;
        Ok(settings)
    }

    /// Whether the language has this key.
    ///
    /// # Errors
    /// Names the nearest one when it has not.
    pub(crate) fn knows(key: &str) -> Result<(), CommandError> {
        let alone = Map::from_iter([(key.to_owned(), Value::Null)]);
        match serde_path_to_error::deserialize::<_, Self>(Value::Object(alone)) {
            Err(error) if error.inner().to_string().starts_with("unknown field") => {
                Err(CommandError::of_path("set", &error))
            }
            // Null is no value for all of them, but taking away needs none.
            _ => Ok(()),
        }
    }

    /// Refuses keys that would do nothing beside the others.
    fn check(&self) -> Result<(), &'static str> {
        let retyped = self.omit_result_type || self.result_type.is_some();
        let alone = [
            (
                self.accept_over.is_some() && self.accept_limit.is_none(),
                "set.accept_over does nothing without accept_limit",
            ),
            (
                self.latency_rate.is_some() && self.latency_ms.is_none(),
                "set.latency_rate does nothing without latency_ms",
            ),
            (
                self.error_kind.is_some() && self.error_rate.is_none(),
                "set.error_kind does nothing without error_rate",
            ),
            (
                self.html_status.is_some() && self.html_rate.is_none(),
                "set.html_status does nothing without html_rate",
            ),
            (
                self.result_type_rate.is_some() && !retyped,
                "set.result_type_rate does nothing without result_type or omit_result_type",
            ),
            (
                self.omit_result_type && self.result_type.is_some(),
                "set.result_type and omit_result_type exclude each other: set one of them to null",
            ),
        ];
        alone
            .into_iter()
            .find_map(|(useless, why)| useless.then_some(why))
            .map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Settings, String> {
        let Value::Object(map) = value else {
            panic!("no object");
        };
        Settings::read(&map).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_is_nothing_wrong() {
        assert_eq!(read(json!({})), Ok(Settings::default()));
    }

    #[test]
    fn values_out_of_range_are_named_with_what_would_be_right() {
        for (bad, says) in [
            (
                json!({ "error_rate": 1.5 }),
                "set.error_rate: a share of the requests must be from 0 to 1",
            ),
            (
                json!({ "error_rate": "x" }),
                "set.error_rate: invalid type: string \"x\", expected a number",
            ),
            (
                json!({ "html_rate": 1, "html_status": 204 }),
                "set.html_status: a status must be",
            ),
            (
                json!({ "html_rate": 1, "html_status": 99 }),
                "set.html_status: a status must be",
            ),
            (
                json!({ "latency_ms": -1 }),
                "set.latency_ms: milliseconds must be from 0",
            ),
            (
                json!({ "stall": { "for_ms": 5, "every_ms": 5 } }),
                "set.stall: for_ms must be at least 1",
            ),
            (
                json!({ "stall": { "for_ms": 5 } }),
                "set.stall: missing field `every_ms`",
            ),
            (
                json!({ "drip": { "bytes": 0, "every_ms": 1 } }),
                "set.drip.bytes: invalid value: integer `0`, expected a whole number from 1 to 4294967295",
            ),
            (
                json!({ "close_idle_ms": 3_600_001 }),
                "set.close_idle_ms: milliseconds must be at most 3600000",
            ),
            (
                json!({ "tool_error_every": 0 }),
                "set.tool_error_every: invalid value",
            ),
            (
                json!({ "error_rate": 1, "error_kind": "500" }),
                "set.error_kind: unknown variant `500`, expected one of `http-500`",
            ),
            (
                json!({ "state_refusal": "no" }),
                "expected `http-200` or `tool-error`",
            ),
            (
                json!({ "sse_line_end": "\n" }),
                "expected one of `cr`, `crlf`, `mixed`",
            ),
            (
                json!({ "leak_bytes": 0 }),
                "set.leak_bytes: bytes must be from 1",
            ),
            (
                json!({ "question_suffix": "" }),
                "set.question_suffix: the text must not be empty",
            ),
            (
                json!({ "clock_offset_s": 1.5 }),
                "set.clock_offset_s: invalid type",
            ),
            (
                json!({ "slow_seal": 0.9 }),
                "set.slow_seal: a factor must be a number from 1 to 1000",
            ),
            (
                json!({ "slow_seal": 1000.1 }),
                "set.slow_seal: a factor must be a number from 1 to 1000",
            ),
            (
                json!({ "slow_seal": "x" }),
                "set.slow_seal: invalid type: string \"x\", expected a number",
            ),
            (
                json!({ "no_expiry": 1 }),
                "set.no_expiry: invalid type: integer `1`, expected a boolean",
            ),
        ] {
            let error = read(bad.clone()).unwrap_err();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }

    #[test]
    fn an_unknown_key_is_named_with_its_neighbour() {
        let error = read(json!({ "latncy_ms": 5 })).unwrap_err();
        assert_eq!(
            error,
            "set.latncy_ms: no such key; the nearest is latency_ms"
        );
        let error = read(json!({ "stall": { "for": 5 } })).unwrap_err();
        assert_eq!(error, "set.stall.for: no such key; the nearest is for_ms");
        let error = read(json!({ "xyz": 5 })).unwrap_err();
        assert!(
            error.starts_with("set.xyz: no such key; there are seed, latency_ms, "),
            "{error}"
        );
    }

    #[test]
    fn keys_that_would_do_nothing_are_refused() {
        for (alone, with) in [
            (
                json!({ "latency_rate": 0.5 }),
                json!({ "latency_rate": 0.5, "latency_ms": 1 }),
            ),
            (
                json!({ "error_kind": "rpc-200" }),
                json!({ "error_kind": "rpc-200", "error_rate": 1 }),
            ),
            (
                json!({ "accept_over": "close" }),
                json!({ "accept_over": "close", "accept_limit": 1 }),
            ),
            (
                json!({ "html_status": 502 }),
                json!({ "html_status": 502, "html_rate": 1 }),
            ),
            (
                json!({ "result_type_rate": 0.5 }),
                json!({ "result_type_rate": 0.5, "result_type": "" }),
            ),
            (
                json!({ "omit_result_type": true, "result_type": "x" }),
                json!({ "omit_result_type": true }),
            ),
        ] {
            assert!(read(alone.clone()).is_err(), "{alone}");
            assert!(read(with.clone()).is_ok(), "{with}");
        }
    }
}
