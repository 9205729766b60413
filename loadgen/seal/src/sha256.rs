use sha2::{Digest, Sha256};

/// Bytes up to which parts are gathered.
const GATHERED: usize = 192;

/// SHA-256 over all parts, one after the other. Short ones are gathered first: one call for whole
/// blocks takes less time than a call for each part.
pub(crate) fn of(parts: &[&[u8]]) -> [u8; 32] {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    if len > GATHERED {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        return hash.finalize().into();
    }
    let mut gathered = [0; GATHERED];
    let mut at = 0;
    for part in parts {
        gathered[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    Sha256::digest(&gathered[..len]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_and_streamed_parts_give_one_digest() {
        for len in 0..400 {
            let text = vec![7; len];
            let cut = text.split_at(len / 3);
            let whole: [u8; 32] = Sha256::digest(&text).into();
            assert_eq!(of(&[cut.0, b"", cut.1]), whole);
        }
    }
}
