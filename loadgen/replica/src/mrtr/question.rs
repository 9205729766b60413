use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// One question to the user: a form with a single required field.
#[derive(Debug)]
pub(crate) struct Question {
    /// The name its answer comes back under.
    pub(crate) key: Cow<'static, str>,
    message: Cow<'static, str>,
    field: &'static str,
    kind: &'static str,
}

/// The embedded request that carries a question: bare, without `jsonrpc` and `id`.
#[derive(Serialize)]
pub(crate) struct Embedded<'a> {
    method: &'static str,
    params: Form<'a>,
}

#[derive(Serialize)]
struct Form<'a> {
    mode: &'static str,
    message: &'a str,
    #[serde(rename = "requestedSchema")]
    requested_schema: Schema<'a>,
}

#[derive(Serialize)]
struct Schema<'a> {
    r#type: &'static str,
    properties: BTreeMap<&'a str, Property>,
    required: [&'a str; 1],
}

#[derive(Serialize)]
struct Property {
    r#type: &'static str,
}

impl Question {
    /// Asks for a string.
    pub(crate) fn text(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
        field: &'static str,
    ) -> Self {
        Self {
            key: key.into(),
            message: message.into(),
            field,
            kind: "string",
        }
    }

    /// Asks for a boolean.
    pub(crate) fn boolean(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
        field: &'static str,
    ) -> Self {
        Self {
            kind: "boolean",
            ..Self::text(key, message, field)
        }
    }

    /// The question as it goes out.
    pub(crate) fn embedded(&self) -> Embedded<'_> {
        Embedded {
            method: "elicitation/create",
            params: Form {
                mode: "form",
                message: &self.message,
                requested_schema: Schema {
                    r#type: "object",
                    properties: BTreeMap::from([(self.field, Property { r#type: self.kind })]),
                    required: [self.field],
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_goes_out_as_a_bare_form_request() {
        let sent = serde_json::to_value(Question::boolean("k", "Sure?", "ok").embedded()).unwrap();
        let want = serde_json::json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": "Sure?",
            "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}},
                                "required": ["ok"]}}});
        assert_eq!(sent, want);
    }
}
