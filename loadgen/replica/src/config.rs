use std::num::NonZeroUsize;

use loadgen_seal::{Algorithm, Backend, KeyRing, Ttl};

use crate::access_log::AccessLog;
use crate::clock::Clock;
use crate::fifo::Fifo;
use crate::http::hosts::Hosts;
use crate::http::origin::Origins;
use crate::limit::LimitConfig;
use crate::principals::Principals;
use crate::redis_link::RedisConfig;
use crate::reply_form::ReplyForm;
use crate::store::StoreConfig;

/// How a replica serves. Replicas of a fleet share `ring`, `algorithm`, `audience` and the two
/// lifetimes.
#[derive(Clone, Debug)]
pub struct Config {
    /// The keys that states are sealed with.
    pub ring: KeyRing,
    /// What protects the states.
    pub algorithm: Algorithm,
    /// Who computes it.
    pub backend: Backend,
    /// How long a state lives; each round's state starts anew.
    pub ttl: Ttl,
    /// How long a workflow may take from its first question, however many rounds it has.
    pub flow_ttl: Ttl,
    /// The service that the states are for: another audience cannot open them.
    pub audience: String,
    /// This replica's number, shown in `_meta` of every result.
    pub instance: u32,
    /// The largest request body, in bytes.
    pub body_limit_bytes: usize,
    /// Whether the items that the official conformance suite looks up by name are there too. They
    /// make lists several times as long, so a replica under load does without them.
    pub conformance: bool,
    /// How many entries a page of a list has; `None` puts them all on one page.
    pub page_size: Option<NonZeroUsize>,
    /// In which form results are sent.
    pub replies: ReplyForm,
    /// Serves items one at a time, each for this long; `None` serves them as they come.
    pub fifo: Option<Fifo>,
    /// How many requests are admitted; `None` is as many as come.
    pub limit: Option<LimitConfig>,
    /// Where used tokens are recorded.
    pub store: StoreConfig,
    /// The Redis behind a shared limit and a shared record; `None` when neither is.
    pub redis: Option<RedisConfig>,
    /// The names that clients may call the replica by, beside those of the loopback interface.
    pub hosts: Hosts,
    /// The origins whose pages may call it, beside those of the loopback interface.
    pub origins: Origins,
    /// Who may call, by bearer token. `None` lets everybody call and takes the Authorization field
    /// as it is for the name of who does.
    pub principals: Option<Principals>,
    /// Where a line about each request goes; none: nowhere.
    pub access_log: Option<AccessLog>,
    /// Tools of which [`crate::Replica::token_counters`] counts how often each state was used;
    /// none: nothing is kept.
    pub watch_tokens_of: Vec<String>,
    /// The wall clock that lifetimes are judged by.
    pub clock: Clock,
}

impl Config {
    /// Body limit in bytes unless said otherwise: 4 MiB, as in the SDKs.
    pub const BODY_LIMIT_BYTES: usize = 4 << 20;

    /// Lifetime of a state in seconds unless said otherwise, as in the SDKs.
    pub const TTL_S: u32 = 600;

    /// Audience unless said otherwise.
    pub const AUDIENCE: &'static str = "loadgen-replica";

    /// What protects states unless said otherwise: random nonces never run out, however many
    /// replicas share the key (C2SP XAES-256-GCM: 2^80 tokens).
    pub const ALGORITHM: Algorithm = Algorithm::Xaes256Gcm;

    /// The defaults around what has none: a workflow may take six times `ttl`.
    pub fn new(ring: KeyRing, algorithm: Algorithm, backend: Backend, ttl: Ttl) -> Self {
        Self {
            ring,
            algorithm,
            backend,
            ttl,
            flow_ttl: six_times(ttl),
            audience: Self::AUDIENCE.to_owned(),
            instance: 0,
            body_limit_bytes: Self::BODY_LIMIT_BYTES,
            conformance: false,
            page_size: None,
            replies: ReplyForm::default(),
            fifo: None,
            limit: None,
            store: StoreConfig::default(),
            redis: None,
            hosts: Hosts::default(),
            origins: Origins::default(),
            principals: None,
            access_log: None,
            watch_tokens_of: Vec::new(),
            clock: Clock::system(),
        }
    }

    /// The longest state that is minted, in characters: seven eighths of the body limit, since the
    /// request that brings it back carries arguments and answers too.
    pub(crate) const fn state_limit(&self) -> usize {
        self.body_limit_bytes - self.body_limit_bytes / 8
    }
}

fn six_times(ttl: Ttl) -> Ttl {
    let seconds = u64::from(ttl.as_secs()) * 6;
    Ttl::try_from(seconds.min(u64::from(Ttl::MAX_S)))
        .expect("at least one second, at most the limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_long_lives_stop_at_the_limit() {
        let ttl = |s: u32| Ttl::try_from(u64::from(s)).unwrap();
        assert_eq!(six_times(ttl(600)).as_secs(), 3600);
        assert_eq!(six_times(ttl(Ttl::MAX_S)).as_secs(), Ttl::MAX_S);
    }
}
