use std::borrow::Cow;
use std::sync::OnceLock;

use loadgen_protocol::{ElicitForm, ElicitUrl, InputRequest, RequestedSchema, Sampling};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// One question to the user.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The name its answer comes back under.
    pub(crate) key: Cow<'static, str>,
    request: InputRequest,
    /// The request as it goes out, once somebody has asked for that.
    written: OnceLock<Box<RawValue>>,
}

impl Question {
    /// The embedded request that carries it.
    pub(crate) fn request(&self) -> &InputRequest {
        &self.request
    }

    /// The same as it goes out. It is written once, for the digest and for the reply.
    pub(crate) fn written(&self) -> &RawValue {
        self.written.get_or_init(|| {
            to_raw_value(&self.request).expect("requests are maps with string keys")
        })
    }

    /// Asks for a string in a form's only field.
    pub(crate) fn text(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        field: &str,
    ) -> Self {
        Self::of(key, InputRequest::single_field(message, field, "string"))
    }

    /// Lets the words of a form or a page end with `suffix`.
    pub(crate) fn reword(&mut self, suffix: &str) {
        self.written.take();
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
        Self::of(key, InputRequest::single_field(message, field, "boolean"))
    }

    /// Asks for a whole form.
    pub(crate) fn form(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        requested_schema: RequestedSchema,
    ) -> Self {
        let message = message.into();
        Self::of(
            key,
            InputRequest::Form(ElicitForm {
                message,
                requested_schema,
            }),
        )
    }

    /// Asks to visit a page. Accepting means consent, not that anything was done there.
    pub(crate) fn visit(
        key: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Self {
        let (message, url) = (message.into(), url.into());
        Self::of(key, InputRequest::Url(ElicitUrl { message, url }))
    }

    /// Asks the client's model.
    pub(crate) fn sampling(
        key: impl Into<Cow<'static, str>>,
        prompt: &str,
        max_tokens: u64,
    ) -> Self {
        let messages =
            vec![json!({ "role": "user", "content": { "type": "text", "text": prompt } })];
        Self::of(
            key,
            InputRequest::Sampling(Sampling {
                messages,
                max_tokens,
                tools: Vec::new(),
            }),
        )
    }

    /// Offers the client's model a tool of this name.
    pub(crate) fn with_tool(mut self, name: &str) -> Self {
        self.written.take();
        if let InputRequest::Sampling(sampling) = &mut self.request {
            let schema = json!({ "type": "object" });
            let tool = json!({ "name": name, "inputSchema": schema });
            sampling.tools.push(tool);
        }
        self
    }

    /// Asks for the client's roots.
    pub(crate) fn roots(key: impl Into<Cow<'static, str>>) -> Self {
        Self::of(key, InputRequest::Roots)
    }

    pub(super) fn of(key: impl Into<Cow<'static, str>>, request: InputRequest) -> Self {
        Self {
            key: key.into(),
            request,
            written: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_go_out_as_bare_requests() {
        let sent = |question: Question| serde_json::to_value(question.written()).unwrap();
        let form = json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": "Sure?",
            "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}},
                                "required": ["ok"]}}});
        assert_eq!(sent(Question::boolean("k", "Sure?", "ok")), form);
        let page = json!({"method": "elicitation/create", "params": {
            "mode": "url", "message": "Agree", "url": "https://harbour.example/rules"}});
        assert_eq!(
            sent(Question::visit(
                "k",
                "Agree",
                "https://harbour.example/rules"
            )),
            page
        );
        let model = json!({"method": "sampling/createMessage", "params": {"maxTokens": 100,
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}]}});
        assert_eq!(sent(Question::sampling("k", "Hi", 100)), model);
        assert_eq!(sent(Question::roots("k")), json!({"method": "roots/list"}));
    }

    #[test]
    fn what_changes_after_it_was_written_is_written_anew() {
        let mut page = Question::visit("k", "Agree", "https://harbour.example/rules");
        let before = page.written().get().to_owned();
        page.reword("!");
        assert_eq!(page.written().get(), before.replace("Agree", "Agree!"));
        let model = Question::sampling("k", "Hi", 100);
        let before = model.written().get().to_owned();
        assert_ne!(model.with_tool("tide").written().get(), before);
    }
}
