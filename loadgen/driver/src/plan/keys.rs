use std::collections::BTreeMap;
use std::time::Duration;

use toml::Spanned;

use super::check::Check;
use super::event::{Act, Event};
use crate::scenario::{EventTable, ScenarioError};

/// The key that every replica begins with.
const FIRST: u8 = 1;

/// The keys of one replica.
struct Ring {
    keys: Vec<u8>,
    mints: u8,
}

impl Ring {
    /// What a change makes of them, or why it cannot be.
    fn change(&mut self, act: &Act) -> Result<(), String> {
        let has = |id: u8| self.keys.contains(&id);
        match *act {
            Act::AcceptKey(id) if has(id) => Err(format!("has key {id} already")),
            Act::MintKey(id) | Act::DropKey(id) if !has(id) => Err(format!(
                "has no key {id} then; an event with act = \"accept-key\" has to come first"
            )),
            Act::DropKey(id) if id == self.mints => Err(format!(
                "mints with key {id} then; an event with act = \"mint-key\" and another key has to \
                 come first"
            )),
            Act::AcceptKey(id) => {
                self.keys.push(id);
                Ok(())
            }
            Act::MintKey(id) => {
                self.mints = id;
                Ok(())
            }
            Act::DropKey(id) => {
                self.keys.retain(|key| *key != id);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Check<'_> {
    /// Whether every change of keys finds the keys that it needs, in the order in which it reaches each
    /// replica.
    pub(super) fn keys(
        &self,
        events: &[(Event, &Spanned<EventTable>)],
    ) -> Result<(), ScenarioError> {
        let mut changes: Vec<(Duration, usize, usize)> = Vec::new();
        for (number, (event, _)) in events.iter().enumerate() {
            for (turn, replica) in (0_u32..).zip(&event.replicas) {
                changes.push((event.at + event.pause * turn, number, *replica));
            }
        }
        changes.sort();
        let mut rings: BTreeMap<usize, Ring> = BTreeMap::new();
        for (_, number, replica) in changes {
            let ring = rings.entry(replica).or_insert_with(|| Ring {
                keys: vec![FIRST],
                mints: FIRST,
            });
            let (event, table) = &events[number];
            if let Err(why) = ring.change(&event.act) {
                let text = format!("replica {replica} {why}");
                return Err(match &table.get_ref().key {
                    Some(key) => self.wrong(key, &text),
                    None => self.wrong(*table, &text),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(events: &[(f64, &str, u8, &str)]) -> Result<(), String> {
        let event = |&(at_s, act, key, more): &(f64, &str, u8, &str)| {
            format!("[[event]]\nat_s = {at_s}\nact = \"{act}\"\nkey = {key}\n{more}\n")
        };
        let events: String = events.iter().map(event).collect();
        let text = format!(
            "[fleet]\nreplicas = 2\n[load]\nrate_per_s = 1\nduration_s = 9\n{events}[[workflow]]\n\
             tool = \"echo\"\n"
        );
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())?;
        Ok(())
    }

    #[test]
    fn keys_are_turned_in_an_order_that_replicas_can_follow() {
        let good = [
            (1.0, "accept-key", 2, ""),
            (2.0, "mint-key", 2, ""),
            (3.0, "drop-key", 1, ""),
        ];
        assert_eq!(plan(&good), Ok(()));
        for (place, want) in [
            (0, "x.toml:9:7: replica 0 has no key 2 then"),
            (1, "x.toml:14:7: replica 0 mints with key 1 then"),
        ] {
            let mut without = good.to_vec();
            without.remove(place);
            let said = plan(&without).unwrap_err();
            assert!(said.starts_with(want), "{said}");
        }
        let twice = [(1.0, "accept-key", 1, "")];
        assert!(plan(&twice).unwrap_err().contains("has key 1 already"));
    }

    #[test]
    fn a_pause_counts_for_each_replica() {
        // Replica 1 accepts at 4 s.
        let accept = (1.0, "accept-key", 2, "pause_s = 3");
        let one = |at_s| [accept, (at_s, "mint-key", 2, "replicas = [1]")];
        assert_eq!(plan(&one(5.0)), Ok(()));
        assert!(
            plan(&one(2.0))
                .unwrap_err()
                .contains("replica 1 has no key 2")
        );
        assert_eq!(
            plan(&[accept, (2.0, "mint-key", 2, "replicas = [0]")]),
            Ok(())
        );
    }
}
