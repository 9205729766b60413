use std::borrow::Cow;

use loadgen_protocol::{ElicitForm, ElicitUrl, InputRequest};

/// One question to the user.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The name its answer comes back under.
    pub(crate) key: Cow<'static, str>,
    /// The embedded request that carries it.
    pub(crate) request: InputRequest,
}

impl Question {
    /// Asks for a string in a form's only field.
    pub(crate) fn text(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        field: &str,
    ) -> Self {
        Self {
            key: key.into(),
            request: InputRequest::single_field(message, field, "string"),
        }
    }

    /// Lets the words of a form or a page end with `suffix`.
    pub(crate) fn reword(&mut self, suffix: &str) {
        match &mut self.request {
            InputRequest::Form(ElicitForm { message, .. })
            | InputRequest::Url(ElicitUrl { message, .. }) => message.push_str(suffix),
            InputRequest::Sampling(_) | InputRequest::Roots => {}
        }
    }

    /// Asks for a boolean in a form's only field.
    pub(crate) fn boolean(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        field: &str,
    ) -> Self {
        Self {
            key: key.into(),
            request: InputRequest::single_field(message, field, "boolean"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_goes_out_as_a_bare_form_request() {
        let sent = serde_json::to_value(Question::boolean("k", "Sure?", "ok").request).unwrap();
        let want = serde_json::json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": "Sure?",
            "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}},
                                "required": ["ok"]}}});
        assert_eq!(sent, want);
    }
}
