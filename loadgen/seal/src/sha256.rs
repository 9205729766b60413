use sha2::block_api::compress256;
use sha2::{Digest, Sha256};

/// Bytes of a block.
const BLOCK: usize = 64;

/// Blocks in which short inputs are gathered.
const BLOCKS: usize = 4;

/// Padding: at least a marking byte and the length in bits.
const PADDING: usize = 1 + 8;

/// The value before the first block (FIPS 180-4, section 5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// SHA-256 over all parts, one after the other.
///
/// Short ones are gathered and padded here (FIPS 180-4, section 5.1.1), so that all blocks are one
/// call: for two or three blocks the streaming interface takes a quarter of the time for itself.
pub(crate) fn of(parts: &[&[u8]]) -> [u8; 32] {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    if len + PADDING > BLOCKS * BLOCK {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        return hash.finalize().into();
    }
    let mut gathered = [[0; BLOCK]; BLOCKS];
    let blocks = (len + PADDING).div_ceil(BLOCK);
    let bytes = &mut gathered.as_flattened_mut()[..blocks * BLOCK];
    let mut at = 0;
    for part in parts {
        bytes[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    bytes[at] = 0x80;
    let bits = 8 * len as u64;
    bytes[blocks * BLOCK - 8..].copy_from_slice(&bits.to_be_bytes());

    let mut state = INITIAL;
    compress256(&mut state, &gathered[..blocks]);
    let mut digest = [0; 32];
    for (out, word) in digest.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_and_streamed_parts_give_one_digest() {
        for len in 0..400usize {
            let text: Vec<u8> = (0..len).map(|i| (i * 31) as u8).collect();
            let cut = text.split_at(len / 3);
            let whole: [u8; 32] = Sha256::digest(&text).into();
            assert_eq!(of(&[cut.0, b"", cut.1]), whole, "{len} bytes");
        }
    }
}
