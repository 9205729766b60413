//! A JSON object that keeps the order of its members and refuses duplicate keys.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// So few members are compared with each other one by one, which costs no allocation.
const FEW: usize = 8;

/// Members of an object in wire order. Keys are unique: a duplicate is an error on reading, since a
/// map type would silently drop one of the two (the revision demands unique keys, MRTR-S-03).
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<V>(Vec<(String, V)>);

impl<V> Entries<V> {
    /// The members in wire order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The member called `key`.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the object is `{}`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> FromIterator<(String, V)> for Entries<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for Entries<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
            type Value = Entries<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members: Vec<(String, V)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    members.push((key, value));
                }
                match duplicate(&members) {
                    Some(key) => Err(de::Error::custom(format!("duplicate key {key:?}"))),
                    None => Ok(Entries(members)),
                }
            }
        }

        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

/// A key that stands there twice. Looks at each key once: whoever wrote them may have written many.
fn duplicate<V>(members: &[(String, V)]) -> Option<&str> {
    let mut keys = members.iter().map(|(key, _)| key.as_str());
    if members.len() <= FEW {
        let mut numbered = keys.enumerate();
        return numbered
            .find(|(at, key)| members[..*at].iter().any(|(before, _)| before == key))
            .map(|(_, key)| key);
    }
    let mut seen = HashSet::with_capacity(members.len());
    keys.find(|key| !seen.insert(*key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_duplicates_are_refused() {
        let e: Entries<i32> = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
        assert_eq!(e.iter().collect::<Vec<_>>(), [("b", &1), ("a", &2)]);
        assert_eq!(serde_json::to_string(&e).unwrap(), r#"{"b":1,"a":2}"#);
        let err = serde_json::from_str::<Entries<i32>>(r#"{"b":1,"b":2}"#).unwrap_err();
        assert!(err.to_string().contains(r#"duplicate key "b""#), "{err}");
    }
    #[test]
    fn a_duplicate_is_found_among_few_and_among_many() {
        // With one look for each pair the last of these would take minutes.
        for count in [2, FEW, FEW + 1, 50_000] {
            let mut text: String = (0..count).map(|n| format!(r#""k{n}":{n},"#)).collect();
            let whole = format!("{{{}}}", text.trim_end_matches(','));
            let read = serde_json::from_str::<Entries<usize>>(&whole).unwrap();
            assert_eq!(read.len(), count);
            let last = format!(r#""k{}""#, count - 1);
            text.push_str(&format!("{last}:0"));
            let told = serde_json::from_str::<Entries<usize>>(&format!("{{{text}}}")).unwrap_err();
            assert!(
                told.to_string().contains(&format!("duplicate key {last}")),
                "{told}"
            );
        }
    }
}
