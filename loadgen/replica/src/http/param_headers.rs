use http::{HeaderMap, HeaderName};
use loadgen_protocol::raw_json::{object, string};
use loadgen_protocol::{Entries, header_value};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::refusal::Refusal;
use crate::surface::Tool;

/// Which headers repeat which arguments, read once from the tools' schemas: a property marked
/// `"x-mcp-header": "X"` is repeated in `Mcp-Param-X` (SEP-2243).
pub(crate) struct ParamHeaders([Box<[ParamHeader]>; Tool::ALL.len()]);

#[derive(Debug, PartialEq, Eq)]
struct ParamHeader {
    name: HeaderName,
    /// The property, from the outermost object inwards.
    path: Vec<String>,
}

impl ParamHeaders {
    pub(crate) fn new() -> Self {
        Self(std::array::from_fn(|index| {
            marked(&Tool::ALL[index].listing()["inputSchema"]).into()
        }))
    }

    /// Checks that the headers say what the arguments say, since something on the way may have
    /// routed by them. An argument that is absent or null has no header.
    ///
    /// # Errors
    /// When they differ, or one that is needed is missing, repeated or undecodable. Also when a
    /// member of the arguments is given twice, and so says two things.
    pub(crate) fn check(
        &self,
        tool: Tool,
        headers: &HeaderMap,
        arguments: Option<&RawValue>,
    ) -> Result<(), Refusal> {
        let marked = &self.0[tool as usize];
        if marked.is_empty() {
            return Ok(());
        }
        check(marked, headers, arguments.map_or("{}", RawValue::get))
    }
}

/// The marked properties that can be reached through `properties` alone.
fn marked(schema: &Value) -> Vec<ParamHeader> {
    let mut found = Vec::new();
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (key, property) in properties {
        if let Some(token) = property["x-mcp-header"].as_str() {
            let name = format!("mcp-param-{}", token.to_ascii_lowercase());
            found.push(ParamHeader {
                name: name.parse().expect("the tools here mark with tokens"),
                path: vec![key.clone()],
            });
        }
        found.extend(marked(property).into_iter().map(|mut inner| {
            inner.path.insert(0, key.clone());
            inner
        }));
    }
    found
}

fn check(marked: &[ParamHeader], headers: &HeaderMap, arguments: &str) -> Result<(), Refusal> {
    for ParamHeader { name, path } in marked {
        let value = find(arguments, path)?;
        let refuse = |why: &str| Err(Refusal::Header(format!("{name} {why}")));
        let value = match (value, headers.contains_key(name)) {
            (None, false) => continue,
            (None, true) => return refuse("repeats an argument that is not there"),
            // No header could repeat it: the tool will say that it is of the wrong type.
            (Some(value), false) if value.starts_with(['{', '[']) => continue,
            (Some(_), false) => return refuse("must repeat the argument"),
            (Some(value), true) => value,
        };
        let mut values = headers.get_all(name).iter();
        let only = match (values.next(), values.next()) {
            (Some(only), None) => only.to_str().ok(),
            _ => None,
        };
        let Some(header) = only else {
            return refuse("must be there once, in visible ASCII");
        };
        match header_value::decode(header.as_bytes()) {
            Err(why) => return refuse(&format!("is unreadable: {why}")),
            Ok(header) if says(&header, value) => {}
            Ok(_) => return refuse("differs from the argument"),
        }
    }
    Ok(())
}

/// The JSON text at this path; `None` when it is absent or null, or something on the way is no
/// object.
fn find<'a>(arguments: &'a str, path: &[String]) -> Result<Option<&'a str>, Refusal> {
    let mut text = arguments;
    for key in path {
        if !text.starts_with('{') {
            return Ok(None);
        }
        let members: Entries<&'a RawValue> = object(text)
            .map_err(|_| Refusal::Params("params.arguments must hold each member once".into()))?;
        match members.member(key) {
            Some(value) => text = value.get(),
            None => return Ok(None),
        }
    }
    Ok((text != "null").then_some(text))
}

/// Whether a decoded header says this JSON value: strings as they are, booleans by name, numbers by
/// what they count.
fn says(header: &str, value: &str) -> bool {
    match value.as_bytes().first() {
        Some(b'"') => RawValue::from_string(value.to_owned())
            .is_ok_and(|raw| string(&raw).is_some_and(|text| text == header)),
        Some(b't' | b'f') => header == value,
        Some(b'-' | b'0'..=b'9') => header == value || same_integer(header, value),
        _ => false,
    }
}

/// Whether two JSON numbers are the same integer, however it is written: `42`, `42.0`, `4.2e1`.
fn same_integer(one: &str, other: &str) -> bool {
    let integer = |text: &str| -> Option<i128> {
        // 2^53: up to here a fraction or an exponent is read without loss.
        const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
        // White space around it would be skipped.
        let number = Some(text).filter(|text| !text.contains(char::is_whitespace))?;
        let number: serde_json::Number = serde_json::from_str(number).ok()?;
        if let Ok(integer) = text.parse() {
            return Some(integer);
        }
        let number = number.as_f64()?;
        (number.fract() == 0.0 && number.abs() <= EXACT_MAX).then_some(number as i128)
    };
    integer(one).is_some_and(|one| integer(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::HeaderValue;
    use serde_json::json;

    use super::*;

    /// Every kind of property that may be marked, one of them inside another.
    fn schema() -> Value {
        json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "count": { "type": "integer", "x-mcp-header": "Count" },
            "dry": { "type": "boolean", "x-mcp-header": "Dry" },
            "free": { "type": "string" },
            "place": { "type": "object", "properties": {
                "port": { "type": "string", "x-mcp-header": "Port" },
            } },
            "list": { "type": "array", "items": { "type": "object", "properties": {
                "no": { "type": "string", "x-mcp-header": "Never" },
            } } },
        } })
    }

    fn judge(headers: &[(&str, &str)], arguments: &str) -> Result<(), Refusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        check(&marked(&schema()), &map, arguments)
    }

    fn good(headers: &[(&str, &str)], arguments: &str) {
        assert_eq!(judge(headers, arguments), Ok(()), "{headers:?} {arguments}");
    }

    fn bad(headers: &[(&str, &str)], arguments: &str) {
        let judged = judge(headers, arguments);
        assert!(
            matches!(judged, Err(Refusal::Header(_))),
            "{headers:?} {arguments} {judged:?}"
        );
    }

    #[test]
    fn only_what_is_reached_through_properties_is_repeated() {
        let mut found: Vec<_> = marked(&schema())
            .into_iter()
            .map(|param| (param.name.to_string(), param.path.join("/")))
            .collect();
        found.sort();
        let want = [
            ("mcp-param-count", "count"),
            ("mcp-param-dry", "dry"),
            ("mcp-param-port", "place/port"),
            ("mcp-param-region", "region"),
        ]
        .map(|(name, path)| (name.to_owned(), path.to_owned()));
        assert_eq!(found, want);
    }

    #[test]
    fn strings_compare_decoded_and_by_case() {
        let region = |header| [("Mcp-Param-Region", header)];
        good(&region("eu"), r#"{"region":"eu"}"#);
        good(&region("eu"), r#"{"region":"e\u0075"}"#);
        good(&region("=?base64?ZXU=?="), r#"{"region":"eu"}"#);
        good(&region("=?base64?5LiW55WM?="), r#"{"region":"世界"}"#);
        good(
            &region("=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
            r#"{"region":"=?base64?eA==?="}"#,
        );
        for header in [
            "EU",
            "us",
            "",
            "=?base64?ZXU?=",
            "=?base64?Z!XU=?=",
            "=?BASE64?ZXU=?=",
        ] {
            bad(&region(header), r#"{"region":"eu"}"#);
        }
        bad(&region("世界"), r#"{"region":"世界"}"#);
        bad(&region("7"), r#"{"region":{"a":7}}"#);
    }

    #[test]
    fn integers_compare_by_value_and_booleans_by_name() {
        let count = |header| [("mcp-param-count", header)];
        for header in ["42", "42.0", "4.2e1"] {
            good(&count(header), r#"{"count":42}"#);
            good(&count("42"), &format!(r#"{{"count":{header}}}"#));
        }
        good(&count("-0"), r#"{"count":0}"#);
        let long = "123456789012345678901";
        good(&count(long), &format!(r#"{{"count":{long}}}"#));
        bad(
            &count("123456789012345678902"),
            &format!(r#"{{"count":{long}}}"#),
        );
        bad(&count("9007199254740993"), r#"{"count":9007199254740992}"#);
        for header in [
            "43",
            "-42",
            "042",
            "+42",
            "0x2a",
            "42 ",
            "",
            "forty-two",
            "\"42\"",
        ] {
            bad(&count(header), r#"{"count":42}"#);
        }
        good(&[("mcp-param-dry", "true")], r#"{"dry":true}"#);
        good(&[("mcp-param-dry", "false")], r#"{"dry":false}"#);
        for header in ["false", "True", "1", ""] {
            bad(&[("mcp-param-dry", header)], r#"{"dry":true}"#);
        }
    }

    #[test]
    fn an_absent_or_null_argument_has_no_header_and_every_other_has_one() {
        good(&[], "{}");
        good(&[], r#"{"region":null,"free":"x","place":{}}"#);
        bad(&[], r#"{"region":"eu"}"#);
        bad(&[], r#"{"place":{"port":"Brest"}}"#);
        bad(&[("mcp-param-region", "eu")], "{}");
        bad(&[("mcp-param-region", "null")], r#"{"region":null}"#);
        bad(&[("mcp-param-port", "Brest")], r#"{"place":"Brest"}"#);
        good(
            &[("mcp-param-port", "Brest")],
            r#"{"place":{"port":"Brest"}}"#,
        );
        bad(
            &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")],
            r#"{"region":"eu"}"#,
        );
    }

    #[test]
    fn arguments_that_say_two_things_are_refused_whatever_the_header_says() {
        let twice = judge(
            &[("mcp-param-region", "eu")],
            r#"{"region":"us","region":"eu"}"#,
        );
        assert!(matches!(twice, Err(Refusal::Params(_))), "{twice:?}");
    }

    #[test]
    fn what_the_tools_mark_is_legal() {
        for &tool in Tool::ALL {
            let schema = &tool.listing()["inputSchema"];
            let found = marked(schema);
            let names: HashSet<_> = found.iter().map(|param| &param.name).collect();
            assert_eq!(names.len(), found.len(), "{tool:?}");
            for param in &found {
                let property = param
                    .path
                    .iter()
                    .fold(schema, |s, key| &s["properties"][key]);
                let kind = property["type"].as_str().unwrap();
                assert!(["string", "integer", "boolean"].contains(&kind), "{tool:?}");
            }
        }
    }
}
