use std::fmt;

use zeroize::Zeroizing;

use crate::algorithm::Algorithm;
use crate::encoding;
use crate::envelope::Header;
use crate::key_ring::Role;

/// Names a key inside a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub u8);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Random bytes shared by the replicas, with the id that names them in a token. Wiped from memory
/// on drop; `Debug` shows the id and the length only.
#[derive(Clone)]
pub struct Key {
    id: KeyId,
    created_s: Option<u64>,
    material: Zeroizing<Vec<u8>>,
}

/// Key material is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key needs at least {min} random bytes, not {0}", min = Key::MIN_BYTES)]
pub struct ShortKey(pub usize);

impl Key {
    /// The least number of bytes of key material.
    pub const MIN_BYTES: usize = 32;

    /// Takes `material` as the key named `id`.
    ///
    /// `created_s` is when it was made, in seconds since 1970 (`None`: not known); it never enters
    /// the cryptography.
    ///
    /// # Errors
    /// When `material` is shorter than [`Key::MIN_BYTES`].
    pub fn new(id: KeyId, material: &[u8], created_s: Option<u64>) -> Result<Self, ShortKey> {
        if material.len() < Self::MIN_BYTES {
            return Err(ShortKey(material.len()));
        }
        Ok(Self {
            id,
            created_s,
            material: Zeroizing::new(material.to_vec()),
        })
    }

    /// Makes a new random key of [`Key::MIN_BYTES`] bytes.
    pub fn generate(id: KeyId, created_s: Option<u64>) -> Self {
        let mut material = Zeroizing::new([0; Self::MIN_BYTES]);
        crate::nonce::fill_secret(&mut *material);
        Self {
            id,
            created_s,
            material: Zeroizing::new(material.to_vec()),
        }
    }

    /// The name of the key.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// When the key was made, in seconds since 1970; `None` when not known.
    pub const fn created_s(&self) -> Option<u64> {
        self.created_s
    }

    /// How many bytes of material the key has.
    pub fn material_bytes(&self) -> usize {
        self.material.len()
    }

    /// The line for a key file, secret included, with its line end: see
    /// [`KeyRing`](crate::KeyRing) for the form.
    pub fn to_secret_line(&self, role: Role) -> Zeroizing<String> {
        // Sized up front, since growing would leave unwiped copies of the secret behind.
        let encoded = self.encoded();
        let mut line = Zeroizing::new(String::with_capacity(encoded.len() + 40));
        line.push_str(&format!("{}:{role}:", self.id));
        line.push_str(&encoded);
        if let Some(created) = self.created_s {
            line.push_str(&format!(":{created}"));
        }
        line.push('\n');
        line
    }

    /// The material in base64url.
    fn encoded(&self) -> Zeroizing<String> {
        Zeroizing::new(encoding::to_string(&self.material))
    }

    /// The key for one algorithm: HKDF-SHA256 (RFC 5869), no salt, the material as input keying
    /// material, and an info of a fixed label and the token's first byte (format and algorithm), so
    /// that two algorithms or two formats never share a key.
    pub(crate) fn derive(&self, algorithm: Algorithm) -> Zeroizing<Vec<u8>> {
        let hkdf = hkdf::Hkdf::<sha2::Sha256>::new(None, &self.material);
        let mut okm = Zeroizing::new(vec![0; algorithm.key_bytes()]);
        hkdf.expand_multi_info(
            &[
                b"loadgen requestState key",
                &[Header::first_byte(algorithm)],
            ],
            &mut okm,
        )
        .expect("HKDF-SHA256 gives up to 8160 bytes and no algorithm asks for more than 32");
        okm
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("id", &self.id)
            .field("created_s", &self.created_s)
            .field("material_bytes", &self.material.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_three_bytes_is_refused() {
        assert_eq!(Key::new(KeyId(1), b"abc", None).unwrap_err(), ShortKey(3));
        assert_eq!(
            Key::new(KeyId(1), &[9; 31], None).unwrap_err(),
            ShortKey(31)
        );
        assert!(Key::new(KeyId(1), &[9; 32], None).is_ok());
    }

    #[test]
    fn debug_shows_no_material() {
        let key = Key::new(KeyId(7), &[0xAB; 40], Some(5)).unwrap();
        assert_eq!(
            format!("{key:?}"),
            "Key { id: KeyId(7), created_s: Some(5), material_bytes: 40 }"
        );
    }

    #[test]
    fn two_generated_keys_differ() {
        let (a, b) = (Key::generate(KeyId(1), None), Key::generate(KeyId(1), None));
        assert_ne!(a.material, b.material);
    }
}
