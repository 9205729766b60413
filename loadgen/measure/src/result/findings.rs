use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// Something a reader should know, for machines and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What it is, for machines.
    pub code: FindingCode,
    /// What it is, for people: one sentence.
    pub sentence: String,
    /// Replicas that it is about; empty when it is about none in particular.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicas: Vec<usize>,
}

/// What was said or seen when rounds failed, with how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureExample {
    /// How the rounds ended.
    pub outcome: Outcome,
    /// Replica that they went to.
    pub replica: usize,
    /// What the server said, or what was seen, in one line.
    pub text: String,
    /// Rounds that failed with these very words.
    pub count: u64,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingCode {
    /// Replicas refuse each other's states and accept their own.
    KeyOrAudienceNotShared,
    /// Replicas refuse states in one direction only.
    ClockSkewSuspected,
    /// A replica refuses the states that it minted itself.
    ReplicaRefusesOwnState,
    /// A key was minted with before every replica accepted it, or dropped before its states ran out.
    KeyTurnedTooEarly,
    /// Some states were refused, by no replica in particular.
    StatesRefusedInPart,
    /// States were refused, or not, that the scenario broke itself.
    StatesBrokenByScenario,
    /// A replica that the run had started ended before its time.
    ReplicaDied,
    /// Something that the scenario lets happen to replicas did not happen.
    EventFailed,
    /// The memory of a replica that the run had started rises with every request.
    ReplicaGrows,
    /// Nobody asked for an answer that the scenario fixes.
    UnusedAnswers,
    /// Nothing ended well.
    NoSuccess,
    /// Fewer workflows were started than planned.
    RateNotReached,
    /// Workflows ended at a lower rate than they were to arrive.
    NotKeptUp,
    /// A server answered on clearly fewer connections than were opened to it.
    ConnectionsNotAnswered,
    /// Errors came with another HTTP status than the protocol gives to their code.
    StatusDeviates,
    /// Requests were refused as too large.
    TooLarge,
    /// The run ended in its warm-up: every figure is of that.
    WarmUpOnly,
    /// Seconds at the start were cut from the headline response times by rule.
    WarmUpCut,
    /// The run never settled: no rule can tell its warm-up from the rest.
    NeverSettled,
    /// Response times rise or fall over the measured time.
    Drifting,
    /// Some rounds were still in flight when the drain ended.
    Unfinished,
    /// Some kept-alive connections were closed by the peer as they were used.
    StaleConnections,
    /// Some replies waited for an acknowledgement that the client's kernel delays by 40 ms: the
    /// server has Nagle's algorithm on.
    DelayedAck,
    /// Wall clock and monotonic clock disagree by more than a second.
    ClocksDisagree,
    /// A rate limit refused some attempts.
    Throttled,
    /// A state that was sent back several times was carried out more than once.
    CarriedOutAgain,
    /// A rate limit admitted more than it is meant to.
    LimitExceeded,
    /// Some measured intervals ended before they began and were taken as 0.
    InvertedIntervals,
    /// Some times were longer than the histogram's bound.
    ClippedTimes,
    /// Seconds could not be read back from the temporary file that they were kept in.
    SecondsUnread,
    /// Counts that must be equal are not.
    CheckFailed,
    /// The mean number in flight does not fit the times and the duration.
    LittlesLawBroken,
    /// The load generator was the bottleneck.
    GeneratorBound,
}

impl Finding {
    pub(crate) fn new(code: FindingCode, sentence: String) -> Self {
        Self::about(code, Vec::new(), sentence)
    }

    pub(crate) fn about(code: FindingCode, replicas: Vec<usize>, sentence: String) -> Self {
        Self {
            code,
            sentence,
            replicas,
        }
    }
}
