/// What is counted each time a fault makes a difference. The names are those of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fault {
    /// A request waited for the end of a freeze.
    Freeze,
    /// A request waited for the end of a stall.
    Stall,
    /// A request was delayed.
    Latency,
    /// An error was answered and nothing executed.
    Error,
    /// An HTML page was answered and nothing executed.
    Html,
    /// The connection was cut and nothing executed.
    CloseBefore,
    /// The connection was cut after the request was executed.
    CloseAfter,
    /// A tool call was answered with `isError` and not executed.
    ToolError,
    /// A result left without its `resultType`.
    OmitResultType,
    /// A result left with another `resultType`.
    ResultType,
    /// A result with questions left with members that nobody knows.
    ExtraMembers,
    /// A missing capability was told with another HTTP status.
    CapabilityStatus,
    /// A refused state was told in another way.
    StateRefusal,
    /// A request was refused because only another revision is spoken.
    OnlyVersion,
    /// Answers were thrown away.
    IgnoreAnswers,
    /// A question was asked that the client had not declared.
    UndeclaredQuestions,
    /// Several questions were put in another order.
    ShuffleQuestions,
    /// A question was asked in other words.
    QuestionSuffix,
    /// A state in another spelling than its own was read all the same.
    MalleableBase64,
    /// A state was sealed or opened without what it is bound to.
    NoBinding,
    /// A state whose time was over was opened all the same.
    NoExpiry,
    /// A lifetime was judged by a clock that is off.
    ClockOffset,
    /// A state was opened or sealed more slowly.
    SlowSeal,
    /// Memory was leaked.
    Leak,
    /// A reply dripped.
    Drip,
    /// A stream left with other line ends.
    SseLineEnd,
}

impl Fault {
    /// Every fault that is counted.
    pub const ALL: [Self; 26] = [
        Self::Freeze,
        Self::Stall,
        Self::Latency,
        Self::Error,
        Self::Html,
        Self::CloseBefore,
        Self::CloseAfter,
        Self::ToolError,
        Self::OmitResultType,
        Self::ResultType,
        Self::ExtraMembers,
        Self::CapabilityStatus,
        Self::StateRefusal,
        Self::OnlyVersion,
        Self::IgnoreAnswers,
        Self::UndeclaredQuestions,
        Self::ShuffleQuestions,
        Self::QuestionSuffix,
        Self::MalleableBase64,
        Self::NoBinding,
        Self::NoExpiry,
        Self::ClockOffset,
        Self::SlowSeal,
        Self::Leak,
        Self::Drip,
        Self::SseLineEnd,
    ];

    /// The key of the language that brings it about.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Freeze => "freeze_ms",
            Self::Stall => "stall",
            Self::Latency => "latency_ms",
            Self::Error => "error_rate",
            Self::Html => "html_rate",
            Self::CloseBefore => "close_before_rate",
            Self::CloseAfter => "close_after_rate",
            Self::ToolError => "tool_error_every",
            Self::OmitResultType => "omit_result_type",
            Self::ResultType => "result_type",
            Self::ExtraMembers => "extra_members",
            Self::CapabilityStatus => "capability_status",
            Self::StateRefusal => "state_refusal",
            Self::OnlyVersion => "only_version",
            Self::IgnoreAnswers => "ignore_answers",
            Self::UndeclaredQuestions => "undeclared_questions",
            Self::ShuffleQuestions => "shuffle_questions",
            Self::QuestionSuffix => "question_suffix",
            Self::MalleableBase64 => "malleable_base64",
            Self::NoBinding => "no_binding",
            Self::NoExpiry => "no_expiry",
            Self::ClockOffset => "clock_offset_s",
            Self::SlowSeal => "slow_seal",
            Self::Leak => "leak_bytes",
            Self::Drip => "drip",
            Self::SseLineEnd => "sse_line_end",
        }
    }
}
