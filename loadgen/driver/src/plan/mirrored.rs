use std::collections::HashSet;

use loadgen_protocol::header_value;
use serde_json::Value;

/// Most marked parameters of one tool: each is a header of every request.
const MOST: usize = 100;

/// A parameter of a tool that has to be repeated in a header: its schema marks it with
/// `x-mcp-header` (SEP-2243).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    header: String,
    path: Vec<String>,
}

impl Mirrored {
    /// The marked parameters of a tool by its `inputSchema`, those reached through `properties` alone.
    ///
    /// # Errors
    /// What mark breaks the rules: only strings, whole numbers and booleans may be marked, with a
    /// token for a header's name, and no two with the same one. A client has to leave such a tool alone.
    pub(crate) fn all(schema: &Value) -> Result<Vec<Self>, String> {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found)?;
        let mut seen = HashSet::new();
        match found.iter().find(|mark| !seen.insert(&mark.header)) {
            Some(mark) => Err(format!("two parameters are marked for {}", mark.header)),
            None => Ok(found),
        }
    }

    /// The header of these arguments; `None` when the parameter is absent or null there.
    pub(crate) fn header(&self, arguments: &Value) -> Option<(&str, String)> {
        let value = self
            .path
            .iter()
            .try_fold(arguments, |value, key| value.get(key))?;
        let text = match value {
            Value::String(text) => header_value::encode(text).into_owned(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((&self.header, text))
    }
}

fn collect(
    schema: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<Mirrored>,
) -> Result<(), String> {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        path.push(key.clone());
        if let Some(mark) = property.get("x-mcp-header") {
            let shown = path.join(".");
            let token = mark.as_str().filter(|text| is_token(text));
            let Some(token) = token else {
                return Err(format!(
                    "`{shown}` is marked with something that is no header's name"
                ));
            };
            if !matches!(
                property["type"].as_str(),
                Some("string" | "integer" | "boolean")
            ) {
                return Err(format!(
                    "`{shown}` is marked for a header, but is no string, whole number or boolean"
                ));
            }
            if found.len() == MOST {
                return Err(format!(
                    "more than {MOST} parameters are marked for headers"
                ));
            }
            found.push(Mirrored {
                header: format!("mcp-param-{}", token.to_ascii_lowercase()),
                path: path.clone(),
            });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// The grammar of a token: RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(properties: &Value) -> Result<Vec<Mirrored>, String> {
        Mirrored::all(&json!({"type": "object", "properties": properties}))
    }

    #[test]
    fn values_are_spelled_for_a_header_and_absent_ones_have_none() {
        let marks = all(&json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"},
            "gone": {"type": "string", "x-mcp-header": "Gone"},
            "null": {"type": "string", "x-mcp-header": "Null"},
            "plain": {"type": "string"},
            "at": {"type": "object", "properties": {
                "port": {"type": "string", "x-mcp-header": "Port"}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {
                "no": {"type": "string", "x-mcp-header": "Never"}}}},
        }))
        .unwrap();
        let arguments = json!({"region": "世界", "count": -4, "dry": false, "null": null,
            "plain": "x", "at": {"port": "Brest"}, "list": [{"no": "x"}]});
        let mut headers: Vec<_> = marks
            .iter()
            .filter_map(|mark| mark.header(&arguments))
            .collect();
        headers.sort();
        assert_eq!(
            headers,
            [
                ("mcp-param-count", "-4".to_owned()),
                ("mcp-param-dry", "false".to_owned()),
                ("mcp-param-port", "Brest".to_owned()),
                ("mcp-param-region", "=?base64?5LiW55WM?=".to_owned()),
            ]
        );
    }

    #[test]
    fn marks_that_break_the_rules_are_named() {
        for (properties, want) in [
            (
                json!({"a": {"type": "string", "x-mcp-header": ""}}),
                "`a` is marked with something",
            ),
            (
                json!({"a": {"type": "string", "x-mcp-header": "a b"}}),
                "no header's name",
            ),
            (
                json!({"a": {"type": "string", "x-mcp-header": 1}}),
                "no header's name",
            ),
            (
                json!({"a": {"type": "number", "x-mcp-header": "A"}}),
                "no string, whole number",
            ),
            (
                json!({"a": {"type": "object", "properties": {"b": {"x-mcp-header": "B"}}}}),
                "`a.b` is",
            ),
            (
                json!({"a": {"type": "string", "x-mcp-header": "A"},
                       "b": {"type": "string", "x-mcp-header": "a"}}),
                "two parameters are marked for mcp-param-a",
            ),
        ] {
            let error = all(&properties).unwrap_err();
            assert!(error.contains(want), "{error}");
        }
    }
}
