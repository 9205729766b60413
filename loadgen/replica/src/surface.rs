//! What the replica offers: tools `echo`, `confirm_delete` and `wizard`, prompt `briefing`,
//! resource `memo://{name}`; the surface that the SDK servers under `scripts/peers` have too.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::message::object;
use crate::mrtr::{Step, Turn};
use crate::notifier::Notifier;
use crate::refusal::Refusal;

mod briefing;
mod confirm_delete;
mod echo;
mod memo;
mod progress;
mod wizard;
mod wizard_state;

pub(crate) use wizard::{PAD_MAX as WIZARD_PAD_MAX, ROUNDS_MAX as WIZARD_ROUNDS_MAX};

/// What an item has to work with in one round.
pub(crate) struct Call<'b, 'a> {
    /// The arguments in the request's own bytes.
    pub(crate) arguments: Option<&'b RawValue>,
    pub(crate) turn: Turn<'a>,
    pub(crate) notifier: &'a Notifier,
    /// Under which the client wants to hear of progress, if it does.
    pub(crate) progress_token: Option<&'a RawValue>,
}

/// What one request runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Echo,
    ConfirmDelete,
    Wizard,
    Progress,
    Briefing,
    /// With the memo's name.
    Memo(&'a str),
}

impl<'a> Item<'a> {
    pub(crate) fn tool(name: &str) -> Result<Self, Refusal> {
        match name {
            "echo" => Ok(Self::Echo),
            "confirm_delete" => Ok(Self::ConfirmDelete),
            "wizard" => Ok(Self::Wizard),
            "test_tool_with_progress" => Ok(Self::Progress),
            _ => Err(Refusal::Target(name.to_owned())),
        }
    }

    pub(crate) fn prompt(name: &str) -> Result<Self, Refusal> {
        match name {
            "briefing" => Ok(Self::Briefing),
            _ => Err(Refusal::Target(name.to_owned())),
        }
    }

    pub(crate) fn resource(uri: &'a str) -> Result<Self, Refusal> {
        memo::name(uri)
            .map(Self::Memo)
            .ok_or_else(|| Refusal::Resource(uri.to_owned()))
    }

    /// Whether a failure can be told in a result of its own.
    pub(crate) const fn is_tool(self) -> bool {
        !matches!(self, Self::Briefing | Self::Memo(_))
    }

    /// Whether this tool may have something to say before its result.
    pub(crate) fn tool_notifies(name: &str) -> bool {
        matches!(Self::tool(name), Ok(Self::Progress))
    }

    /// Runs one round.
    ///
    /// # Errors
    /// When an answer cannot be understood, or the arguments have a shape that no item takes.
    pub(crate) async fn turn<'b>(self, call: &Call<'b, '_>) -> Result<Step<'b>, Refusal> {
        let json = call.arguments.map_or("{}", RawValue::get);
        if !json.starts_with('{') {
            return Err(Refusal::Params("params.arguments must be an object".into()));
        }
        let turn = &call.turn;
        let step = match self {
            Self::Echo => Ok(echo::turn(json)),
            Self::ConfirmDelete => confirm_delete::turn(json, turn),
            Self::Wizard => wizard::turn(json, turn),
            Self::Progress => Ok(progress::turn(call).await),
            Self::Briefing => briefing::turn(&topic(json)?, turn),
            Self::Memo(name) => memo::turn(name, turn),
        };
        step.map_err(|malformed| Refusal::Answer(malformed.0))
    }
}

/// The briefing's topic. A prompt's arguments are strings, all of them.
fn topic(json: &str) -> Result<String, Refusal> {
    object::<BTreeMap<String, String>>(json)
        .map(|mut arguments| {
            arguments
                .remove("topic")
                .unwrap_or_else(|| "status".to_owned())
        })
        .map_err(|()| Refusal::Params("A prompt's arguments must be strings".into()))
}

/// What a tool says when its arguments do not fit its schema: a result the model can read.
fn bad_arguments(tool: &str, error: &serde_json::Error) -> String {
    format!("{tool}: the arguments do not fit: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{raw, turn_of};

    async fn refusal(item: Item<'_>, arguments: &str) -> Option<Refusal> {
        let call = Call {
            arguments: Some(&raw(arguments)),
            turn: turn_of(None, "{}"),
            notifier: &Notifier::none(),
            progress_token: None,
        };
        item.turn(&call).await.err()
    }

    #[test]
    fn unknown_names_are_refused_with_what_was_asked_for() {
        assert_eq!(Item::tool("Echo"), Err(Refusal::Target("Echo".into())));
        assert_eq!(Item::prompt("echo"), Err(Refusal::Target("echo".into())));
        assert_eq!(Item::resource("x"), Err(Refusal::Resource("x".into())));
        assert_eq!(Item::resource("memo://a"), Ok(Item::Memo("a")));
    }

    #[tokio::test]
    async fn arguments_that_are_no_object_are_refused() {
        for bad in ["[]", "null", "\"x\"", "[\"text\"]"] {
            let refused = refusal(Item::Echo, bad).await;
            assert!(matches!(refused, Some(Refusal::Params(_))), "{bad}");
        }
    }

    #[tokio::test]
    async fn prompt_arguments_that_are_no_strings_are_refused() {
        let refused = refusal(Item::Briefing, r#"{"topic":5}"#).await;
        assert!(matches!(refused, Some(Refusal::Params(_))));
    }
}
