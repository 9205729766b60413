use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::algorithm::Algorithm;
use crate::backend::{Backend, Cipher};
use crate::binding::Binding;
use crate::claims::Claims;
use crate::config::{Config, ConfigError};
use crate::counters::{Counters, KeyCount, Refusals};
use crate::encoding;
use crate::envelope::{Header, token_len};
use crate::key::KeyId;
use crate::key_ring::Role;
use crate::nonce;
use crate::time::UnixSeconds;

/// Seals state into tokens and opens them. Made once at start; threads share it through an `Arc`.
pub struct Sealer {
    pub(crate) algorithm: Algorithm,
    backend: Backend,
    pub(crate) slots: Vec<Slot>,
    mint: usize,
    ttl_s: u32,
    pub(crate) leeway_s: u32,
    /// The furthest that an honest expiry can lie ahead, in seconds.
    pub(crate) horizon_s: u64,
    pub(crate) max_token_len: usize,
    budget: u64,
    pub(crate) refusals: Refusals,
}

/// A key scheduled for this sealer's algorithm.
pub(crate) struct Slot {
    pub(crate) id: KeyId,
    pub(crate) cipher: Cipher,
    sealed: AtomicU64,
    pub(crate) opened: AtomicU64,
}

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
    /// The output is shorter than [`Sealer::token_len`] says.
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

impl Sealer {
    /// Schedules every key of the ring.
    ///
    /// # Errors
    /// When the backend lacks the algorithm or cannot run here, or a limit makes no sense.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        let &Config {
            algorithm, backend, ..
        } = config;
        if !backend.supports(algorithm) {
            return Err(ConfigError::Unsupported { algorithm, backend });
        }
        if !backend.is_available() {
            return Err(ConfigError::Unavailable(backend));
        }
        let bound = algorithm.seal_bound();
        let budget = config.seal_budget.unwrap_or(bound);
        if !(1..=bound).contains(&budget) {
            return Err(ConfigError::Budget {
                budget,
                bound,
                algorithm,
            });
        }
        let shortest = encoding::encoded_len(crate::envelope::overhead_bytes(algorithm));
        if config.max_token_len < shortest {
            return Err(ConfigError::Limit {
                limit: config.max_token_len,
                shortest,
            });
        }
        let slots = config
            .ring
            .keys()
            .map(|(_, key)| {
                let cipher = Cipher::new(backend, algorithm, &key.derive(algorithm))
                    .ok_or(ConfigError::Unavailable(backend))?;
                Ok(Slot {
                    id: key.id(),
                    cipher,
                    sealed: AtomicU64::new(0),
                    opened: AtomicU64::new(0),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mint = config
            .ring
            .keys()
            .position(|(role, _)| role == Role::Mint)
            .expect("a KeyRing has exactly one key that mints");
        Ok(Self {
            algorithm,
            backend,
            slots,
            mint,
            ttl_s: config.ttl.as_secs(),
            leeway_s: config.leeway_s,
            horizon_s: u64::from(config.ttl.as_secs()) + u64::from(config.skew_s),
            max_token_len: config.max_token_len,
            budget,
            refusals: Refusals::default(),
        })
    }

    /// What protects the tokens.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Who computes it.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// Characters of the token of a state of `state_bytes` bytes: four thirds, rounded up, of the
    /// state, 11 bytes of header and claims, the nonce and the tag. `None` above the limit.
    pub fn token_len(&self, state_bytes: usize) -> Option<usize> {
        token_len(self.algorithm, state_bytes).filter(|&len| len <= self.max_token_len)
    }

    /// Seals `state` into a new string: one allocation of exactly the token's length.
    ///
    /// # Errors
    /// As [`Sealer::seal_into`].
    pub fn seal(
        &self,
        binding: &Binding,
        claims: Claims,
        state: &[u8],
        now: UnixSeconds,
    ) -> Result<String, SealError> {
        let len = self
            .token_len(state.len())
            .ok_or_else(|| self.too_long(state))?;
        let mut token = vec![0; len];
        self.seal_into(binding, claims, state, now, &mut token)?;
        Ok(String::from_utf8(token).expect("the base64url alphabet is ASCII"))
    }

    /// Seals `state` into the front of `out` and returns the token's length, allocating nothing.
    ///
    /// The token expires `ttl` after `now`, or at the flow's deadline if that is sooner. On an
    /// error `out` may hold the state in clear: do not send it.
    ///
    /// # Errors
    /// When the token would be too long, `out` is too short, the flow's deadline has passed, the
    /// key's budget is spent or the clock is out of range.
    pub fn seal_into(
        &self,
        binding: &Binding,
        claims: Claims,
        state: &[u8],
        now: UnixSeconds,
        out: &mut [u8],
    ) -> Result<usize, SealError> {
        let needed = self
            .token_len(state.len())
            .ok_or_else(|| self.too_long(state))?;
        let room = out.len();
        let out = out
            .get_mut(..needed)
            .ok_or(SealError::OutputTooShort { room, needed })?;
        if now.0 >= u64::from(claims.deadline) {
            return Err(SealError::DeadlinePassed);
        }
        let expiry = now
            .0
            .saturating_add(u64::from(self.ttl_s))
            .min(u64::from(claims.deadline));
        let expiry_s = u32::try_from(expiry).map_err(|_| SealError::ClockOutOfRange)?;
        let slot = &self.slots[self.mint];
        if slot.sealed.fetch_add(1, Ordering::Relaxed) >= self.budget {
            // Take it back, so that the counter says tokens sealed and never wraps.
            slot.sealed.fetch_sub(1, Ordering::Relaxed);
            return Err(SealError::BudgetSpent(slot.id));
        }
        let header = Header {
            first: Header::first_byte(self.algorithm),
            key: slot.id,
            expiry_s,
        };
        self.write(slot, header, binding, claims, state, out)?;
        Ok(needed)
    }

    /// What has been sealed, opened and refused so far.
    pub fn counters(&self) -> Counters {
        let keys = self.slots.iter().map(|slot| KeyCount {
            id: slot.id,
            sealed: slot.sealed.load(Ordering::Relaxed),
            opened: slot.opened.load(Ordering::Relaxed),
        });
        Counters {
            refused: self.refusals.read(),
            keys: keys.collect(),
        }
    }

    fn too_long(&self, state: &[u8]) -> SealError {
        SealError::TooLong {
            state_bytes: state.len(),
            limit: self.max_token_len,
        }
    }

    /// Lays the token out at the end of `out` and turns it into text in place.
    fn write(
        &self,
        slot: &Slot,
        header: Header,
        binding: &Binding,
        claims: Claims,
        state: &[u8],
        out: &mut [u8],
    ) -> Result<(), SealError> {
        let raw_bytes = crate::envelope::overhead_bytes(self.algorithm) + state.len();
        let start = out.len() - raw_bytes;
        let raw = &mut out[start..];
        let (clear, rest) = raw.split_at_mut(Header::BYTES);
        let (nonce, rest) = rest.split_at_mut(self.algorithm.nonce_bytes());
        let (text, tag) = rest.split_at_mut(Claims::BYTES + state.len());
        clear.copy_from_slice(&header.to_bytes());
        nonce::fill(nonce);
        claims.write(text);
        text[Claims::BYTES..].copy_from_slice(state);
        let made = slot
            .cipher
            .seal(nonce, &header.aad(binding), text)
            .map_err(|_| SealError::Backend)?;
        tag.copy_from_slice(&made[..self.algorithm.tag_bytes()]);
        encoding::encode_tail(out, raw_bytes);
        Ok(())
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer")
            .field("algorithm", &self.algorithm)
            .field("backend", &self.backend)
            .field("keys", &self.slots.iter().map(|s| s.id).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
