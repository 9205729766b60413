use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// What happened to one principal's requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalCounters {
    /// The name that a table gave them, `anonymous` or `others`. Without a table a principal may be
    /// a token that must stay secret: then the first 64 bits of its SHA-256 in hexadecimal.
    pub principal: String,
    /// Requests admitted.
    pub admitted: u64,
    /// Requests refused because the quota was spent.
    pub limited: u64,
}

/// Counts by principal, in bounded memory: the first [`People::ROOM`] have a row of their own, all
/// later ones share one.
pub(super) struct People {
    rows: Mutex<Rows>,
    hasher: RandomState,
    /// Whether principals are names from a table.
    named: bool,
}

struct Rows {
    own: HashMap<u64, PrincipalCounters>,
    others: PrincipalCounters,
}

impl People {
    /// How many principals have a row of their own.
    pub(super) const ROOM: usize = 256;

    pub(super) fn new(named: bool) -> Self {
        Self {
            named,
            rows: Mutex::new(Rows {
                own: HashMap::new(),
                others: PrincipalCounters::named("others".to_owned()),
            }),
            hasher: RandomState::new(),
        }
    }

    pub(super) fn count(&self, principal: Option<&str>, admitted: bool) {
        let key = self.hasher.hash_one(principal);
        let rows = &mut *self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = rows.own.len() < Self::ROOM;
        let row = match rows.own.get_mut(&key) {
            Some(row) => row,
            None if has_room => rows
                .own
                .entry(key)
                .or_insert_with(|| PrincipalCounters::named(self.name(principal))),
            None => &mut rows.others,
        };
        if admitted {
            row.admitted += 1;
        } else {
            row.limited += 1;
        }
    }

    /// The rows by name, the shared one last and only if somebody is in it.
    pub(super) fn read(&self) -> Vec<PrincipalCounters> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read: Vec<_> = rows.own.values().cloned().collect();
        read.sort_unstable_by(|a, b| a.principal.cmp(&b.principal));
        if rows.others.admitted + rows.others.limited > 0 {
            read.push(rows.others.clone());
        }
        read
    }

    fn name(&self, principal: Option<&str>) -> String {
        match principal {
            None => "anonymous".to_owned(),
            Some(principal) if self.named => principal.to_owned(),
            Some(principal) => digest(principal),
        }
    }
}

impl PrincipalCounters {
    const fn named(principal: String) -> Self {
        Self {
            principal,
            admitted: 0,
            limited: 0,
        }
    }
}

fn digest(principal: &str) -> String {
    let digest = Sha256::digest(principal.as_bytes());
    let first: [u8; 8] = digest[..8].try_into().expect("SHA-256 has 32 bytes");
    format!("{:016x}", u64::from_be_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_bounded_and_the_rest_is_summed() {
        let people = People::new(false);
        people.count(None, true);
        for i in 0..People::ROOM + 9 {
            people.count(Some(&format!("Bearer {i}")), i % 2 == 0);
        }
        people.count(None, false);
        let read = people.read();
        assert_eq!(read.len(), People::ROOM + 1);
        let find = |name: &str| read.iter().find(|row| row.principal == name).unwrap();
        let anonymous = find("anonymous");
        assert_eq!((anonymous.admitted, anonymous.limited), (1, 1));
        let others = read.last().unwrap();
        assert_eq!(others.principal, "others");
        assert_eq!(others.admitted + others.limited, 10);
        let sum: u64 = read.iter().map(|row| row.admitted + row.limited).sum();
        assert_eq!(sum, People::ROOM as u64 + 11);
    }

    #[test]
    fn a_token_is_counted_under_a_name_that_does_not_show_it_and_a_name_as_it_is() {
        let people = People::new(false);
        people.count(Some("abc"), true);
        // FIPS 180-2, appendix B.1.
        assert_eq!(people.read()[0].principal, "ba7816bf8f01cfea");
        let people = People::new(true);
        people.count(Some("abc"), true);
        assert_eq!(people.read()[0].principal, "abc");
    }
}
