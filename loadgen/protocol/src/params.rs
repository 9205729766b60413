//! `params` as a server reads them: strictly, one member at a time, and without copying.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::names::meta;
use crate::raw_json::{is_id, object, present, text, text_of};
use crate::scan::{Scan, once};
use crate::{ClientCapabilities, LogLevel};

const NO_SUCH_LEVEL: &str = "params._meta.io.modelcontextprotocol/logLevel must be debug, info, notice, \
                             warning, error, critical, alert or emergency";

/// What is wrong with `params` ([`crate::ErrorCode::INVALID_PARAMS`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParamsFault {
    /// This key, which `_meta` must have, is missing or of another type.
    #[error("params._meta must have {0}")]
    Meta(&'static str),
    /// Another member is missing or of another type; says which.
    #[error("{0}")]
    Member(&'static str),
}

/// The members of `params` that any method here reads, each still in its own bytes; of `_meta` the
/// keys that are known here.
#[derive(Debug, Default, Deserialize)]
pub struct Params<'a> {
    #[serde(borrow, default, deserialize_with = "keys")]
    _meta: Option<Keys<'a>>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    name: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    uri: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    cursor: Option<&'a str>,
    /// What a completion is about, whatever its type.
    #[serde(borrow, default, deserialize_with = "present", rename = "ref")]
    pub reference: Option<&'a RawValue>,
    /// The argument that a completion is for, whatever its type.
    #[serde(borrow, default, deserialize_with = "present")]
    pub argument: Option<&'a RawValue>,
    /// The arguments, whatever their type.
    #[serde(borrow, default, deserialize_with = "present")]
    pub arguments: Option<&'a RawValue>,
    /// The answers of the newest round, whatever their type.
    #[serde(
        borrow,
        default,
        deserialize_with = "present",
        rename = "inputResponses"
    )]
    pub input_responses: Option<&'a RawValue>,
    /// What a listener wants to be told of, whatever its type.
    #[serde(borrow, default, deserialize_with = "present")]
    pub notifications: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text_of", rename = "requestState")]
    request_state: Option<&'a str>,
}

/// The keys of `_meta` that are known here.
#[derive(Debug, Default, Deserialize)]
struct Keys<'a> {
    #[serde(borrow, default, deserialize_with = "text_of")]
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "present")]
    #[serde(rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a str>,
}

/// Reads `_meta`; what is no object of distinct members has none of them.
fn keys<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Keys<'de>>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(Some(object(raw.get()).unwrap_or_default()))
}

impl<'a> Keys<'a> {
    fn scan(scan: &mut Scan<'a>) -> Option<Self> {
        let mut keys = Self::default();
        scan.members(|scan, key| match key {
            meta::PROTOCOL_VERSION => once(&mut keys.version, scan.value()?),
            meta::CLIENT_CAPABILITIES => once(&mut keys.capabilities, scan.value()?),
            "progressToken" => once(&mut keys.progress_token, scan.raw()?),
            meta::LOG_LEVEL => once(&mut keys.log_level, scan.value()?),
            _ => scan.value().map(drop),
        })?;
        Some(keys)
    }
}

impl<'a> Params<'a> {
    /// Splits `params`; absent ones are empty.
    ///
    /// # Errors
    /// When they are no object, or have a member twice.
    pub fn parse(raw: Option<&'a RawValue>) -> Result<Self, ParamsFault> {
        let Some(raw) = raw else {
            return Ok(Self::default());
        };
        object(raw.get())
            .map_err(|_| ParamsFault::Member("params must be an object of distinct members"))
    }

    /// Reads them in one go with what is around them, where [`Self::parse`] would find nothing wrong;
    /// else `None`.
    pub(crate) fn scan(scan: &mut Scan<'a>) -> Option<Self> {
        let mut params = Self::default();
        scan.members(|scan, key| match key {
            "_meta" => once(&mut params._meta, Keys::scan(scan)?),
            "name" => once(&mut params.name, scan.value()?),
            "uri" => once(&mut params.uri, scan.value()?),
            "cursor" => once(&mut params.cursor, scan.value()?),
            "ref" => once(&mut params.reference, scan.raw()?),
            "argument" => once(&mut params.argument, scan.raw()?),
            "arguments" => once(&mut params.arguments, scan.raw()?),
            "inputResponses" => once(&mut params.input_responses, scan.raw()?),
            "notifications" => once(&mut params.notifications, scan.raw()?),
            "requestState" => once(&mut params.request_state, scan.value()?),
            _ => scan.value().map(drop),
        })?;
        Some(params)
    }

    /// The keys of `_meta` that every request must have, and those that change what is answered.
    ///
    /// # Errors
    /// Names the first that is missing or of another type; also a log level that there is not.
    pub fn meta(&self) -> Result<Meta<'a>, ParamsFault> {
        let keys = self._meta.as_ref();
        let version = keys
            .and_then(|keys| keys.version)
            .and_then(text)
            .ok_or(ParamsFault::Meta(meta::PROTOCOL_VERSION))?;
        let capabilities = keys
            .and_then(|keys| keys.capabilities)
            .filter(|text| text.starts_with('{'))
            .ok_or(ParamsFault::Meta(meta::CLIENT_CAPABILITIES))?;
        let log_level = keys
            .and_then(|keys| keys.log_level)
            .map(serde_json::from_str)
            .transpose()
            .map_err(|_| ParamsFault::Member(NO_SUCH_LEVEL))?;
        Ok(Meta {
            version,
            capabilities,
            progress_token: keys
                .and_then(|keys| keys.progress_token)
                .filter(|raw| is_id(raw.get())),
            log_level,
        })
    }

    /// What the request names, for the three methods that name something: `name` or `uri`.
    ///
    /// # Errors
    /// When it is missing or no string.
    pub fn target(&self, by: Naming) -> Result<Cow<'a, str>, ParamsFault> {
        let (member, why) = match by {
            Naming::Name => (self.name, "params.name must be a string"),
            Naming::Uri => (self.uri, "params.uri must be a string"),
        };
        member.and_then(text).ok_or(ParamsFault::Member(why))
    }

    /// The state to open, if one was sent; an empty one counts.
    ///
    /// # Errors
    /// When it is no string.
    pub fn state(&self) -> Result<Option<Cow<'a, str>>, ParamsFault> {
        self.request_state
            .map(|state| {
                text(state).ok_or(ParamsFault::Member("params.requestState must be a string"))
            })
            .transpose()
    }

    /// The page mark of a list, if one was sent; an empty one counts.
    ///
    /// # Errors
    /// When it is no string.
    pub fn cursor(&self) -> Result<Option<Cow<'a, str>>, ParamsFault> {
        self.cursor
            .map(|cursor| text(cursor).ok_or(ParamsFault::Member("params.cursor must be a string")))
            .transpose()
    }
}

/// Which member names what a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// `params.name`.
    Name,
    /// `params.uri`.
    Uri,
}

/// The part of `_meta` that every request must have.
#[derive(Debug)]
pub struct Meta<'a> {
    /// The revision that the request follows.
    pub version: Cow<'a, str>,
    capabilities: &'a str,
    /// A string or an integer, in its own bytes; anything else counts as none.
    pub progress_token: Option<&'a RawValue>,
    /// The least grave log messages that the client wants; `None` wants none at all.
    pub log_level: Option<LogLevel>,
}

impl Meta<'_> {
    /// What the client can answer. What cannot be understood declares nothing.
    #[must_use]
    pub fn capabilities(&self) -> ClientCapabilities {
        serde_json::from_str(self.capabilities).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn the_meta_keys_are_asked_for_one_by_one() {
        let refused = |json: &str| {
            let raw = raw(json);
            let params = Params::parse(Some(&raw)).unwrap();
            params.meta().map(|m| m.version.into_owned())
        };
        let v = r#""io.modelcontextprotocol/protocolVersion""#;
        let c = r#""io.modelcontextprotocol/clientCapabilities""#;
        let good = format!(r#"{{"_meta":{{{v}:"x",{c}:{{}},"more":1}}}}"#);
        assert_eq!(refused(&good), Ok("x".to_owned()));
        for bad in [
            "{}".to_owned(),
            r#"{"_meta":null}"#.to_owned(),
            r#"{"_meta":["x",{}]}"#.to_owned(),
            format!(r#"{{"_meta":{{{c}:{{}}}}}}"#),
            format!(r#"{{"_meta":{{{v}:7,{c}:{{}}}}}}"#),
        ] {
            assert_eq!(
                refused(&bad),
                Err(ParamsFault::Meta(meta::PROTOCOL_VERSION)),
                "{bad}"
            );
        }
        for bad in [
            format!(r#"{{"_meta":{{{v}:"x"}}}}"#),
            format!(r#"{{"_meta":{{{v}:"x",{c}:[]}}}}"#),
            format!(r#"{{"_meta":{{{v}:"x",{c}:null}}}}"#),
        ] {
            assert_eq!(
                refused(&bad),
                Err(ParamsFault::Meta(meta::CLIENT_CAPABILITIES)),
                "{bad}"
            );
        }
    }

    #[test]
    fn capabilities_that_cannot_be_read_declare_nothing() {
        for (declared, takes_forms) in [
            (r#"{"elicitation":{}}"#, true),
            (r#"{"elicitation":null}"#, false),
            (r#"{"elicitation":7}"#, false),
        ] {
            let meta = Meta {
                version: "x".into(),
                capabilities: declared,
                progress_token: None,
                log_level: None,
            };
            assert_eq!(meta.capabilities().allows_form(), takes_forms, "{declared}");
        }
    }

    #[test]
    fn a_log_level_is_one_of_eight_or_absent() {
        let level = |given: &str| {
            let raw = raw(&format!(
                r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"x",
                    "io.modelcontextprotocol/clientCapabilities":{{}}{given}}}}}"#
            ));
            let meta = Params::parse(Some(&raw)).unwrap().meta();
            meta.map(|meta| meta.log_level)
        };
        let given = |value: &str| level(&format!(r#","{}":{value}"#, meta::LOG_LEVEL));
        assert_eq!(level(""), Ok(None));
        assert_eq!(given("\"notice\""), Ok(Some(LogLevel::Notice)));
        for bad in ["null", "\"Notice\"", "\"\"", "2", "[\"info\"]"] {
            assert_eq!(given(bad), Err(ParamsFault::Member(NO_SUCH_LEVEL)), "{bad}");
        }
    }

    #[test]
    fn wrong_types_and_repeated_members_are_refused() {
        for bad in ["[]", "null", "7", r#"{"name":"a","name":"b"}"#] {
            assert!(Params::parse(Some(&raw(bad))).is_err(), "{bad}");
        }
        let numbers = raw(r#"{"name":1,"uri":null,"requestState":5,"cursor":""}"#);
        let params = Params::parse(Some(&numbers)).unwrap();
        assert!(params.target(Naming::Name).is_err());
        assert!(params.target(Naming::Uri).is_err());
        assert!(params.state().is_err());
        assert_eq!(params.cursor(), Ok(Some("".into())));
    }
}
