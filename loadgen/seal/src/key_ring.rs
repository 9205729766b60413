use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

use crate::encoding;
use crate::key::{Key, KeyId, ShortKey};

/// What a replica does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Seals new tokens with it and opens tokens that name it. Exactly one key of a ring.
    Mint,
    /// Only opens tokens that name it: the next key before every replica has it, or the previous
    /// one until its last token has expired.
    Accept,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mint => "mint",
            Self::Accept => "accept",
        })
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "mint" => Ok(Self::Mint),
            "accept" => Ok(Self::Accept),
            _ => Err(()),
        }
    }
}

/// The keys of a replica: one that mints and any number that are accepted.
///
/// Text form, for key files and standard input, one key a line:
///
/// ```text
/// ID:ROLE:MATERIAL[:CREATED]
/// ```
///
/// `ID` is 0 to 255, `ROLE` is `mint` or `accept`, `MATERIAL` is at least 32 random bytes in
/// unpadded base64url, `CREATED` is when it was made in seconds since 1970. Empty lines and lines
/// that begin with `#` are skipped.
///
/// Rotation, one phase at a time on *every* replica before the next: [`accept`](Self::accept) the
/// new key, [`mint_with`](Self::mint_with) it, and [`retire`](Self::retire) the old one once the
/// longest life plus the allowed clock skew has passed since the last replica stopped minting.
#[derive(Clone, Debug)]
pub struct KeyRing {
    keys: Vec<(Role, Key)>,
}

/// A ring that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRingError {
    /// A line has not three or four fields.
    #[error("key line {line}: expected ID:ROLE:MATERIAL or ID:ROLE:MATERIAL:CREATED")]
    Fields {
        /// The line, from 1.
        line: usize,
    },
    /// The id is no number from 0 to 255.
    #[error("key line {line}: the key id must be a number from 0 to 255")]
    Id {
        /// The line, from 1.
        line: usize,
    },
    /// The role is neither `mint` nor `accept`.
    #[error("key line {line}: the role must be mint or accept")]
    Role {
        /// The line, from 1.
        line: usize,
    },
    /// The material is no strict base64url.
    #[error("key line {line}: the key material is not unpadded base64url")]
    Material {
        /// The line, from 1.
        line: usize,
    },
    /// The material is too short.
    #[error("key line {line}: {short}")]
    Short {
        /// The line, from 1.
        line: usize,
        /// How short.
        short: ShortKey,
    },
    /// The time is no whole number of seconds.
    #[error("key line {line}: the creation time must be whole seconds since 1970")]
    Created {
        /// The line, from 1.
        line: usize,
    },
    /// Two keys have one id.
    #[error("key id {0} is given twice")]
    Duplicate(KeyId),
    /// No key mints.
    #[error("no key has the role mint: exactly one must")]
    NoMint,
    /// Two keys mint.
    #[error("keys {0} and {1} both have the role mint: exactly one must")]
    TwoMints(KeyId, KeyId),
    /// No key has the id that was asked for.
    #[error("no key has the id {0}")]
    Unknown(KeyId),
    /// The key that mints cannot be taken away.
    #[error("key {0} mints: let another key mint before retiring it")]
    Minting(KeyId),
}

impl KeyRing {
    /// A ring of one key, which mints.
    pub fn single(key: Key) -> Self {
        Self {
            keys: vec![(Role::Mint, key)],
        }
    }

    /// A ring of these keys.
    ///
    /// # Errors
    /// When two keys share an id, or not exactly one of them mints.
    pub fn new(keys: Vec<(Role, Key)>) -> Result<Self, KeyRingError> {
        let mut mint = None;
        for (i, (role, key)) in keys.iter().enumerate() {
            if keys[..i].iter().any(|(_, k)| k.id() == key.id()) {
                return Err(KeyRingError::Duplicate(key.id()));
            }
            match (role, mint) {
                (Role::Mint, Some(first)) => return Err(KeyRingError::TwoMints(first, key.id())),
                (Role::Mint, None) => mint = Some(key.id()),
                (Role::Accept, _) => {}
            }
        }
        mint.map(|_| Self { keys }).ok_or(KeyRingError::NoMint)
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// Names the line, never its material.
    pub fn parse(text: &str) -> Result<Self, KeyRingError> {
        let mut keys = Vec::new();
        for (line, entry) in (1..).zip(text.lines()) {
            let entry = entry.trim();
            if !entry.is_empty() && !entry.starts_with('#') {
                keys.push(parse_line(line, entry)?);
            }
        }
        Self::new(keys)
    }

    /// Reads one line of the text form.
    ///
    /// # Errors
    /// As [`KeyRing::parse`], for line 1.
    pub fn parse_key(line: &str) -> Result<(Role, Key), KeyRingError> {
        parse_line(1, line.trim())
    }

    /// The text form, secrets included: for a key file or a replica's standard input only.
    pub fn to_secret_text(&self) -> Zeroizing<String> {
        // Sized up front, since growing would leave unwiped copies of the secrets behind.
        let lines: Vec<_> = self
            .keys()
            .map(|(role, key)| key.to_secret_line(role))
            .collect();
        let mut text = Zeroizing::new(String::with_capacity(lines.iter().map(|l| l.len()).sum()));
        lines.iter().for_each(|line| text.push_str(line));
        text
    }

    /// The keys with their roles, in the order given.
    pub fn keys(&self) -> impl Iterator<Item = (Role, &Key)> {
        self.keys.iter().map(|(role, key)| (*role, key))
    }

    /// The id of the key that mints.
    pub fn minting(&self) -> KeyId {
        self.keys
            .iter()
            .find(|(role, _)| *role == Role::Mint)
            .map(|(_, key)| key.id())
            .expect("every constructor checks that one key mints")
    }

    /// First phase of a rotation: opens tokens of `key`, does not mint with it yet.
    ///
    /// # Errors
    /// When its id is taken.
    pub fn accept(&mut self, key: Key) -> Result<(), KeyRingError> {
        if self.keys.iter().any(|(_, k)| k.id() == key.id()) {
            return Err(KeyRingError::Duplicate(key.id()));
        }
        self.keys.push((Role::Accept, key));
        Ok(())
    }

    /// Second phase, when every replica accepts the key: mints with it and only accepts the others.
    ///
    /// # Errors
    /// When no key has this id.
    pub fn mint_with(&mut self, id: KeyId) -> Result<(), KeyRingError> {
        if !self.keys.iter().any(|(_, k)| k.id() == id) {
            return Err(KeyRingError::Unknown(id));
        }
        for (role, key) in &mut self.keys {
            *role = if key.id() == id {
                Role::Mint
            } else {
                Role::Accept
            };
        }
        Ok(())
    }

    /// Third phase, once life plus skew has passed since the last replica minted with the key:
    /// forgets it.
    ///
    /// # Errors
    /// When no key has this id, or it still mints.
    pub fn retire(&mut self, id: KeyId) -> Result<(), KeyRingError> {
        match self.keys.iter().position(|(_, k)| k.id() == id) {
            None => Err(KeyRingError::Unknown(id)),
            Some(i) if self.keys[i].0 == Role::Mint => Err(KeyRingError::Minting(id)),
            Some(i) => {
                self.keys.remove(i);
                Ok(())
            }
        }
    }
}

fn parse_line(line: usize, entry: &str) -> Result<(Role, Key), KeyRingError> {
    let fields: Vec<&str> = entry.split(':').collect();
    let (id, role, material, created) = match fields[..] {
        [id, role, material] => (id, role, material, None),
        [id, role, material, created] => (id, role, material, Some(created)),
        _ => return Err(KeyRingError::Fields { line }),
    };
    let id = id.parse().map_err(|_| KeyRingError::Id { line })?;
    let role = role.parse().map_err(|()| KeyRingError::Role { line })?;
    let created_s = match created {
        Some(text) => Some(text.parse().map_err(|_| KeyRingError::Created { line })?),
        None => None,
    };
    let mut bytes = Zeroizing::new(vec![0; encoding::decode_room(material.len())]);
    let len =
        encoding::decode(material.as_bytes(), &mut bytes).ok_or(KeyRingError::Material { line })?;
    let key = Key::new(KeyId(id), &bytes[..len], created_s)
        .map_err(|short| KeyRingError::Short { line, short })?;
    Ok((role, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: u8) -> Key {
        Key::new(KeyId(id), &[id; 32], None).unwrap()
    }

    #[test]
    fn one_line_is_one_key() {
        let text = key(3).to_secret_line(Role::Accept);
        let (role, read) = KeyRing::parse_key(&text).unwrap();
        assert_eq!((role, read.id()), (Role::Accept, KeyId(3)));
        for bad in ["", "# comment", &format!("{}{}", &*text, &*text)] {
            assert!(KeyRing::parse_key(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_text_form_reads_back() {
        let ring = KeyRing::new(vec![
            (
                Role::Mint,
                Key::new(KeyId(1), &[3; 32], Some(1_800_000_000)).unwrap(),
            ),
            (Role::Accept, Key::new(KeyId(0), &[4; 50], None).unwrap()),
        ])
        .unwrap();
        let text = ring.to_secret_text();
        let again = KeyRing::parse(&format!("# made by hand\n\n{}", *text)).unwrap();
        assert_eq!(again.to_secret_text(), text);
        assert_eq!(again.minting(), KeyId(1));
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn bad_lines_are_named_by_number() {
        let good = "A".repeat(43);
        let cases = [
            ("1".to_owned(), KeyRingError::Fields { line: 1 }),
            (
                format!("\n1:mint:{good}:2:3"),
                KeyRingError::Fields { line: 2 },
            ),
            (format!("256:mint:{good}"), KeyRingError::Id { line: 1 }),
            (format!("1:seal:{good}"), KeyRingError::Role { line: 1 }),
            (
                format!("1:mint:{good}="),
                KeyRingError::Material { line: 1 },
            ),
            (
                format!("1:mint:{}", "B".repeat(43)),
                KeyRingError::Material { line: 1 },
            ),
            (
                "# short\n1:mint:AAAA".to_owned(),
                KeyRingError::Short {
                    line: 2,
                    short: ShortKey(3),
                },
            ),
            (
                "1:mint:".to_owned(),
                KeyRingError::Short {
                    line: 1,
                    short: ShortKey(0),
                },
            ),
            (
                format!("1:mint:{good}:soon"),
                KeyRingError::Created { line: 1 },
            ),
            (
                format!("1:mint:{good}\n1:accept:{good}"),
                KeyRingError::Duplicate(KeyId(1)),
            ),
            (format!("1:accept:{good}"), KeyRingError::NoMint),
            (String::new(), KeyRingError::NoMint),
            (
                format!("1:mint:{good}\n2:mint:{good}"),
                KeyRingError::TwoMints(KeyId(1), KeyId(2)),
            ),
        ];
        for (text, error) in cases {
            assert_eq!(KeyRing::parse(&text).unwrap_err(), error, "{text}");
        }
    }

    #[test]
    fn rotation_takes_three_phases() {
        let mut ring = KeyRing::single(key(1));
        ring.accept(key(2)).unwrap();
        assert_eq!(ring.minting(), KeyId(1));
        assert_eq!(ring.retire(KeyId(1)), Err(KeyRingError::Minting(KeyId(1))));
        ring.mint_with(KeyId(2)).unwrap();
        assert_eq!(ring.minting(), KeyId(2));
        ring.retire(KeyId(1)).unwrap();
        assert_eq!(
            ring.keys().map(|(_, k)| k.id()).collect::<Vec<_>>(),
            [KeyId(2)]
        );
        assert_eq!(ring.accept(key(2)), Err(KeyRingError::Duplicate(KeyId(2))));
        assert_eq!(
            ring.mint_with(KeyId(9)),
            Err(KeyRingError::Unknown(KeyId(9)))
        );
    }
}
