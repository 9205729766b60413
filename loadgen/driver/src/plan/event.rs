use std::time::Duration;

use serde_json::{Map, Value};
use toml::Spanned;

use super::check::Check;
use super::fleet::{FleetPlan, ReplicaPlan};
use super::limit_rate::LimitRate;
use crate::scenario::{EventTable, ScenarioError};

/// Most events of a scenario: each begins a phase, whose figures are kept apart.
const MOST_EVENTS: usize = 32;

/// Something that happens to replicas while the load goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its name in results, of its own.
    pub name: String,
    /// When, from the start of the load.
    pub at: Duration,
    /// What.
    pub act: Act,
    /// To which replicas, by position in the fleet; at least one.
    pub replicas: Vec<usize>,
    /// Time between one replica and the next.
    pub pause: Duration,
}

/// What happens to a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// It ends at once, as by a crash, and its connections are reset.
    Kill,
    /// It is told to end: it finishes what it has and ends its connections.
    Drain,
    /// It begins anew at its address, if it has ended.
    Start,
    /// It is told to end, and begins anew at its address.
    Restart,
    /// It answers nothing for so long.
    Freeze(Duration),
    /// These faults are set besides those that are, or taken away, as by `set` of docs/faults.md.
    Set(Map<String, Value>),
    /// Every fault ends.
    Clear,
    /// Its rate limit becomes this one, or is lifted.
    Limit(Option<LimitRate>),
    /// It opens states of this key too.
    AcceptKey(u8),
    /// It mints states with this key, and accepts the others.
    MintKey(u8),
    /// It forgets this key.
    DropKey(u8),
}

impl Act {
    /// Its name in a scenario.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Drain => "drain",
            Self::Start => "start",
            Self::Restart => "restart",
            Self::Freeze(_) => "freeze",
            Self::Set(_) => "set",
            Self::Clear => "clear",
            Self::Limit(_) => "limit",
            Self::AcceptKey(_) => "accept-key",
            Self::MintKey(_) => "mint-key",
            Self::DropKey(_) => "drop-key",
        }
    }

    /// What it is in words.
    fn words(&self) -> String {
        match self {
            Self::AcceptKey(id) => format!("accept key {id}"),
            Self::MintKey(id) => format!("mint with key {id}"),
            Self::DropKey(id) => format!("drop key {id}"),
            Self::Set(faults) => {
                let keys: Vec<&str> = faults.keys().map(String::as_str).collect();
                format!("set {}", keys.join(", "))
            }
            Self::Limit(Some(rate)) => format!("limit {rate}"),
            Self::Limit(None) => "no limit".to_owned(),
            _ => self.name().to_owned(),
        }
    }
}

impl Event {
    /// When what it did ends by itself, for those that do.
    #[must_use]
    pub fn ends(&self) -> Option<Duration> {
        let Act::Freeze(time) = self.act else {
            return None;
        };
        let pauses = u32::try_from(self.replicas.len() - 1).unwrap_or(u32::MAX);
        Some(self.at + self.pause * pauses + time)
    }
}

impl Check<'_> {
    /// The events in the order in which they happen.
    pub(super) fn events(
        &self,
        tables: &[Spanned<EventTable>],
        fleet: Option<&FleetPlan>,
        duration: Duration,
    ) -> Result<Vec<Event>, ScenarioError> {
        let Some(first) = tables.first() else {
            return Ok(Vec::new());
        };
        let Some(fleet) = fleet else {
            return Err(self.wrong(
                first,
                "an [[event]] happens to replicas that the run starts itself, so it needs a [fleet]",
            ));
        };
        if let Some(over) = tables.get(MOST_EVENTS) {
            return Err(self.wrong(
                over,
                &format!("a scenario has at most {MOST_EVENTS} events"),
            ));
        }
        let mut events: Vec<(Event, &Spanned<EventTable>)> = Vec::new();
        for table in tables {
            let mut event = self.event(table.get_ref(), fleet, duration)?;
            let same = events.iter().any(|(other, _)| other.name == event.name);
            if same {
                match &table.get_ref().name {
                    Some(name) => {
                        let text = format!("two events are called `{}`", event.name);
                        return Err(self.wrong(name, &text));
                    }
                    None => event.name = format!("{} at {} s", event.name, event.at.as_secs_f64()),
                }
            }
            if events.iter().any(|(other, _)| other.name == event.name) {
                return Err(self.wrong(table, "this event is there twice"));
            }
            events.push((event, table));
        }
        events.sort_by_key(|(event, _)| event.at);
        self.keys(&events)?;
        Ok(events.into_iter().map(|(event, _)| event).collect())
    }

    fn event(
        &self,
        table: &EventTable,
        fleet: &FleetPlan,
        duration: Duration,
    ) -> Result<Event, ScenarioError> {
        let at = self.time("at_s", &table.at_s, true)?;
        if at >= duration {
            return Err(self.wrong(
                &table.at_s,
                &format!(
                    "at_s must be below {}, when the load ends",
                    duration.as_secs_f64()
                ),
            ));
        }
        let act = self.act(table)?;
        let replicas = self.concerned(table, fleet)?;
        if matches!(act, Act::Limit(_)) {
            let unlimited = |&&index: &&usize| !is_limited(&fleet.replicas[index]);
            if let Some(index) = replicas.iter().find(unlimited) {
                let text = format!(
                    "replica {index} is started without a limit to change; put \"--limit\" and a rate \
                     into its `options`"
                );
                return Err(self.wrong(&table.act, &text));
            }
        }
        let name = match &table.name {
            Some(name) if name.get_ref().trim().is_empty() => {
                return Err(self.wrong(name, "an event without a name has no `name` at all"));
            }
            Some(name) => name.get_ref().clone(),
            None => format!("{} {}", act.words(), whom(&replicas, fleet)),
        };
        Ok(Event {
            name,
            at,
            act,
            replicas,
            pause: self.optional_time("pause_s", &table.pause_s, 0.0, true)?,
        })
    }

    fn act(&self, table: &EventTable) -> Result<Act, ScenarioError> {
        let text = table.act.get_ref().as_str();
        let act = match text {
            "kill" => Act::Kill,
            "drain" => Act::Drain,
            "start" => Act::Start,
            "restart" => Act::Restart,
            "clear" => Act::Clear,
            "freeze" => Act::Freeze(match &table.for_s {
                Some(time) => self.time("for_s", time, false)?,
                None => return Err(self.wrong(&table.act, "`freeze` needs `for_s`")),
            }),
            "set" => match self.faults(table.faults.as_ref())? {
                faults if faults.is_empty() => {
                    return Err(self.wrong(&table.act, "`set` needs `faults` that it sets"));
                }
                faults => Act::Set(faults),
            },
            "limit" => match &table.limit {
                Some(limit) => Act::Limit(self.limit_rate(limit)?),
                None => return Err(self.wrong(&table.act, "`limit` needs `limit`, a rate")),
            },
            "accept-key" | "mint-key" | "drop-key" => {
                let Some(key) = &table.key else {
                    return Err(self.wrong(&table.act, &format!("`{text}` needs `key`")));
                };
                let id = *key.get_ref();
                match text {
                    "accept-key" => Act::AcceptKey(id),
                    "mint-key" => Act::MintKey(id),
                    _ => Act::DropKey(id),
                }
            }
            _ => {
                return Err(self.wrong(
                    &table.act,
                    "act must be \"kill\", \"drain\", \"start\", \"restart\", \"freeze\", \"set\", \
                     \"clear\", \"limit\", \"accept-key\", \"mint-key\" or \"drop-key\"",
                ));
            }
        };
        let useless = |key: &str| format!("`{text}` has no `{key}`");
        if let (Some(time), false) = (&table.for_s, matches!(act, Act::Freeze(_))) {
            return Err(self.wrong(time, &useless("for_s")));
        }
        if let (Some(faults), false) = (&table.faults, matches!(act, Act::Set(_))) {
            return Err(self.wrong(faults, &useless("faults")));
        }
        if let (Some(limit), false) = (&table.limit, matches!(act, Act::Limit(_))) {
            return Err(self.wrong(limit, &useless("limit")));
        }
        let keyed = matches!(act, Act::AcceptKey(_) | Act::MintKey(_) | Act::DropKey(_));
        if let (Some(key), false) = (&table.key, keyed) {
            return Err(self.wrong(key, &useless("key")));
        }
        Ok(act)
    }

    fn concerned(
        &self,
        table: &EventTable,
        fleet: &FleetPlan,
    ) -> Result<Vec<usize>, ScenarioError> {
        let Some(list) = &table.replicas else {
            return Ok((0..fleet.replicas.len()).collect());
        };
        if list.get_ref().is_empty() {
            return Err(self.wrong(list, "an event that concerns nobody does nothing"));
        }
        let mut numbers = Vec::new();
        for number in list.get_ref() {
            let index = self.position(number, fleet.replicas.len())?;
            if numbers.contains(&index) {
                return Err(self.wrong(number, "this replica is named twice"));
            }
            numbers.push(index);
        }
        Ok(numbers)
    }
}

/// Whether a replica has a rate limit from the start.
fn is_limited(replica: &ReplicaPlan) -> bool {
    let names = |option: &String| option == "--limit" || option.starts_with("--limit=");
    replica.options.iter().any(names)
}

/// Replicas in words.
fn whom(replicas: &[usize], fleet: &FleetPlan) -> String {
    let list: Vec<String> = replicas.iter().map(usize::to_string).collect();
    match &list[..] {
        all if all.len() == fleet.replicas.len() && all.len() > 1 => "all".to_owned(),
        [one] => format!("replica {one}"),
        several => format!("replicas {}", several.join(", ")),
    }
}
