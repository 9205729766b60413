//! What the replica offers: tools `echo`, `confirm_delete` and `wizard`, prompt `briefing`,
//! resource `memo://{name}`; the surface that the SDK servers under `scripts/peers` have too.

use std::borrow::Cow;
use std::collections::BTreeMap;

use loadgen_protocol::Meta;
use loadgen_protocol::raw_json::object;
use serde::Deserialize;

use crate::mrtr::{Step, Turn};
use crate::notifier::Notifier;
use crate::refusal::Refusal;

mod briefing;
mod confirm_delete;
mod echo;
mod logging;
mod memo;
mod progress;
mod resource;
mod table;
mod wizard;
mod wizard_state;

pub(crate) use resource::Resource;
pub(crate) use table::{Entry, Prompt, Tool};

/// What an item has to work with in one round.
pub(crate) struct Call<'b, 'a> {
    /// The arguments in the request's own bytes: a JSON object.
    pub(crate) arguments: &'b str,
    pub(crate) turn: Turn<'a>,
    pub(crate) notifier: &'a Notifier,
    /// What the client says of itself in this request.
    pub(crate) meta: &'a Meta<'b>,
}

/// How a round ends, unless the request has to be refused.
pub(crate) type Turned<'b> = Result<Step<'b>, Refusal>;

/// What one request runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Tool(Tool),
    Prompt(Prompt),
    Resource(Resource<'a>),
}

impl<'a> Item<'a> {
    pub(crate) fn tool(name: &str) -> Result<Self, Refusal> {
        let tool = Tool::of(name).ok_or_else(|| Refusal::Target(name.to_owned()))?;
        Ok(Self::Tool(tool))
    }

    pub(crate) fn prompt(name: &str) -> Result<Self, Refusal> {
        let prompt = Prompt::of(name).ok_or_else(|| Refusal::Target(name.to_owned()))?;
        Ok(Self::Prompt(prompt))
    }

    pub(crate) fn resource(uri: &'a str) -> Result<Self, Refusal> {
        let resource = Resource::at(uri).ok_or_else(|| Refusal::Resource(uri.to_owned()))?;
        Ok(Self::Resource(resource))
    }

    /// How many different things can be run, taking all resources of one kind as one.
    pub(crate) const SLOTS: usize = Tool::ALL.len() + Prompt::ALL.len() + Resource::KINDS.len();

    /// What they are and how they are called, each at its [`Item::slot`].
    pub(crate) const NAMES: [(&'static str, &'static str); Item::SLOTS] = {
        let mut names = [("", ""); Self::SLOTS];
        let mut slot = 0;
        while slot < Self::SLOTS {
            names[slot] = if slot < Tool::NAMES.len() {
                ("tool", Tool::NAMES[slot])
            } else if slot < Tool::NAMES.len() + Prompt::NAMES.len() {
                ("prompt", Prompt::NAMES[slot - Tool::NAMES.len()])
            } else {
                let before = Tool::NAMES.len() + Prompt::NAMES.len();
                ("resource", Resource::KINDS[slot - before])
            };
            slot += 1;
        }
        names
    };

    /// Where its counts are.
    pub(crate) const fn slot(self) -> usize {
        match self {
            Self::Tool(tool) => tool as usize,
            Self::Prompt(prompt) => Tool::ALL.len() + prompt as usize,
            Self::Resource(resource) => Tool::ALL.len() + Prompt::ALL.len() + resource.kind(),
        }
    }

    /// Whether what has this name may have something to say before its result.
    pub(crate) fn may_speak(name: &str) -> bool {
        let prompt = || Prompt::of(name).is_some_and(Prompt::speaks);
        Tool::of(name).map_or_else(prompt, Tool::speaks)
    }

    /// Whether a failure can be told in a result of its own.
    pub(crate) const fn is_tool(self) -> bool {
        matches!(self, Self::Tool(_))
    }

    /// Runs one round.
    ///
    /// # Errors
    /// When an answer cannot be understood, or the arguments have a shape that the item never takes.
    pub(crate) async fn turn<'b>(self, call: &Call<'b, '_>) -> Turned<'b> {
        if !call.arguments.starts_with('{') {
            return Err(Refusal::Params("params.arguments must be an object".into()));
        }
        match self {
            Self::Tool(tool) => tool.turn(call).await,
            Self::Prompt(prompt) => prompt.turn(call).await,
            Self::Resource(resource) => resource.turn(call),
        }
    }
}

/// A prompt's arguments, which are strings, all of them.
fn strings(json: &str) -> Result<BTreeMap<Cow<'_, str>, Cow<'_, str>>, Refusal> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Arguments<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, Cow<'a, str>>);

    object::<Arguments<'_>>(json)
        .map(|arguments| arguments.0)
        .map_err(|_| Refusal::Params("A prompt's arguments must be strings".into()))
}

/// What a tool says when its arguments do not fit its schema: a result the model can read.
fn bad_arguments(tool: &str, error: &serde_json::Error) -> String {
    format!("{tool}: the arguments do not fit: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{no_meta, turn_of};

    async fn refusal(item: Item<'_>, arguments: &str) -> Option<Refusal> {
        let call = Call {
            arguments,
            turn: turn_of(None, "{}"),
            notifier: &Notifier::none(),
            meta: &no_meta(),
        };
        item.turn(&call).await.err()
    }

    #[test]
    fn everything_that_can_be_run_has_a_slot_of_its_own_with_its_name() {
        let names = |kind| Item::NAMES.iter().filter(move |name| name.0 == kind);
        for (kind, name) in names("tool") {
            let slot = Item::tool(name).unwrap().slot();
            assert_eq!(Item::NAMES[slot], (*kind, *name));
        }
        for (kind, name) in names("prompt") {
            let slot = Item::prompt(name).unwrap().slot();
            assert_eq!(Item::NAMES[slot], (*kind, *name));
        }
        let memo = Item::resource("memo://a").unwrap().slot();
        assert_eq!(Item::NAMES[memo], ("resource", "memo"));
        let all = ["tool", "prompt", "resource"].map(|kind| names(kind).count());
        assert_eq!(all.iter().sum::<usize>(), Item::SLOTS);
    }

    #[test]
    fn unknown_names_are_refused_with_what_was_asked_for() {
        assert_eq!(Item::tool("Echo"), Err(Refusal::Target("Echo".into())));
        assert_eq!(Item::prompt("echo"), Err(Refusal::Target("echo".into())));
        assert_eq!(Item::resource("x"), Err(Refusal::Resource("x".into())));
    }

    #[tokio::test]
    async fn arguments_that_are_no_object_are_refused() {
        for bad in ["[]", "null", "\"x\"", "[\"text\"]"] {
            let refused = refusal(Item::Tool(Tool::Echo), bad).await;
            assert!(matches!(refused, Some(Refusal::Params(_))), "{bad}");
        }
    }

    #[tokio::test]
    async fn prompt_arguments_that_are_no_strings_are_refused() {
        let briefing = Item::Prompt(Prompt::Briefing);
        let refused = refusal(briefing, r#"{"topic":5}"#).await;
        assert!(matches!(refused, Some(Refusal::Params(_))));
    }
}
