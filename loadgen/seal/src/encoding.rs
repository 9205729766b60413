//! Unpadded base64url (RFC 4648, section 5), read strictly: one text for one byte string. Spare
//! bits, padding, white space and the `+/` alphabet are refused.

use std::cell::RefCell;

use base64_turbo::URL_SAFE_NO_PAD;
use zeroize::Zeroize;

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

/// Reads the first eight characters of a token, six bytes, without a look at the rest. `None` when
/// one of them is not of the alphabet. Quicker than the codec for so few.
pub(crate) fn decode_eight(text: &[u8; 8]) -> Option<[u8; 6]> {
    const VALUES: [u8; 256] = values();
    let mut bits = 0u64;
    let mut bad = 0;
    for &c in text {
        let value = VALUES[usize::from(c)];
        bad |= value;
        bits = bits << 6 | u64::from(value & 63);
    }
    let [_, _, bytes @ ..] = bits.to_be_bytes();
    (bad < 64).then_some(bytes)
}

/// The six bits of each character, 255 for those outside the alphabet.
const fn values() -> [u8; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut values = [255; 256];
    let mut i = 0;
    while i < alphabet.len() {
        values[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    values
}

/// Raw bytes up to which a token is laid out beside its text: a multiple of 3 with room for a state of
/// 4 KiB that, with the text, stays in the first-level cache.
const BESIDE: usize = 3 * 2048;

/// Bytes that are copied aside at a time where a long token is encoded in place: a multiple of 3.
const CHUNK: usize = 3 * 512;

/// From this gap between text and raw bytes on, what fits the gap is encoded without a copy.
const GAP: usize = 2048;

thread_local! {
    /// Where this thread lays tokens out. It stays, since to clear it for every token would take
    /// longer than to encode a short one; what it holds between tokens has been sent or wiped.
    static LAYOUT: RefCell<[u8; BESIDE]> = const { RefCell::new([0; BESIDE]) };
}

/// Has `fill` write `raw` bytes, whatever they were before, and writes their text to `out`, which is
/// exactly `encoded_len(raw)` long. Nothing is written to `out` for short tokens that `fill` fails
/// for.
///
/// The codec needs input and output apart, and nothing here may allocate: short tokens are laid out
/// in a place of the thread's, long ones at the end of `out` itself.
pub(crate) fn encode_filled<E>(
    out: &mut [u8],
    raw: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    debug_assert_eq!(out.len(), encoded_len(raw));
    if raw > BESIDE {
        let start = out.len() - raw;
        fill(&mut out[start..])?;
        encode_tail(out, raw);
        return Ok(());
    }
    LAYOUT.with_borrow_mut(|layout| {
        let bytes = &mut layout[..raw];
        fill(bytes).inspect_err(|_| bytes.zeroize())?;
        encode(bytes, out);
        Ok(())
    })
}

/// Encodes in place: on entry the last `raw` bytes of `buffer` hold the bytes, on return the whole
/// buffer holds their text.
///
/// Text and raw bytes end together and the text is a third longer, so before the raw bytes there is
/// a gap of a third of what is left of them: as long as it is wide, as much as fits it is encoded
/// straight into it; then chunks are copied aside first. A chunk's text never reaches the bytes that
/// come after the chunk, because the gap before them is never negative.
fn encode_tail(buffer: &mut [u8], mut raw: usize) {
    let mut rest = buffer;
    loop {
        let gap = rest.len() - raw;
        if gap < GAP {
            break;
        }
        let groups = gap / 4;
        let (text, bytes) = rest.split_at_mut(gap);
        encode(&bytes[..3 * groups], &mut text[..4 * groups]);
        rest = &mut rest[4 * groups..];
        raw -= 3 * groups;
    }
    let mut chunk = [0; CHUNK];
    let (mut from, mut to) = (rest.len() - raw, 0);
    while from < rest.len() {
        let bytes = CHUNK.min(rest.len() - from);
        chunk[..bytes].copy_from_slice(&rest[from..from + bytes]);
        encode(&chunk[..bytes], &mut rest[to..to + encoded_len(bytes)]);
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
    fn text_is_the_same_wherever_the_bytes_were_laid_out() {
        let sizes = (0..40).chain(BESIDE - 3..BESIDE + 4).chain([
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            3 * CHUNK + 2,
            3 * GAP - 1,
            3 * GAP,
            3 * GAP + 9,
            70_000,
            1 << 20,
        ]);
        for bytes in sizes {
            let raw: Vec<u8> = (0..bytes).map(|i| (i * 7 + i / 251) as u8).collect();
            let mut out = vec![0; encoded_len(bytes)];
            let filled = encode_filled::<()>(&mut out, bytes, |room| {
                assert_eq!(room.len(), bytes);
                room.copy_from_slice(&raw);
                Ok(())
            });
            assert_eq!(filled, Ok(()));
            assert_eq!(out, to_string(&raw).into_bytes(), "{bytes} bytes");
        }
    }

    #[test]
    fn what_could_not_be_sealed_is_wiped() {
        let mut out = [0; 16];
        let failed = encode_filled(&mut out, 12, |room| {
            room.copy_from_slice(b"state secret");
            Err(())
        });
        assert_eq!((failed, out), (Err(()), [0; 16]));
        LAYOUT.with_borrow(|layout| assert_eq!(layout[..12], [0; 12]));
    }

    #[test]
    fn eight_characters_decode_as_the_codec_decodes_them() {
        for i in 0..8 {
            for c in 0..=255 {
                let mut text = *b"EQHuAQID";
                text[i] = c;
                let mut out = [0; 6];
                let expected = decode(&text, &mut out).map(|_| out);
                assert_eq!(decode_eight(&text), expected);
            }
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
