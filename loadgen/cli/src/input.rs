//! Files that options name, read with a bound: one without end, such as a device, would otherwise
//! take all memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The longest file that is read, in bytes: far more than any key, table or scenario needs.
const MAX_BYTES: u64 = 16 << 20;

/// The whole file.
///
/// # Errors
/// When it cannot be read or is longer than 16 MiB.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    whole(File::open(path)?, MAX_BYTES)
}

/// The whole file, which must be text.
///
/// # Errors
/// When it cannot be read, is longer than 16 MiB or no UTF-8.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    text_of(bytes(path)?)
}

/// All of standard input, which must be text.
///
/// # Errors
/// When it cannot be read, is longer than 16 MiB or no UTF-8.
pub(crate) fn stdin() -> io::Result<String> {
    text_of(whole(io::stdin().lock(), MAX_BYTES)?)
}

fn whole(from: impl Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let why = format!("it has more than {max_bytes} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_it() {
        let told = whole(io::repeat(b'x'), 1000).unwrap_err();
        assert_eq!(told.to_string(), "it has more than 1000 bytes");
        assert_eq!(whole(&[7; 1000][..], 1000).unwrap(), [7; 1000]);
        assert!(whole(&[7; 1001][..], 1000).is_err());
    }

    #[test]
    fn binary_is_no_text() {
        assert_eq!(text_of(b"a\n".to_vec()).unwrap(), "a\n");
        let told = text_of(vec![0xff]).unwrap_err();
        assert_eq!(told.to_string(), "it is no text in UTF-8");
    }
}
