use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::key_ring::KeyRing;
use crate::time::Ttl;

/// How tokens are sealed and opened. Every replica of a fleet has the same, but for the backend.
#[derive(Clone, Debug)]
pub struct Config {
    /// What protects the tokens.
    pub algorithm: Algorithm,
    /// Who computes it.
    pub backend: Backend,
    /// The keys.
    pub ring: KeyRing,
    /// How long a token lives.
    pub ttl: Ttl,
    /// How many seconds after its expiry, and after the flow's deadline, a token still opens.
    pub leeway_s: u32,
    /// How many seconds this replica's clock may be behind the one that minted.
    pub skew_s: u32,
    /// The longest token to mint or to look at, in characters.
    pub max_token_len: usize,
    /// How many tokens this sealer may seal with one key. `None`: the algorithm's whole bound
    /// ([`Algorithm::seal_bound`]); a fleet that shares the key gives each replica its part.
    pub seal_budget: Option<u64>,
    /// Allows [`Algorithm::None`], whose tokens anybody can read and forge. For demonstrations of
    /// attacks only.
    pub allow_insecure: bool,
}

impl Config {
    /// Seconds a clock may be behind, unless said otherwise.
    pub const SKEW_S: u32 = 60;

    /// The longest token, unless said otherwise: room for a state of 1 MiB.
    pub const MAX_TOKEN_LEN: usize = 1_500_000;

    /// The defaults of this crate around what has none: leeway 0, skew [`Config::SKEW_S`], tokens of
    /// up to [`Config::MAX_TOKEN_LEN`] characters, the algorithm's whole seal bound, nothing
    /// insecure.
    pub fn new(algorithm: Algorithm, backend: Backend, ring: KeyRing, ttl: Ttl) -> Self {
        Self {
            algorithm,
            backend,
            ring,
            ttl,
            leeway_s: 0,
            skew_s: Self::SKEW_S,
            max_token_len: Self::MAX_TOKEN_LEN,
            seal_budget: None,
            allow_insecure: false,
        }
    }
}

/// A configuration that cannot work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The backend does not compute the algorithm.
    #[error("backend {backend} does not do {algorithm}")]
    Unsupported {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The backend asked for.
        backend: Backend,
    },
    /// The backend is not in this build, or this processor cannot run it.
    #[error("backend {0} is not available: not built in, or this processor lacks what it needs")]
    Unavailable(Backend),
    /// The algorithm protects nothing and that was not allowed.
    #[error("{0} protects nothing: it needs the explicit permission to be insecure")]
    Insecure(Algorithm),
    /// The budget is 0 or above the algorithm's bound.
    #[error("a seal budget of {budget} is not within 1 and {bound}, the bound of {algorithm}")]
    Budget {
        /// The budget asked for.
        budget: u64,
        /// The most the algorithm allows.
        bound: u64,
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// Not even an empty state fits the size limit.
    #[error("a limit of {limit} characters cannot hold any token: the shortest has {shortest}")]
    Limit {
        /// The limit asked for.
        limit: usize,
        /// The token of an empty state.
        shortest: usize,
    },
}
