//! What the replica offers: tools `echo`, `confirm_delete` and `wizard`, prompt `briefing`,
//! resource `memo://{name}`, which the SDK servers under `scripts/peers` have too; tools `survey`
//! and `interview` that ask in every way there is; tools that cost, stay or grow as a load test
//! asks for; and, where they are wanted, what the official conformance suite looks up by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use loadgen_protocol::Meta;
use loadgen_protocol::raw_json::object;
use serde::Deserialize;

use crate::method::Method;
use crate::mrtr::{Step, Turn};
use crate::notifier::Notifier;
use crate::refusal::Refusal;
use crate::subscriptions::Subscriptions;

mod briefing;
mod confirm_delete;
mod echo;
mod fixtures;
mod grow;
mod interview;
mod memo;
mod nag;
mod redeem;
mod resource;
mod shed;
mod survey;
mod table;
mod whole;
mod wizard;
mod wizard_state;
mod work;

pub(crate) use resource::Resource;
pub(crate) use table::{Entry, Prompt, Tool};

/// What an item has to work with in one round.
pub(crate) struct Call<'b, 'a> {
    /// The arguments in the request's own bytes: a JSON object.
    pub(crate) arguments: &'b str,
    pub(crate) turn: Turn<'a>,
    pub(crate) notifier: &'a Notifier,
    /// Who listens on this replica.
    pub(crate) subscriptions: &'a Subscriptions,
    /// What the client says of itself in this request.
    pub(crate) meta: &'a Meta<'b>,
    /// The wall clock, in milliseconds since 1970.
    pub(crate) now_ms: u64,
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

/// Which items there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Surface {
    /// Whether those that the official conformance suite looks for are there too.
    pub(crate) fixtures: bool,
}

impl Surface {
    pub(crate) fn tools(self) -> impl Iterator<Item = Tool> {
        let all = Tool::ALL.iter().copied();
        all.filter(move |tool| self.fixtures || !tool.is_fixture())
    }

    pub(crate) fn prompts(self) -> impl Iterator<Item = Prompt> {
        let all = Prompt::ALL.iter().copied();
        all.filter(move |prompt| self.fixtures || !prompt.is_fixture())
    }

    pub(crate) fn tool(self, name: &str) -> Option<Tool> {
        Tool::of(name).filter(|tool| self.fixtures || !tool.is_fixture())
    }

    pub(crate) fn prompt(self, name: &str) -> Option<Prompt> {
        Prompt::of(name).filter(|prompt| self.fixtures || !prompt.is_fixture())
    }

    pub(crate) fn resource(self, uri: &str) -> Option<Resource<'_>> {
        Resource::at(uri).filter(|resource| self.fixtures || !resource.is_fixture())
    }

    /// What a request that names something runs: a tool, a prompt or a resource, by its method.
    ///
    /// # Errors
    /// When there is nothing of that name.
    pub(crate) fn item(self, method: Method, target: &str) -> Result<Item<'_>, Refusal> {
        let named = || Refusal::Target(target.to_owned());
        match method {
            Method::ToolsCall => self.tool(target).map(Item::Tool).ok_or_else(named),
            Method::PromptsGet => self.prompt(target).map(Item::Prompt).ok_or_else(named),
            _ => self
                .resource(target)
                .map(Item::Resource)
                .ok_or_else(|| Refusal::Resource(target.to_owned())),
        }
    }

    /// Whether what has this name may have something to say before its result.
    pub(crate) fn may_speak(self, name: &str) -> bool {
        let prompt = || self.prompt(name).is_some_and(Prompt::speaks);
        self.tool(name).map_or_else(prompt, Tool::speaks)
    }
}

impl Item<'_> {
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
pub(crate) mod testing {
    use super::*;
    use crate::mrtr::testing::no_meta;

    /// Runs one round of a tool or prompt for a client that says nothing of itself and does not
    /// listen. What the round borrows lives until the test ends.
    pub(crate) async fn run<E: Entry>(arguments: &'static str, turn: Turn<'_>) -> Turned<'static> {
        let call = Call {
            arguments,
            turn,
            notifier: &Notifier::none(),
            subscriptions: &Subscriptions::new(),
            now_ms: 0,
            meta: Box::leak(Box::new(no_meta())),
        };
        E::turn(&call).await
    }
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
            subscriptions: &Subscriptions::new(),
            meta: &no_meta(),
            now_ms: 0,
        };
        item.turn(&call).await.err()
    }

    #[test]
    fn everything_that_can_be_run_has_a_slot_of_its_own_with_its_name() {
        let names = |kind| Item::NAMES.iter().filter(move |name| name.0 == kind);
        let all = Surface { fixtures: true };
        let slot = |method, name| all.item(method, name).unwrap().slot();
        for (kind, name) in names("tool") {
            assert_eq!(Item::NAMES[slot(Method::ToolsCall, name)], (*kind, *name));
        }
        for (kind, name) in names("prompt") {
            assert_eq!(Item::NAMES[slot(Method::PromptsGet, name)], (*kind, *name));
        }
        for (uri, name) in [
            ("memo://a", "memo"),
            ("test://static-text", "static-text"),
            ("test://static-binary", "static-binary"),
            ("test://template/1/data", "template"),
        ] {
            let slot = slot(Method::ResourcesRead, uri);
            assert_eq!(Item::NAMES[slot], ("resource", name));
        }
        let all = ["tool", "prompt", "resource"].map(|kind| names(kind).count());
        assert_eq!(all.iter().sum::<usize>(), Item::SLOTS);
    }

    #[test]
    fn unknown_names_are_refused_with_what_was_asked_for() {
        let all = Surface { fixtures: true };
        for (method, name, want) in [
            (Method::ToolsCall, "Echo", Refusal::Target("Echo".into())),
            (Method::PromptsGet, "echo", Refusal::Target("echo".into())),
            (Method::ResourcesRead, "x", Refusal::Resource("x".into())),
        ] {
            assert_eq!(all.item(method, name), Err(want));
        }
    }

    #[test]
    fn fixtures_are_there_only_where_they_are_wanted() {
        let (plain, all) = (Surface { fixtures: false }, Surface { fixtures: true });
        assert_eq!(all.tools().count(), Tool::ALL.len());
        assert_eq!(all.prompts().count(), Prompt::ALL.len());
        assert!(plain.tools().all(|tool| !tool.is_fixture()));
        assert!(plain.prompts().eq([Prompt::Briefing]));
        assert!(plain.tool("test_simple_text").is_none() && all.tool("test_simple_text").is_some());
        let prompt = "test_simple_prompt";
        assert!(plain.prompt(prompt).is_none() && all.prompt(prompt).is_some());
        let uri = "test://static-text";
        assert!(plain.resource(uri).is_none() && all.resource(uri).is_some());
        let speaking = "test_tool_with_progress";
        assert!(!plain.may_speak(speaking) && all.may_speak(speaking));
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
