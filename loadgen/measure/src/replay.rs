/// A state that was sent back to several replicas at once, and what they made of it. One of the requests
/// is an ordinary attempt; the others are counted here alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replay {
    /// Requests with this state, the ordinary one included.
    pub requests: u64,
    /// Of these, those that ended well.
    pub ok: u64,
    /// Those whose state was refused.
    pub refused: u64,
}

/// The replayed states of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReplayTally {
    pub(crate) states: u64,
    pub(crate) sum: Replay,
    /// States with which more than one request ended well.
    pub(crate) carried_out_again: u64,
    /// Most requests that ended well with one state.
    pub(crate) most_ok: u64,
}

impl ReplayTally {
    pub(crate) fn add(&mut self, replay: &Replay) {
        self.merge(&Self {
            states: 1,
            sum: *replay,
            carried_out_again: u64::from(replay.ok > 1),
            most_ok: replay.ok,
        });
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.states += other.states;
        self.sum.requests += other.sum.requests;
        self.sum.ok += other.sum.ok;
        self.sum.refused += other.sum.refused;
        self.carried_out_again += other.carried_out_again;
        self.most_ok = self.most_ok.max(other.most_ok);
    }
}
