use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a round or a workflow ended.
///
/// A round whose answer asks for input, and whose workflow goes on, is [`Outcome::Ok`]: only an
/// ending that stops the workflow has another outcome.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Answered as asked.
    Ok,
    /// The tool answered with `isError`.
    ToolError,
    /// A whole result without the text that the scenario expects (`expect_text`).
    WrongContent,
    /// Refused by a rate limit, or held back to the end because others were.
    Throttled,
    /// The request state was refused.
    StateRejected,
    /// An answer that breaks the protocol, or a JSON-RPC error with no class of its own.
    ProtocolError,
    /// The server still asked for input after the highest allowed number of retries.
    RoundCap,
    /// The server asked the same again without moving on.
    NoProgress,
    /// No whole answer in the allowed time.
    Timeout,
    /// A kept-alive connection was closed by the peer as the request was written.
    StaleConnection,
    /// No connection could be made.
    ConnectError,
    /// Still in flight, or in line for a connection, when the drain ended; its time is an age, a lower
    /// bound.
    Unfinished,
    /// Given up by the user, in a second interrupt or as the scenario plans it; its time is an age, a
    /// lower bound.
    Abandoned,
    /// The load generator itself failed (out of file descriptors or ports, for example).
    GeneratorFault,
}

/// What the time of an outcome means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeMeaning {
    /// A whole answer came: the time is a latency.
    Latency,
    /// No answer came: the time is how long the failure took to show.
    TimeToError,
    /// The end was not seen: the time is a lower bound.
    Age,
}

impl Outcome {
    /// Every outcome, in the order of [`Outcome::index`].
    pub const ALL: [Self; 14] = [
        Self::Ok,
        Self::ToolError,
        Self::WrongContent,
        Self::Throttled,
        Self::StateRejected,
        Self::ProtocolError,
        Self::RoundCap,
        Self::NoProgress,
        Self::Timeout,
        Self::StaleConnection,
        Self::ConnectError,
        Self::Unfinished,
        Self::Abandoned,
        Self::GeneratorFault,
    ];

    /// How many outcomes there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Position in [`Outcome::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether the recorded time is a latency, a time to error or an age.
    pub const fn time_meaning(self) -> TimeMeaning {
        match self {
            Self::Ok
            | Self::ToolError
            | Self::WrongContent
            | Self::Throttled
            | Self::StateRejected
            | Self::ProtocolError
            | Self::RoundCap
            | Self::NoProgress => TimeMeaning::Latency,
            Self::Timeout | Self::StaleConnection | Self::ConnectError | Self::GeneratorFault => {
                TimeMeaning::TimeToError
            }
            Self::Unfinished | Self::Abandoned => TimeMeaning::Age,
        }
    }

    /// The name in result files, as in `state_rejected`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::WrongContent => "wrong_content",
            Self::Throttled => "throttled",
            Self::StateRejected => "state_rejected",
            Self::ProtocolError => "protocol_error",
            Self::RoundCap => "round_cap",
            Self::NoProgress => "no_progress",
            Self::Timeout => "timeout",
            Self::StaleConnection => "stale_connection",
            Self::ConnectError => "connect_error",
            Self::Unfinished => "unfinished",
            Self::Abandoned => "abandoned",
            Self::GeneratorFault => "generator_fault",
        }
    }
}

impl fmt::Display for Outcome {
    /// The name for people, as in `state rejected`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name().replace('_', " "))
    }
}

/// Why a planned workflow was never started.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NotStarted {
    /// The limit on workflows in flight was reached when it was due.
    NoFreeWorker,
    /// The generator came to it later than `catch_up = "skip"` allows.
    Late,
    /// The run ended before the generator came to it.
    RunEnded,
    /// The run was interrupted before it was due.
    Interrupted,
    /// The load generator failed.
    GeneratorFault,
}

impl NotStarted {
    /// Every cause, in the order of [`NotStarted::index`].
    pub const ALL: [Self; 5] = [
        Self::NoFreeWorker,
        Self::Late,
        Self::RunEnded,
        Self::Interrupted,
        Self::GeneratorFault,
    ];

    /// Position in [`NotStarted::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoFreeWorker => "no free worker",
            Self::Late => "late",
            Self::RunEnded => "run ended",
            Self::Interrupted => "interrupted",
            Self::GeneratorFault => "generator fault",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_indices_and_serde_agree() {
        for (position, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome.index(), position);
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(json, format!("\"{}\"", outcome.name()));
        }
        for (position, cause) in NotStarted::ALL.into_iter().enumerate() {
            assert_eq!(cause.index(), position);
        }
        assert_eq!(Outcome::StateRejected.to_string(), "state rejected");
    }
}
