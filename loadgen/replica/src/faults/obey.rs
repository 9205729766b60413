use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::faults::command::{Command, CommandError, Verb};
use crate::faults::handle::Faults;
use crate::limit::Limiter;
use crate::mrtr::States;

impl Faults {
    /// Does what the command says and tells what holds from then on: `faults` as they are set,
    /// `freeze_ms` left of a freeze, `keys` of the ring, the rate of a `limit`, and how often each fault was `applied`.
    ///
    /// # Errors
    /// When it cannot be done; nothing has changed then.
    pub(crate) fn obey(
        &self,
        command: Command,
        states: &States,
        limiter: Option<&Limiter>,
    ) -> Result<Map<String, Value>, CommandError> {
        let now = Instant::now();
        match command.0 {
            Verb::Set(patch) => self.set(patch, now)?,
            Verb::Clear => self.clear(now),
            Verb::Freeze(time) => self.freeze(time.get(), now),
            Verb::Accept(key) => states.turn(|sealer| sealer.accepting(&key))?,
            Verb::Mint(id) => states.turn(|sealer| sealer.minting_with(id))?,
            Verb::Drop(id) => states.turn(|sealer| sealer.without(id))?,
            Verb::Limit(rate) => limiter.ok_or(CommandError::NoLimit)?.change(rate)?,
            Verb::Show => {}
        }
        let mut told = self.told(states, now);
        if let Some(limiter) = limiter {
            let rate = limiter.rate().map(|rate| rate.to_string());
            told.insert("limit".to_owned(), rate.into());
        }
        Ok(told)
    }

    fn told(&self, states: &States, now: Instant) -> Map<String, Value> {
        let (set, frozen) = self.shown(now);
        let keys = states.sealer();
        let keys = keys
            .keys()
            .map(|(role, id)| json!({ "id": id.0, "role": role.to_string() }));
        let applied = self.counts();
        let applied = applied
            .iter()
            .filter(|&(_, times)| times > 0)
            .map(|(fault, times)| (fault.name().to_owned(), times.into()));
        let mut told = Map::new();
        told.insert("faults".to_owned(), set.into());
        if !frozen.is_zero() {
            // At most the hour that a freeze may be long.
            let left_ms = u64::try_from(frozen.as_millis()).unwrap_or(u64::MAX);
            told.insert("freeze_ms".to_owned(), left_ms.into());
        }
        told.insert("keys".to_owned(), keys.collect());
        told.insert("applied".to_owned(), Value::Object(applied.collect()));
        told
    }
}
