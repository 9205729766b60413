//! A JSON object that keeps the order of its members and refuses duplicate keys.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
                    if members.iter().any(|(k, _)| *k == key) {
                        return Err(de::Error::custom(format!("duplicate key {key:?}")));
                    }
                    members.push((key, value));
                }
                Ok(Entries(members))
            }
        }

        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
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
}
