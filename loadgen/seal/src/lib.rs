//! Sealed `requestState` tokens: claims and state in, opaque text out.
//!
//! A stateless server hands its state to the client and gets it back in the next round, perhaps at
//! another replica. [`Sealer::seal`] turns [`Claims`] and state bytes into text that only the
//! fleet's [`KeyRing`] opens, only until its expiry, and only for a request with the same
//! [`Binding`]. [`Sealer::open`] gives them back or refuses with one opaque [`Refused`].
//!
//! ```
//! # #[cfg(feature = "ring")] {
//! use loadgen_seal::*;
//!
//! let ring = KeyRing::single(Key::generate(KeyId(1), None));
//! let ttl = Ttl::try_from(300u64).unwrap();
//! let sealer =
//!     Sealer::new(&Config::new(Algorithm::Aes256Gcm, Backend::Ring, ring, ttl)).unwrap();
//!
//! let binding = Binding::new(&BindingFields {
//!     audience: "harbour",
//!     method: "tools/call",
//!     target: "book_berth",
//!     arguments: ArgumentsDigest::exact(br#"{"length_m":31}"#),
//!     principal: None,
//! });
//! let now = UnixSeconds(1_800_000_000);
//! let claims = Claims { deadline: 1_800_000_900, round: 0 };
//! let token = sealer.seal(&binding, claims, b"asked for a skipper", now).unwrap();
//! let opened = sealer.open(&binding, token.as_bytes(), now).unwrap();
//! assert_eq!(opened.state, b"asked for a skipper");
//! # }
//! ```
//!
//! The crate knows no HTTP and no clock: time is an argument.

mod algorithm;
mod arguments;
mod backend;
mod binding;
mod canonical_json;
mod cipher;
mod claims;
mod config;
mod counters;
mod derived;
mod encoding;
mod envelope;
mod inspect;
mod key;
mod key_ring;
mod lane;
mod minting;
mod nonce;
mod open;
mod raw_cipher;
mod refused;
mod rotation;
mod schedule;
mod seal_error;
mod sealer;
mod sha256;
mod slot;
mod tally;
mod time;
mod xaes;

pub use algorithm::{Algorithm, Protection, UnknownAlgorithm};
pub use arguments::ArgumentsDigest;
pub use backend::{Backend, UnknownBackend};
pub use binding::{Binding, BindingFields};
pub use canonical_json::CanonicalError;
pub use cipher::CipherFailed;
pub use claims::Claims;
pub use config::{Config, ConfigError};
pub use counters::{Counters, KeyCount};
pub use inspect::{NotAToken, Unverified};
pub use key::{Key, KeyId, ShortKey};
pub use key_ring::{KeyRing, KeyRingError, Role};
pub use open::{Opened, OpenedIn, TokenId};
pub use raw_cipher::RawCipher;
pub use refused::{Reason, Refused};
pub use rotation::RotationError;
pub use seal_error::SealError;
pub use sealer::Sealer;
pub use time::{InvalidTtl, Ttl, UnixSeconds};
#[cfg(test)]
mod token_vectors;
