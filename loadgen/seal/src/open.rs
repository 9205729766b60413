use crate::algorithm::Algorithm;
use crate::binding::Binding;
use crate::claims::Claims;
use crate::encoding;
use crate::envelope::{Header, overhead_bytes};
use crate::refused::{Reason, Refused};
use crate::sealer::Sealer;
use crate::slot::Slot;
use crate::time::UnixSeconds;

/// An opened token that owns its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// What the token says beside the state.
    pub claims: Claims,
    /// The state as it was sealed.
    pub state: Vec<u8>,
    /// What the token is known by.
    pub id: TokenId,
}

/// An opened token whose state lies in the caller's scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedIn<'a> {
    /// What the token says beside the state.
    pub claims: Claims,
    /// The state as it was sealed.
    pub state: &'a [u8],
    /// What the token is known by.
    pub id: TokenId,
}

/// The identity of an opened token, for a record of tokens used: its tag, never its text, since a
/// text could be spelt in other ways. A record may forget it once the expiry, the leeway and the
/// spread of the fleet's clocks have passed.
///
/// Algorithms without a nonce give equal tags for equal states sealed in the same second for the
/// same request: with them, put something unique into the state. [`Algorithm::None`] has no tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenId {
    /// When the token expires, in seconds since 1970.
    pub expiry_s: u32,
    /// The tag; zeros with [`Algorithm::None`].
    pub tag: [u8; 16],
}

impl Sealer {
    /// Room that [`Sealer::open_in`] needs to open a token of `token_len` characters, in bytes.
    pub const fn scratch_len(token_len: usize) -> usize {
        encoding::decode_room(token_len)
    }

    /// Opens `token` into a new buffer.
    ///
    /// # Errors
    /// One opaque refusal, whatever the cause.
    pub fn open(
        &self,
        binding: &Binding,
        token: &[u8],
        now: UnixSeconds,
    ) -> Result<Opened, Refused> {
        // The size is checked before anything is allocated for it.
        let room = if token.len() > self.max_token_len {
            0
        } else {
            Self::scratch_len(token.len())
        };
        let mut scratch = vec![0; room];
        let OpenedIn { claims, id, state } = self.open_in(binding, token, now, &mut scratch)?;
        let state = state.to_vec();
        Ok(Opened { claims, state, id })
    }

    /// Opens `token` with `scratch` of at least [`Sealer::scratch_len`] bytes, allocating nothing.
    ///
    /// A token opens when its text is canonical, its key is in the ring, `now < expiry + leeway`,
    /// `expiry <= now + ttl + skew`, its tag matches over header and binding, and
    /// `now < deadline + leeway`. What is left in `scratch` after a refusal was never
    /// authenticated.
    ///
    /// # Errors
    /// One opaque refusal, whatever the cause; also when `scratch` is too short, as
    /// [`Reason::Size`].
    pub fn open_in<'a>(
        &self,
        binding: &Binding,
        token: &[u8],
        now: UnixSeconds,
        scratch: &'a mut [u8],
    ) -> Result<OpenedIn<'a>, Refused> {
        self.check(binding, token, now, scratch)
            .map_err(|reason| self.refuse(reason))
    }

    /// Opens `token` once: `first_use` is asked with the identity of a token that is otherwise good
    /// and says whether it was not used before. The token itself promises nothing of the kind; the
    /// promise is as good as the record behind `first_use`.
    ///
    /// # Errors
    /// As [`Sealer::open_in`], and when `first_use` says no. Always with [`Algorithm::None`], whose
    /// tokens have no identity.
    pub fn open_once<'a>(
        &self,
        binding: &Binding,
        token: &[u8],
        now: UnixSeconds,
        scratch: &'a mut [u8],
        first_use: impl FnOnce(TokenId) -> bool,
    ) -> Result<OpenedIn<'a>, Refused> {
        let opened = self.open_in(binding, token, now, scratch)?;
        if self.algorithm != Algorithm::None && first_use(opened.id) {
            Ok(opened)
        } else {
            Err(self.replayed())
        }
    }

    /// Counts and gives the refusal of a token that opened but was used before, for callers whose
    /// record of tokens used must be asked asynchronously.
    pub fn replayed(&self) -> Refused {
        self.refuse(Reason::Replayed)
    }

    /// Whether the clear part of `token` could be this sealer's own work: its format, its algorithm
    /// and a key of its ring. Nothing of that is authenticated; it is for logs, where it tells a
    /// token that was changed after its first characters from one that was made up.
    pub fn resembles_own(&self, token: &[u8]) -> bool {
        Header::decode(token).is_some_and(|header| {
            header.first == Header::first_byte(self.algorithm)
                && self.slots.iter().any(|slot| slot.id == header.key)
        })
    }

    fn refuse(&self, reason: Reason) -> Refused {
        self.refusals.count(reason);
        Refused::new(reason)
    }

    fn check<'a>(
        &self,
        binding: &Binding,
        token: &[u8],
        now: UnixSeconds,
        scratch: &'a mut [u8],
    ) -> Result<OpenedIn<'a>, Reason> {
        let raw_bytes = self.measure(token, scratch)?;
        let header = Header::decode(token).ok_or(Reason::Decode)?;
        let slot = self.judge(header, now)?;

        // The codec wants room for whole groups, up to two bytes more than it fills.
        let room = &mut scratch[..Self::scratch_len(token.len())];
        encoding::decode(token, room).ok_or(Reason::Decode)?;
        let raw = &mut room[..raw_bytes];
        let (nonce, rest) = raw[Header::BYTES..].split_at_mut(self.algorithm.nonce_bytes());
        let (text, tag) = rest.split_at_mut(rest.len() - self.algorithm.tag_bytes());
        slot.open(&self.derived, nonce, &header.aad(binding), text, tag)
            .map_err(|_| Reason::Tag)?;

        let text: &'a [u8] = text;
        let (claims, state) = Claims::split(text).ok_or(Reason::Size)?;
        if now.0 >= u64::from(claims.deadline) + u64::from(self.leeway_s) {
            return Err(Reason::Deadline);
        }
        slot.tally.count_opened();
        let mut id = TokenId {
            expiry_s: header.expiry_s,
            tag: [0; 16],
        };
        id.tag[..tag.len()].copy_from_slice(tag);
        Ok(OpenedIn { claims, state, id })
    }

    /// Sizes first, before anything is decoded.
    fn measure(&self, token: &[u8], scratch: &[u8]) -> Result<usize, Reason> {
        if token.len() > self.max_token_len || scratch.len() < Self::scratch_len(token.len()) {
            return Err(Reason::Size);
        }
        let raw_bytes = encoding::decoded_len(token.len()).ok_or(Reason::Decode)?;
        if raw_bytes < overhead_bytes(self.algorithm) {
            return Err(Reason::Size);
        }
        Ok(raw_bytes)
    }

    /// Then what the clear header says, before any cryptography.
    fn judge(&self, header: Header, now: UnixSeconds) -> Result<&Slot, Reason> {
        if header.first != Header::first_byte(self.algorithm) {
            return Err(Reason::Algorithm);
        }
        let slot = self
            .slots
            .iter()
            .find(|s| s.id == header.key)
            .ok_or(Reason::UnknownKey)?;
        let expiry_s = u64::from(header.expiry_s);
        if now.0 >= expiry_s + u64::from(self.leeway_s) {
            return Err(Reason::Expired);
        }
        if expiry_s > now.0.saturating_add(self.horizon_s) {
            return Err(Reason::Future);
        }
        Ok(slot)
    }
}
