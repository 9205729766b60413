use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loadgen_history::Commit;

/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The commit that is checked out in this folder, with `-dirty` behind its hash if files of it were
/// changed; `None` where there is no git or no repository.
pub(super) fn here() -> Option<Commit> {
    let id = ask(&[
        "describe",
        "--always",
        "--abbrev=40",
        "--dirty",
        "--exclude=*",
    ])?;
    let id = checked(&id).ok()?;
    Some(named(id))
}

/// A commit by its hash; git is asked when it was made.
pub(super) fn named(id: String) -> Commit {
    let hash = id.split('-').next().unwrap_or_default();
    let made = ask(&[
        "show",
        "-s",
        "--format=%ct",
        &format!("{hash}^{{commit}}"),
        "--",
    ]);
    Commit {
        made_s: made.and_then(|text| text.parse().ok()),
        id,
    }
}

/// A hash as it is written: 7 to 64 hexadecimal digits, which may have `-dirty` behind them.
pub(super) fn checked(text: &str) -> Result<String, String> {
    let hash = text.strip_suffix("-dirty").unwrap_or(text);
    let fits = (7..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    match fits {
        true => Ok(text.to_ascii_lowercase()),
        false => Err("a commit is 7 to 64 hexadecimal digits".to_owned()),
    }
}

/// The first line that git prints; `None` when it fails or takes too long.
fn ask(args: &[&str]) -> Option<String> {
    let mut child = Command::new("git")
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let until = Instant::now() + PATIENCE;
    let ended = loop {
        match child.try_wait().ok()? {
            Some(status) => break status.success(),
            None if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            None => {
                // Its own exit code tells nothing that matters here.
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let mut text = String::new();
    // A line of a hash or a time fits into the pipe, so git never waited for this.
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    let line = text.lines().next().unwrap_or_default().trim().to_owned();
    (ended && !line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn hashes_are_told_from_names() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(checked(hash).as_deref(), Ok(hash));
        assert_eq!(checked("ABCDEF1-dirty").as_deref(), Ok("abcdef1-dirty"));
        for wrong in ["", "main", "abcdef", "abcdef1 ", "-dirty", "--help"] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }
}
