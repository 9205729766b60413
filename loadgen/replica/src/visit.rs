use hyper::body::Body as _;

use crate::access_log::{AccessLog, Entry};
use crate::http::reply::{Field, Reply};
use crate::server::cut::Cut;
use crate::tally::Tally;

/// A request on its way through the replica. One that is dropped before its reply was made has lost
/// its client, and is counted and logged as that.
pub(crate) struct Visit<'r> {
    tally: &'r Tally,
    log: Option<&'r AccessLog>,
    /// What the log is to say, if there is one.
    entry: Option<Box<Entry>>,
    /// Header fields that the reply is to have beside those that every reply has.
    pub(crate) fields: Vec<Field>,
    over: bool,
}

/// A [`Visit`] without its replica, to be resumed elsewhere before anything can drop it.
pub(crate) struct Paused(Option<Box<Entry>>);

impl<'r> Visit<'r> {
    pub(crate) fn begin(tally: &'r Tally, log: Option<&'r AccessLog>) -> Self {
        tally.begun();
        Self::resume(Paused(log.map(|_| Box::new(Entry::begin()))), tally, log)
    }

    pub(crate) fn pause(&mut self) -> Paused {
        self.over = true;
        Paused(self.entry.take())
    }

    pub(crate) fn resume(paused: Paused, tally: &'r Tally, log: Option<&'r AccessLog>) -> Self {
        Self {
            tally,
            log,
            entry: paused.0,
            fields: Vec::new(),
            over: false,
        }
    }

    /// Notes something for the log. Nothing is done when there is none.
    pub(crate) fn note(&mut self, what: impl FnOnce(&mut Entry)) {
        if let Some(entry) = &mut self.entry {
            what(entry);
        }
    }

    /// Its reply is ready.
    pub(crate) fn answered(&mut self, reply: &Reply) {
        self.over = true;
        self.tally.answered();
        self.note(|entry| {
            if Cut::is_wanted(reply) {
                entry.cut();
            }
            let bytes = reply.body().size_hint().exact().unwrap_or(0);
            entry.replied(reply.status(), bytes);
        });
        self.write();
    }

    fn write(&mut self) {
        if let (Some(log), Some(entry)) = (self.log, &mut self.entry) {
            log.write(entry.line());
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.tally.cancelled();
            self.note(|entry| entry.outcome("cancelled"));
            self.write();
        }
    }
}
