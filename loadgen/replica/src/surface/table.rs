//! The tools and prompts there are: one row each, with the code that provides it.

use serde_json::Value;

use crate::surface::fixtures::{
    ask, capability, change, content, logging, progress, prompts, rounds, schema,
};
use crate::surface::{
    Call, Turned, briefing, confirm_delete, echo, grow, interview, nag, redeem, shed, survey,
    wizard, work,
};

/// What the code of a tool or a prompt provides. Its row in the table makes it listed and callable.
pub(crate) trait Entry {
    /// Whether it may have something to say before its result.
    const SPEAKS: bool = false;

    /// How it is listed, without its name: description, and input schema or arguments.
    fn listing() -> Value;

    /// Runs one round.
    ///
    /// # Errors
    /// When an answer cannot be understood, or the arguments have a shape that it never takes.
    fn turn<'b>(call: &Call<'b, '_>) -> impl Future<Output = Turned<'b>> + Send;
}

macro_rules! table {
    (
        $(#[$doc:meta])* $table:ident
        { $($own:ident = $own_name:literal => $own_code:ty,)* }
        fixtures
        { $($fixture:ident = $fixture_name:literal => $fixture_code:ty,)* }
    ) => {
        table! {
            $(#[$doc])* $table
            { $($own = $own_name => $own_code,)* $($fixture = $fixture_name => $fixture_code,)* }
        }

        impl $table {
            /// Whether only the official conformance suite looks for it.
            pub(crate) const fn is_fixture(self) -> bool {
                matches!(self, $(Self::$fixture)|*)
            }
        }
    };
    ($(#[$doc:meta])* $table:ident { $($entry:ident = $name:literal => $code:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $table {
            $($entry,)*
        }

        impl $table {
            /// Every entry, in the order of the list.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$entry,)*];

            /// The names, in the same order.
            pub(crate) const NAMES: &'static [&'static str] = &[$($name,)*];

            /// The entry of this name, which compares by case.
            pub(crate) fn of(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$entry),)*
                    _ => None,
                }
            }

            /// How it is listed.
            pub(crate) fn listing(self) -> Value {
                let (name, mut listing) = match self {
                    $(Self::$entry => ($name, <$code>::listing()),)*
                };
                listing["name"] = name.into();
                listing
            }

            /// Whether it may have something to say before its result.
            pub(crate) const fn speaks(self) -> bool {
                match self {
                    $(Self::$entry => <$code>::SPEAKS,)*
                }
            }

            /// Runs one round.
            ///
            /// # Errors
            /// When an answer cannot be understood, or the arguments have a shape that it never takes.
            pub(crate) async fn turn<'b>(self, call: &Call<'b, '_>) -> Turned<'b> {
                match self {
                    $(Self::$entry => <$code>::turn(call).await,)*
                }
            }
        }
    };
}

table! {
    /// What `tools/call` calls.
    Tool {
        Echo = "echo" => echo::Echo,
        ConfirmDelete = "confirm_delete" => confirm_delete::ConfirmDelete,
        Wizard = "wizard" => wizard::Wizard,
        Survey = "survey" => survey::Survey,
        Interview = "interview" => interview::Interview,
        Work = "work" => work::Work,
        Redeem = "redeem" => redeem::Redeem,
        Shed = "shed" => shed::Shed,
        Nag = "nag" => nag::Nag,
        Grow = "grow" => grow::Grow,
    }
    fixtures {
        SimpleText = "test_simple_text" => content::SimpleText,
        Image = "test_image_content" => content::Image,
        Audio = "test_audio_content" => content::Audio,
        EmbeddedResource = "test_embedded_resource" => content::EmbeddedResource,
        MixedContent = "test_multiple_content_types" => content::MixedContent,
        Failing = "test_error_handling" => content::Failing,
        Progress = "test_tool_with_progress" => progress::Progress,
        Logging = "test_logging_tool" => logging::Logging,
        MissingCapability = "test_missing_capability" => capability::NeedsSampling,
        StreamingElicitation = "test_streaming_elicitation" => ask::Elicitation,
        ChangeTools = "test_trigger_tool_change" => change::OfTools,
        ChangePrompts = "test_trigger_prompt_change" => change::OfPrompts,
        ChangeResources = "test_trigger_resource_change" => change::OfResources,
        ParamHeader = "test_param_header" => schema::ParamHeader,
        Schema2020 = "json_schema_2020_12_tool" => schema::Schema2020,
        AskForm = "test_input_required_result_elicitation" => ask::Elicitation,
        AskModel = "test_input_required_result_sampling" => ask::Sampling,
        AskRoots = "test_input_required_result_list_roots" => ask::Roots,
        RequestState = "test_input_required_result_request_state" => rounds::WithState,
        TamperedState = "test_input_required_result_tampered_state" => rounds::WithState,
        MultipleInputs = "test_input_required_result_multiple_inputs" => rounds::MultipleInputs,
        MultiRound = "test_input_required_result_multi_round" => rounds::MultiRound,
        Capabilities = "test_input_required_result_capabilities" => capability::AsksWhatIsDeclared,
    }
}

impl Prompt {
    /// What one of its arguments may be completed to.
    pub(crate) fn suggestions(self, argument: &str) -> &'static [&'static str] {
        match self {
            Self::Briefing => briefing::suggestions(argument),
            _ => &[],
        }
    }
}

table! {
    /// What `prompts/get` renders.
    Prompt {
        Briefing = "briefing" => briefing::Briefing,
    }
    fixtures {
        Simple = "test_simple_prompt" => prompts::Simple,
        WithArguments = "test_prompt_with_arguments" => prompts::WithArguments,
        WithResource = "test_prompt_with_embedded_resource" => prompts::WithResource,
        WithImage = "test_prompt_with_image" => prompts::WithImage,
        Asking = "test_input_required_result_prompt" => prompts::Asking,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_under_the_name_they_are_listed_by() {
        for &tool in Tool::ALL {
            let listing = tool.listing();
            assert_eq!(Tool::of(listing["name"].as_str().unwrap()), Some(tool));
            assert!(listing["description"].is_string(), "{listing}");
            assert_eq!(listing["inputSchema"]["type"], "object", "{listing}");
        }
        for &prompt in Prompt::ALL {
            let listing = prompt.listing();
            assert_eq!(Prompt::of(listing["name"].as_str().unwrap()), Some(prompt));
            assert!(listing["description"].is_string(), "{listing}");
        }
        assert_eq!(Tool::of("Echo"), None);
    }
}
