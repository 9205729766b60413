use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::blocks::{Block, Role};
use super::forms::Schema;
use super::listings::Tool;
use super::typed::shape;

shape! {
    /// A result that asks, or only wants to be called again. It is never cached.
    InputRequired {} may {
        input_requests: BTreeMap<String, Question>,
        request_state: String,
    }
}

/// A question: a request without an envelope.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub(crate) enum Question {
    #[serde(rename = "elicitation/create")]
    Elicit(Elicitation),
    #[serde(rename = "sampling/createMessage")]
    Sample(Box<Sampling>),
    #[serde(rename = "roots/list")]
    Roots,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub(crate) enum Elicitation {
    Form(Form),
    Url(Visit),
}

shape! { Form { message: String, requested_schema: Schema, } }

shape! { Visit { message: String, url: String, } }

shape! {
    Sampling { messages: Vec<Said>, max_tokens: u64, } may {
        system_prompt: String, temperature: Number, stop_sequences: Vec<String>,
        model_preferences: Map<String, Value>, tools: Vec<Tool>, tool_choice: ToolChoice,
        metadata: Map<String, Value>,
    }
}

shape! { Said { role: Role, content: OneOrMore, } }

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    One(Block),
    More(Vec<Block>),
}

shape! { ToolChoice {} may { mode: ToolMode, } }

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ToolMode {
    Auto,
    Required,
    None,
}

impl InputRequired {
    /// What serde alone does not see.
    pub(crate) fn check(&self) {
        let state = self.request_state.as_ref();
        assert!(state.is_none_or(|state| !state.is_empty()));
        assert!(state.is_some() || self.input_requests.is_some());
        if let Some(questions) = &self.input_requests {
            assert!(!questions.is_empty());
            questions.values().for_each(Question::check);
        }
    }
}

impl Question {
    fn check(&self) {
        match self {
            Self::Elicit(Elicitation::Form(form)) => {
                assert!(!form.message.is_empty());
                form.requested_schema.check();
            }
            Self::Elicit(Elicitation::Url(visit)) => {
                assert!(!visit.message.is_empty());
                let url: http::Uri = visit.url.parse().unwrap();
                assert!(url.scheme().is_some() && url.host().is_some(), "{visit:?}");
            }
            Self::Sample(sampling) => {
                assert!(sampling.max_tokens > 0 && !sampling.messages.is_empty());
                for said in &sampling.messages {
                    match &said.content {
                        OneOrMore::One(block) => block.check(),
                        OneOrMore::More(blocks) => blocks.iter().for_each(Block::check),
                    }
                }
            }
            Self::Roots => {}
        }
    }
}
