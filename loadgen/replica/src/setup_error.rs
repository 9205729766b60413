use loadgen_seal::ConfigError;

use crate::limit::LimitError;
use crate::redis_link::RedisUrlError;

/// A configuration that no replica can serve with.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The backend lacks the algorithm, or a lifetime or size makes no sense.
    #[error(transparent)]
    Seal(#[from] ConfigError),
    /// The rate limit cannot be kept.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Nothing can be connected to.
    #[error(transparent)]
    Redis(#[from] RedisUrlError),
    /// States shall be watched of a tool that is not there.
    #[error("there is no tool {0:?} whose states could be watched")]
    NoToolToWatch(String),
    /// A record of tokens used shall be in Redis, and none is named.
    #[error("a record of used tokens in Redis needs the URL of one")]
    NoRedisForStore,
}
