use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::run::{RunResult, SCHEMA_VERSION};

/// A file could not be written. The file that was there before is untouched.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct SaveError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A result could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not JSON, or a field is missing or has a wrong type.
    #[error("{}: not a result file: {at}: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in it, as in `load.planned`; `.` for the whole.
        at: String,
        /// Why.
        source: serde_json::Error,
    },
    /// The file is of another version.
    #[error(
        "{}: schema_version is {found}, this program reads version {SCHEMA_VERSION}",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}

impl RunResult {
    /// Reads a result file.
    ///
    /// # Errors
    /// Names the file and the field: see [`LoadError`].
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let text = fs::read_to_string(path).map_err(|source| LoadError::Read {
            path: path.to_owned(),
            source,
        })?;
        // The version first: another version may well have other fields.
        let version: Versioned = parse(path, &text)?;
        if version.schema_version != u64::from(SCHEMA_VERSION) {
            return Err(LoadError::Version {
                path: path.to_owned(),
                found: version.schema_version,
            });
        }
        parse(path, &text)
    }

    /// Writes it as JSON text that ends in a newline, piece by piece: the text of a long run would
    /// take as much memory as all else.
    ///
    /// # Errors
    /// When `out` takes no more, or seconds cannot be read back from where the run keeps them.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }

    /// Writes it as a JSON file, wholly or not at all.
    ///
    /// # Errors
    /// When the folder is missing, not writable or full.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        save_with(path, |file| self.write_json(file))
    }
}

/// Writes a file wholly or not at all: into a file of a temporary name in the same folder, which
/// is flushed to the disk and renamed. An existing file is replaced only by a whole one.
///
/// # Errors
/// When the folder is missing, not writable or full.
pub fn save_atomically(path: &Path, content: &[u8]) -> Result<(), SaveError> {
    save_with(path, |file| file.write_all(content))
}

/// As [`save_atomically`], for what is written piece by piece.
pub(super) fn save_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), SaveError> {
    let failed = |source: io::Error| SaveError {
        path: path.to_owned(),
        source,
    };
    let name = path
        .file_name()
        .ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = folder.join(temporary);
    let written = write_through(&temporary, write)
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|source| {
        // Nothing more can be done about a leftover than to try.
        let _ = fs::remove_file(&temporary);
        failed(source)
    })
}

fn write_through(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write(&mut file)?;
    file.into_inner()?.sync_all()
}

#[derive(Deserialize)]
struct Versioned {
    schema_version: u64,
}

fn parse<'a, T: Deserialize<'a>>(path: &Path, text: &'a str) -> Result<T, LoadError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| LoadError::Content {
        path: path.to_owned(),
        at: error.path().to_string(),
        source: error.into_inner(),
    })
}
