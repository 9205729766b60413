use std::fmt;
use std::sync::Arc;

use crate::algorithm::{Algorithm, Protection};
use crate::backend::Backend;
use crate::binding::Binding;
use crate::cipher::{CipherFailed, TAG_MAX};
use crate::claims::Claims;
use crate::config::{Config, ConfigError};
use crate::counters::{Counters, Refusals};
use crate::derived::DerivedKeys;
use crate::encoding;
use crate::envelope::{Header, overhead_bytes, token_len};
use crate::key_ring::Role;
use crate::rotation::Retired;
use crate::seal_error::SealError;
use crate::slot::Slot;
use crate::time::UnixSeconds;

/// Seals state into tokens and opens them. Made once at start; threads share it through an `Arc`.
pub struct Sealer {
    pub(crate) algorithm: Algorithm,
    pub(crate) backend: Backend,
    pub(crate) slots: Vec<Arc<Slot>>,
    /// Where in `slots` the key that mints is.
    pub(crate) mint: usize,
    /// Keys that were in the ring once.
    pub(crate) retired: Vec<Retired>,
    /// How many tokens may be sealed with one key.
    pub(crate) budget: u64,
    pub(crate) ttl_s: u32,
    pub(crate) leeway_s: u32,
    /// The furthest that an honest expiry can lie ahead, in seconds.
    pub(crate) horizon_s: u64,
    pub(crate) max_token_len: usize,
    pub(crate) refusals: Arc<Refusals>,
    pub(crate) derived: DerivedKeys,
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
        check(config)?;
        let budget = config.seal_budget.unwrap_or(algorithm.seal_bound());
        let slots = config
            .ring
            .keys()
            .map(|(_, key)| Slot::new(backend, algorithm, key, budget).map(Arc::new))
            .collect::<Option<Vec<_>>>()
            .ok_or(ConfigError::Unavailable(backend))?;
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
            retired: Vec::new(),
            budget,
            ttl_s: config.ttl.as_secs(),
            leeway_s: config.leeway_s,
            horizon_s: u64::from(config.ttl.as_secs()) + u64::from(config.skew_s),
            max_token_len: config.max_token_len,
            refusals: Arc::default(),
            derived: DerivedKeys::new(),
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
    /// state, the 5 bytes of claims and [`Algorithm::overhead_bytes`]. `None` above the limit.
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
        self.seal_by(
            binding,
            claims,
            state,
            now,
            out,
            |slot, serial, nonce, aad, text| slot.seal((serial, now), nonce, aad, text),
        )
    }

    /// What has been sealed, opened and refused so far, also by the sealers that this one was made
    /// of by a change of its keys.
    pub fn counters(&self) -> Counters {
        let held = self.slots.iter().map(|slot| slot.counts());
        let keys = held.chain(self.retired.iter().map(Retired::counts));
        let keys = keys.collect();
        Counters {
            refused: self.refusals.read(),
            keys,
        }
    }

    fn too_long(&self, state: &[u8]) -> SealError {
        SealError::TooLong {
            state_bytes: state.len(),
            limit: self.max_token_len,
        }
    }

    /// Checks, lays the token out, has `protect` fill in the nonce and encrypt, and writes the text.
    fn seal_by(
        &self,
        binding: &Binding,
        claims: Claims,
        state: &[u8],
        now: UnixSeconds,
        out: &mut [u8],
        protect: impl FnOnce(
            &Slot,
            u64,
            &mut [u8],
            &[u8],
            &mut [u8],
        ) -> Result<[u8; TAG_MAX], CipherFailed>,
    ) -> Result<usize, SealError> {
        let needed = self
            .token_len(state.len())
            .ok_or_else(|| self.too_long(state))?;
        let room = out.len();
        let out = out
            .get_mut(..needed)
            .ok_or(SealError::OutputTooShort { room, needed })?;
        let header = self.header(claims, now)?;
        let slot = &self.slots[self.mint];
        let serial = slot.tally.take().ok_or(SealError::BudgetSpent(slot.id))?;

        let raw_bytes = overhead_bytes(self.algorithm) + state.len();
        encoding::encode_filled(out, raw_bytes, |raw| {
            let (clear, rest) = raw.split_at_mut(Header::BYTES);
            let (nonce, rest) = rest.split_at_mut(self.algorithm.nonce_bytes());
            let (text, tag) = rest.split_at_mut(Claims::BYTES + state.len());
            clear.copy_from_slice(&header.to_bytes());
            claims.write(text);
            text[Claims::BYTES..].copy_from_slice(state);
            let made = protect(slot, serial, nonce, &header.aad(binding), text)
                .map_err(|_| SealError::Backend)?;
            tag.copy_from_slice(&made[..self.algorithm.tag_bytes()]);
            Ok(())
        })?;
        Ok(needed)
    }

    /// The clear part of a token minted now: it expires with its life or its flow, whichever ends
    /// first.
    fn header(&self, claims: Claims, now: UnixSeconds) -> Result<Header, SealError> {
        let deadline = u64::from(claims.deadline);
        if now.0 >= deadline {
            return Err(SealError::DeadlinePassed);
        }
        let expiry = now.0.saturating_add(u64::from(self.ttl_s)).min(deadline);
        Ok(Header {
            first: Header::first_byte(self.algorithm),
            key: self.slots[self.mint].id,
            expiry_s: u32::try_from(expiry).map_err(|_| SealError::ClockOutOfRange)?,
        })
    }
}

/// Refuses what cannot work, before any key is scheduled.
fn check(config: &Config) -> Result<(), ConfigError> {
    let &Config {
        algorithm,
        backend,
        max_token_len: limit,
        ..
    } = config;
    if !backend.supports(algorithm) {
        return Err(ConfigError::Unsupported { algorithm, backend });
    }
    if !backend.is_available() {
        return Err(ConfigError::Unavailable(backend));
    }
    if algorithm.protection() == Protection::Nothing && !config.allow_insecure {
        return Err(ConfigError::Insecure(algorithm));
    }
    let bound = algorithm.seal_bound();
    match config.seal_budget {
        Some(budget) if !(1..=bound).contains(&budget) => {
            return Err(ConfigError::Budget {
                budget,
                bound,
                algorithm,
            });
        }
        _ => {}
    }
    let shortest = encoding::encoded_len(overhead_bytes(algorithm));
    if limit < shortest {
        return Err(ConfigError::Limit { limit, shortest });
    }
    Ok(())
}

#[cfg(test)]
impl Sealer {
    /// Seals with a nonce that the caller chose, for committed vectors.
    pub(crate) fn seal_with_nonce(
        &self,
        binding: &Binding,
        claims: Claims,
        state: &[u8],
        now: UnixSeconds,
        nonce: &[u8],
    ) -> String {
        let mut out = vec![0; self.token_len(state.len()).expect("vectors are short")];
        self.seal_by(
            binding,
            claims,
            state,
            now,
            &mut out,
            |slot, _, own, aad, text| {
                own.copy_from_slice(nonce);
                slot.schedule.seal(nonce, aad, text)
            },
        )
        .expect("vectors can be sealed");
        String::from_utf8(out).expect("the base64url alphabet is ASCII")
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
