use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context as _;
use loadgen_seal::{Key, KeyId, KeyRing, Role, UnixSeconds};

use crate::console;
use crate::input;

/// Make keys for a fleet and look at those it has.
#[derive(Debug, clap::Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, clap::Subcommand)]
enum KeysCommand {
    /// Print a new random key as a line for a key file.
    ///
    /// To begin a rotation, append it to the file of every replica:
    /// `loadgen keys new --key-file FILE >> FILE`. Once every replica has it, let it mint and the
    /// old one accept; drop the old one when the longest life plus the clocks' skew has passed.
    New {
        /// Choose the lowest id that this file does not use, and the role accept.
        #[arg(long, value_name = "PATH", conflicts_with_all = ["id", "role"])]
        key_file: Option<PathBuf>,

        /// The key's id, which travels in every token.
        #[arg(long, value_name = "0-255", default_value_t = 1)]
        id: u8,

        /// What replicas do with it.
        #[arg(long, value_name = "mint|accept", default_value = "mint", value_parser = role)]
        role: Role,
    },
    /// Show the keys of a file: ids, roles, lengths and ages, never a secret.
    Show {
        /// The key file.
        #[arg(long, value_name = "PATH")]
        key_file: PathBuf,
    },
}

/// Prints keys. Exit code 0, or 2 when a key file cannot be read or used.
///
/// # Errors
/// When no id is left.
pub(crate) fn run(args: KeysArgs) -> anyhow::Result<ExitCode> {
    let now = UnixSeconds::from(SystemTime::now());
    let printed = match args.command {
        KeysCommand::New { key_file, id, role } => match key_file {
            None => Ok(line(KeyId(id), role, now)),
            Some(path) => read(&path).and_then(|ring| {
                let id = free_id(&ring).context("all 256 key ids are in use")?;
                Ok(line(id, Role::Accept, now))
            }),
        },
        KeysCommand::Show { key_file } => read(&key_file).map(|ring| table(&ring, now)),
    };
    match printed {
        Ok(text) => {
            console::print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(e) => {
            console::say(format_args!("loadgen keys: {e:#}"));
            Ok(ExitCode::from(2))
        }
    }
}

/// Reads a key file.
pub(super) fn read(path: &Path) -> anyhow::Result<KeyRing> {
    let text =
        input::text(path).with_context(|| format!("cannot read --key-file {}", path.display()))?;
    KeyRing::parse(&text).with_context(|| format!("--key-file {}", path.display()))
}

fn role(name: &str) -> Result<Role, String> {
    name.parse().map_err(|()| "use mint or accept".to_owned())
}

fn line(id: KeyId, role: Role, now: UnixSeconds) -> String {
    Key::generate(id, Some(now.0))
        .to_secret_line(role)
        .to_string()
}

fn free_id(ring: &KeyRing) -> Option<KeyId> {
    (0..=u8::MAX)
        .map(KeyId)
        .find(|id| ring.keys().all(|(_, key)| key.id() != *id))
}

fn table(ring: &KeyRing, now: UnixSeconds) -> String {
    let mut text = format!("{:>3}  {:<6}  {:>5}  age\n", "id", "role", "bytes");
    for (role, key) in ring.keys() {
        let age = match key.created_s() {
            None => "unknown".to_owned(),
            Some(created) if created > now.0 => "made in the future".to_owned(),
            Some(created) => age(now.0 - created),
        };
        let (id, bytes) = (key.id().to_string(), key.material_bytes());
        text.push_str(&format!(
            "{id:>3}  {:<6}  {bytes:>5}  {age}\n",
            role.to_string()
        ));
    }
    text
}

fn age(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    if days > 0 {
        format!("{days} d {clock}")
    } else {
        clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

    #[test]
    fn a_new_line_makes_a_ring() {
        let ring = KeyRing::parse(&line(KeyId(9), Role::Mint, NOW)).unwrap();
        assert_eq!(ring.minting(), KeyId(9));
        assert_eq!(ring.keys().next().unwrap().1.created_s(), Some(NOW.0));
    }

    #[test]
    fn a_key_added_to_a_ring_gets_a_free_id_and_does_not_mint_yet() {
        let mut text = line(KeyId(0), Role::Mint, NOW);
        for expected in 1..4 {
            let ring = KeyRing::parse(&text).unwrap();
            let id = free_id(&ring).unwrap();
            assert_eq!(id, KeyId(expected));
            text.push_str(&line(id, Role::Accept, NOW));
        }
        assert_eq!(KeyRing::parse(&text).unwrap().minting(), KeyId(0));
    }

    #[test]
    fn the_table_shows_ages_and_no_secret() {
        let mut text = Key::new(KeyId(1), &[0xAB; 32], Some(NOW.0 - 90_061))
            .unwrap()
            .to_secret_line(Role::Mint)
            .to_string();
        let unaged = Key::new(KeyId(20), &[0xCD; 40], None).unwrap();
        text.push_str(&unaged.to_secret_line(Role::Accept));
        let shown = table(&KeyRing::parse(&text).unwrap(), NOW);
        assert_eq!(
            shown,
            " id  role    bytes  age\n  1  mint       32  1 d 01:01:01\n 20  accept     40  unknown\n"
        );
    }
}
