use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::faults::fault::Fault;
use crate::faults::request::Misled;
use crate::faults::snapshot::Retyped;
use crate::outcome::Outcome;

/// A result as it is written, member by member, with what is wrong about it.
pub(crate) struct Rewritten(Vec<(String, Box<RawValue>)>);

impl Misled {
    /// The result with what is wrong about it; `None` when nothing is.
    pub(crate) fn rewrite(&self, outcome: &Outcome<'_>) -> Option<Rewritten> {
        let retyped = self.retyped();
        let more = self.settings().extra_members && matches!(outcome, Outcome::InputRequired(_));
        let version = self.only_version();
        if retyped.is_none() && !more && version.is_none() {
            return None;
        }
        let Rewritten(mut members) = members_of(&raw(outcome));
        match retyped {
            None => {}
            Some(Retyped::Omitted) => members.retain(|(name, _)| name != "resultType"),
            Some(Retyped::As(other)) => replace(&mut members, "resultType", &other),
        }
        if more {
            self.count(Fault::ExtraMembers);
            add_unknown(&mut members);
        }
        if let Some(version) = version {
            replace(&mut members, "supportedVersions", &[version]);
        }
        Some(Rewritten(members))
    }
}

impl Serialize for Rewritten {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Members that no client knows, of every type, in the result and in its `_meta`.
fn add_unknown(members: &mut Vec<(String, Box<RawValue>)>) {
    if let Some((_, meta)) = members.iter_mut().find(|(name, _)| name == "_meta") {
        let Rewritten(mut inside) = members_of(meta);
        inside.push(("example.org/unknown".into(), raw(&[1, 2])));
        *meta = raw(&Rewritten(inside));
    }
    members.push(("unknownText".into(), raw(&"text")));
    members.push(("unknownNull".into(), raw(&())));
    members.push(("unknownList".into(), raw(&[true])));
}

fn replace(members: &mut [(String, Box<RawValue>)], name: &str, value: &impl Serialize) {
    if let Some((_, found)) = members.iter_mut().find(|(n, _)| n == name) {
        *found = raw(value);
    }
}

fn members_of(object: &RawValue) -> Rewritten {
    serde_json::from_str(object.get()).expect("every result is an object")
}

fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("strings and maps with string keys serialise")
}

impl<'de> Deserialize<'de> for Rewritten {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Rewritten;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Rewritten, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Rewritten(members))
            }
        }

        from.deserialize_map(Visitor)
    }
}
