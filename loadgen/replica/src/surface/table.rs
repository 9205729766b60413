//! The tools and prompts there are: one row each, with the code that provides it.

use serde_json::Value;

use crate::surface::{Call, Turned, briefing, confirm_delete, echo, logging, progress, wizard};

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
        Progress = "test_tool_with_progress" => progress::Progress,
        Logging = "test_logging_tool" => logging::Logging,
    }
}

table! {
    /// What `prompts/get` renders.
    Prompt {
        Briefing = "briefing" => briefing::Briefing,
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
