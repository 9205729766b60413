use std::mem;

use crate::tally::Tally;

/// A request on its way through the replica. One that is dropped before its reply was made has lost
/// its client, and is counted as that.
pub(crate) struct Visit<'r> {
    tally: &'r Tally,
}

/// A [`Visit`] without its replica, to be resumed elsewhere before anything can drop it.
pub(crate) struct Paused(());

impl<'r> Visit<'r> {
    pub(crate) fn begin(tally: &'r Tally) -> Self {
        tally.begun();
        Self { tally }
    }

    pub(crate) fn pause(self) -> Paused {
        mem::forget(self);
        Paused(())
    }

    pub(crate) fn resume(_: Paused, tally: &'r Tally) -> Self {
        Self { tally }
    }

    /// Its reply is ready.
    pub(crate) fn answered(self) {
        self.tally.answered();
        mem::forget(self);
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.tally.cancelled();
    }
}
