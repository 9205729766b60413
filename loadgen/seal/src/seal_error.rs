use crate::key::KeyId;

/// A state was not sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The token would be longer than the configured limit: shorten the state or raise the limit.
    #[error("a state of {state_bytes} bytes makes a token above the limit of {limit} characters")]
    TooLong {
        /// Length of the state.
        state_bytes: usize,
        /// The limit in characters.
        limit: usize,
    },
    /// The output is shorter than [`Sealer::token_len`](crate::Sealer::token_len) says.
    #[error("the output has room for {room} characters, the token needs {needed}")]
    OutputTooShort {
        /// Length of the output.
        room: usize,
        /// Length of the token.
        needed: usize,
    },
    /// The flow's deadline has passed: no round may be added to it.
    #[error("the flow's deadline has passed")]
    DeadlinePassed,
    /// The key has sealed as many tokens as it may: rotate to a new key.
    #[error("key {0} has sealed all the tokens it may: rotate to a new key")]
    BudgetSpent(KeyId),
    /// The clock is past the year 2106, the end of the expiry's 32 bits.
    #[error("the clock is past what a token's expiry can say")]
    ClockOutOfRange,
    /// The backend refused, which it does only for lengths no configuration allows.
    #[error("the backend failed to seal")]
    Backend,
}
