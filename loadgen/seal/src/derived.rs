use std::sync::{PoisonError, RwLock};

use crate::cipher::{Cipher, CipherFailed};
use crate::key::KeyId;
use crate::xaes::{HALF, Xaes, split};

const SETS: usize = 32;
const WAYS: usize = 4;

/// Derived keys of XAES that the opener has met, by key id and first half of the nonce: one for
/// each replica that mints, so that opening costs what AES-256-GCM costs.
///
/// Bounded, and filled only after a tag has matched: made-up nonces can neither grow it nor push
/// honest entries out.
pub(crate) struct DerivedKeys(Vec<RwLock<Set>>);

#[derive(Default)]
struct Set {
    ways: [Option<Entry>; WAYS],
    /// The way to overwrite next.
    next: usize,
}

struct Entry {
    id: KeyId,
    half: [u8; HALF],
    cipher: Cipher,
}

impl DerivedKeys {
    pub(crate) fn new() -> Self {
        Self((0..SETS).map(|_| RwLock::default()).collect())
    }

    /// Decrypts with the derived key, from here if it has been met.
    pub(crate) fn open(
        &self,
        (id, xaes): (KeyId, &Xaes),
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        let (half, rest) = split(nonce)?;
        // Honest halves are random, so any byte of them spreads the entries.
        let set = &self.0[usize::from(half[0]) % SETS];
        let shared = set.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = shared.find(id, half) {
            return entry.cipher.open(rest, aad, text, tag);
        }
        drop(shared);
        let cipher = xaes.derive(half)?;
        cipher.open(rest, aad, text, tag)?;
        let mut own = set.write().unwrap_or_else(PoisonError::into_inner);
        if own.find(id, half).is_none() {
            let next = own.next;
            own.ways[next] = Some(Entry {
                id,
                half: *half,
                cipher,
            });
            own.next = (next + 1) % WAYS;
        }
        Ok(())
    }
}

impl Set {
    fn find(&self, id: KeyId, half: &[u8; HALF]) -> Option<&Entry> {
        self.ways
            .iter()
            .flatten()
            .find(|entry| entry.id == id && entry.half == *half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use crate::backend::Backend;

    fn kept(keys: &DerivedKeys) -> usize {
        keys.0
            .iter()
            .map(|set| set.read().unwrap().ways.iter().flatten().count())
            .sum()
    }

    #[test]
    fn only_a_matching_tag_adds_an_entry_and_entries_are_bounded() {
        for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
            let xaes = Xaes::new(backend, &[7; 32]).unwrap();
            let keys = DerivedKeys::new();
            let mut nonce = [0; 24];
            for n in 0..1000u16 {
                nonce[..2].copy_from_slice(&n.to_le_bytes());
                let mut text = *b"state";
                let tag = xaes.seal(&nonce, b"aad", &mut text).unwrap();
                let mut bad = tag;
                bad[15] ^= 1;
                let before = kept(&keys);
                let mut forged = text;
                assert!(
                    keys.open((KeyId(1), &xaes), &nonce, b"aad", &mut forged, &bad)
                        .is_err()
                );
                assert_eq!(kept(&keys), before);
                // The second time through the entry.
                for _ in 0..2 {
                    let mut text = text;
                    keys.open((KeyId(1), &xaes), &nonce, b"aad", &mut text, &tag)
                        .unwrap();
                    assert_eq!(&text, b"state");
                }
            }
            assert_eq!(kept(&keys), SETS * WAYS);
        }
    }

    #[test]
    fn an_entry_serves_only_its_own_key() {
        for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
            let (a, b) = (
                Xaes::new(backend, &[1; 32]).unwrap(),
                Xaes::new(backend, &[2; 32]).unwrap(),
            );
            let keys = DerivedKeys::new();
            let nonce = [9; 24];
            for (id, xaes) in [(KeyId(1), &a), (KeyId(2), &b), (KeyId(1), &a)] {
                let mut text = *b"state";
                let tag = xaes.seal(&nonce, b"", &mut text).unwrap();
                keys.open((id, xaes), &nonce, b"", &mut text, &tag).unwrap();
                assert_eq!(&text, b"state");
            }
            assert_eq!(kept(&keys), 2);
        }
    }
}
