use std::fs::File;
use std::io::Read;
use std::path::Path;

/// All of a file that a scenario names, which must be text.
///
/// # Errors
/// When it cannot be read, has more than `max_bytes` or is no UTF-8.
pub(crate) fn text(path: &Path, max_bytes: u64) -> Result<String, String> {
    let bytes = bytes(path, max_bytes)?;
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())
}

/// All of a file that a scenario names.
///
/// # Errors
/// When it cannot be read or has more than `max_bytes`.
pub(crate) fn bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(max_bytes + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > max_bytes {
        return Err(format!("it has more than {max_bytes} bytes"));
    }
    Ok(bytes)
}
