use std::fmt::Write as _;

/// The first 64 bits of a digest or a tag in hexadecimal: enough to know it again, too little to be
/// used as one.
pub(crate) fn short_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(16);
    for byte in bytes.iter().take(8) {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
