use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use loadgen_seal::TokenId;

use crate::short_hex::short_hex;
use crate::surface::{Item, Tool};

/// How often each state was used to carry out one of a few tools, in bounded memory: what is
/// executed twice here ran twice whatever the store of used tokens says.
pub(crate) struct TokenUses {
    tools: Vec<Tool>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    uses: HashMap<TokenId, u64>,
    /// In the order of the first use.
    order: VecDeque<TokenId>,
    counters: TokenCounters,
}

/// How often states were used to carry out the tools that are watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenCounters {
    /// Executions with a state.
    pub executions: u64,
    /// States with at least one execution.
    pub tokens: u64,
    /// States with more than one.
    pub repeated: u64,
    /// States that were forgotten to make room; one that comes again counts as a new one.
    pub forgotten: u64,
    /// The states with the most executions, if more than one: the first 64 bits of each one's tag in
    /// hexadecimal, and the executions.
    pub most: Vec<(String, u64)>,
}

impl TokenUses {
    /// States that are remembered at once.
    const ROOM: usize = 1 << 16;
    /// States that are told one by one.
    const MOST: usize = 10;

    pub(crate) fn of(tools: Vec<Tool>) -> Self {
        Self {
            tools,
            table: Mutex::default(),
        }
    }

    /// This item was carried out with this state.
    pub(crate) fn count(&self, item: Item<'_>, token: TokenId) {
        if matches!(item, Item::Tool(tool) if self.tools.contains(&tool)) {
            let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
            table.count(token, Self::ROOM);
        }
    }

    pub(crate) fn counters(&self) -> TokenCounters {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let mut most: Vec<_> = table.uses.iter().filter(|(_, uses)| **uses > 1).collect();
        most.sort_unstable_by_key(|(token, uses)| (u64::MAX - **uses, token.tag));
        most.truncate(Self::MOST);
        TokenCounters {
            most: most
                .into_iter()
                .map(|(token, uses)| (short_hex(&token.tag), *uses))
                .collect(),
            ..table.counters.clone()
        }
    }
}

impl Table {
    fn count(&mut self, token: TokenId, room: usize) {
        self.counters.executions += 1;
        if let Some(uses) = self.uses.get_mut(&token) {
            *uses += 1;
            self.counters.repeated += u64::from(*uses == 2);
            return;
        }
        if self.uses.len() == room
            && let Some(oldest) = self.order.pop_front()
        {
            self.uses.remove(&oldest);
            self.counters.forgotten += 1;
        }
        self.uses.insert(token, 1);
        self.order.push_back(token);
        self.counters.tokens += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(tag: u8) -> TokenId {
        TokenId {
            expiry_s: 7,
            tag: [tag; 16],
        }
    }

    #[test]
    fn only_the_tools_that_are_watched_are_counted() {
        let uses = TokenUses::of(vec![Tool::Echo]);
        uses.count(Item::Tool(Tool::Wizard), token(1));
        assert_eq!(uses.counters(), TokenCounters::default());
        uses.count(Item::Tool(Tool::Echo), token(1));
        assert_eq!(uses.counters().executions, 1);
    }

    #[test]
    fn a_token_counts_as_repeated_once_however_often_it_is() {
        let uses = TokenUses::of(vec![Tool::Echo]);
        for tag in [1, 2, 1, 3, 1, 3] {
            uses.count(Item::Tool(Tool::Echo), token(tag));
        }
        let hex = |tag: u8| format!("{tag:02x}").repeat(8);
        let counters = uses.counters();
        assert_eq!(counters.most, [(hex(1), 3), (hex(3), 2)]);
        assert_eq!((counters.executions, counters.tokens), (6, 3));
        assert_eq!((counters.repeated, counters.forgotten), (2, 0));
    }

    #[test]
    fn the_oldest_are_forgotten_when_there_is_no_room() {
        let mut table = Table::default();
        for tag in [1, 2, 3, 2, 1] {
            table.count(token(tag), 2);
        }
        assert_eq!(table.uses.len(), 2);
        assert_eq!(table.order.len(), 2);
        assert_eq!((table.counters.tokens, table.counters.forgotten), (4, 2));
        assert_eq!(table.counters.repeated, 1);
    }
}
