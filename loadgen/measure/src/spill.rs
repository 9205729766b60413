use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file without a name that takes what need not stay in memory. Its room on the disk is free again
/// when nothing of it is wanted any more, at the latest when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Spill {
    file: Arc<File>,
    end: u64,
    folder: PathBuf,
}

/// A place in such a file. Copies share the file.
#[derive(Debug, Clone)]
pub(crate) struct Spilled {
    file: Arc<File>,
    at: u64,
    bytes: usize,
}

/// Seconds of a run could not be kept in a file. They are in memory: nothing is lost.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot keep the seconds of the run in a temporary file in {}, so they stay in memory: {source}",
    folder.display()
)]
pub struct SpillError {
    /// Where the file is.
    pub folder: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl Spill {
    /// A new one in this folder.
    pub(crate) fn new(folder: &Path) -> Result<Self, SpillError> {
        match tempfile::tempfile_in(folder) {
            Ok(file) => Ok(Self::to(file, folder)),
            Err(source) => Err(SpillError {
                folder: folder.to_owned(),
                source,
            }),
        }
    }

    fn to(file: File, folder: &Path) -> Self {
        Self {
            file: Arc::new(file),
            end: 0,
            folder: folder.to_owned(),
        }
    }

    /// Writes bytes behind those that are there. They are not flushed to the disk: nobody needs them
    /// after a crash.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<Spilled, SpillError> {
        match self.file.write_all_at(bytes, self.end) {
            Ok(()) => {
                let spilled = Spilled {
                    file: Arc::clone(&self.file),
                    at: self.end,
                    bytes: bytes.len(),
                };
                self.end += bytes.len() as u64;
                Ok(spilled)
            }
            Err(source) => Err(SpillError {
                folder: self.folder.clone(),
                source,
            }),
        }
    }

    /// One that cannot be written to: its disk is full.
    #[cfg(test)]
    pub(crate) fn full() -> Self {
        let full = File::options().write(true).open("/dev/full");
        Self::to(full.unwrap(), Path::new("/dev"))
    }

    /// Loses everything that is in it.
    #[cfg(test)]
    pub(crate) fn damage(&self) {
        self.file.set_len(0).unwrap();
    }
}

impl Spilled {
    /// Puts the bytes that are here in place of what was in `into`.
    pub(crate) fn read_into(&self, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        into.resize(self.bytes, 0);
        self.file.read_exact_at(into, self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read_back_and_the_folder_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path()).unwrap();
        let places = [&b"one"[..], b"", b"three"].map(|bytes| spill.put(bytes).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut bytes = b"something else".to_vec();
        for (place, expected) in places.iter().zip([&b"one"[..], b"", b"three"]).rev() {
            place.read_into(&mut bytes).unwrap();
            assert_eq!(bytes, expected);
        }
        spill.damage();
        assert!(places[0].read_into(&mut bytes).is_err());
    }

    #[test]
    fn a_full_disk_and_a_missing_folder_are_named() {
        let missing = Spill::new(Path::new("/no/such/folder")).unwrap_err();
        assert!(missing.to_string().contains("in /no/such/folder, so"));
        let full = Spill::full().put(b"x").unwrap_err();
        assert!(full.to_string().contains("in /dev, so"), "{full}");
    }
}
