//! Unpadded base64url (RFC 4648, section 5), read strictly: one text for one byte string. Spare
//! bits, padding, white space and the `+/` alphabet are refused.

use base64_turbo::URL_SAFE_NO_PAD;

/// Characters that `bytes` bytes take.
pub(crate) const fn encoded_len(bytes: usize) -> usize {
    bytes / 3 * 4 + (bytes % 3 * 4).div_ceil(3)
}

/// Bytes that `chars` characters hold, `None` when no byte string has that many characters.
pub(crate) const fn decoded_len(chars: usize) -> Option<usize> {
    match chars % 4 {
        1 => None,
        rest => Some(chars / 4 * 3 + rest * 3 / 4),
    }
}

/// Room that [`decode`] needs for `chars` characters.
pub(crate) const fn decode_room(chars: usize) -> usize {
    chars.div_ceil(4) * 3
}

/// Writes `bytes` into the front of `out`, which is at least [`encoded_len`] long.
pub(crate) fn encode(bytes: &[u8], out: &mut [u8]) {
    URL_SAFE_NO_PAD
        .encode_slice(bytes, out)
        .expect("the caller measured the room with encoded_len");
}

/// Reads `text` into the front of `out`, which is at least [`decode_room`] long. `None` when
/// `text` is not the one canonical spelling of a byte string.
pub(crate) fn decode(text: &[u8], out: &mut [u8]) -> Option<usize> {
    URL_SAFE_NO_PAD.decode_slice(text, out).ok()
}

/// `bytes` as text.
pub(crate) fn to_string(bytes: &[u8]) -> String {
    let mut out = vec![0; encoded_len(bytes.len())];
    encode(bytes, &mut out);
    String::from_utf8(out).expect("the base64url alphabet is ASCII")
}

/// Raw bytes encoded at a time: a multiple of 3 that stays in the first-level cache.
const CHUNK: usize = 3 * 512;

/// Encodes in place: on entry the last `raw` bytes of `buffer` hold the bytes, on return the whole
/// buffer holds their text. `buffer` is exactly `encoded_len(raw)` long.
///
/// Chunks are copied aside first, since the codec needs input and output apart. The text of the
/// first k chunks ends at 4/3 of their bytes, never after the place where the rest of the raw
/// bytes begins, because text and raw bytes end together.
pub(crate) fn encode_tail(buffer: &mut [u8], raw: usize) {
    debug_assert_eq!(buffer.len(), encoded_len(raw));
    let mut chunk = [0; CHUNK];
    let (mut from, mut to) = (buffer.len() - raw, 0);
    while from < buffer.len() {
        let bytes = CHUNK.min(buffer.len() - from);
        chunk[..bytes].copy_from_slice(&buffer[from..from + bytes]);
        encode(&chunk[..bytes], &mut buffer[to..to + encoded_len(bytes)]);
        from += bytes;
        to += encoded_len(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_agree_with_the_codec() {
        for bytes in 0..200 {
            let text = to_string(&vec![0xA5; bytes]);
            assert_eq!(text.len(), encoded_len(bytes));
            assert_eq!(decoded_len(text.len()), Some(bytes));
        }
        assert_eq!(decoded_len(5), None);
    }

    #[test]
    fn encoding_in_place_gives_the_same_text() {
        let sizes = (0..40).chain([CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 2, 70_000]);
        for bytes in sizes {
            let raw: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect();
            let mut buffer = vec![0; encoded_len(bytes)];
            let start = buffer.len() - bytes;
            buffer[start..].copy_from_slice(&raw);
            encode_tail(&mut buffer, bytes);
            assert_eq!(buffer, to_string(&raw).into_bytes(), "{bytes} bytes");
        }
    }

    #[test]
    fn only_the_canonical_spelling_decodes() {
        let mut out = [0; 64];
        for bad in [
            "AA=", "AA==", "A A", "A\nAA", "AA\n", "++++", "////", "AB", "A", "AAAAA", "AAé",
        ] {
            assert_eq!(decode(bad.as_bytes(), &mut out), None, "{bad:?}");
        }
        assert_eq!(decode(b"AA", &mut out), Some(1));
        assert_eq!(decode(b"-_-_", &mut out), Some(3));
    }
}
