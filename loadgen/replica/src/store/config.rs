/// Where a replica keeps the record of tokens used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreConfig {
    /// Nowhere: a token can be used as often as it opens.
    #[default]
    None,
    /// In this replica's memory: once on each replica.
    Memory,
    /// In Redis: once in the fleet.
    Redis,
}
