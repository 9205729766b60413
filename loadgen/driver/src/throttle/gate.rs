use std::collections::HashMap;
use std::time::Duration;

/// Where requests are admitted or refused: a limit is one of a principal, and a replica may count for
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Door {
    /// Position of the replica.
    pub(crate) replica: u16,
    /// Position of the principal; 0 for all without tokens.
    pub(crate) principal: usize,
}

/// Which replicas refuse whom, as one sending thread sees them, and who tests whether one admits
/// again: a single workflow of that principal, while its others hold back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    closed: HashMap<Door, Closed>,
}

#[derive(Debug, Clone, Copy)]
struct Closed {
    since: Duration,
    not_before: Duration,
    tester: Option<u64>,
}

/// What a workflow may do at a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Send: the replica admits.
    Send,
    /// Send from this moment on, as the one that tests.
    Test(Duration),
    /// Send nothing until the replica admits again.
    Hold,
}

impl Gate {
    /// The part of a workflow that wants to send. Where nobody tests a replica that refuses, this
    /// workflow does from now on.
    pub(crate) fn part(&mut self, door: Door, workflow: u64) -> Part {
        let Some(closed) = self.closed.get_mut(&door) else {
            return Part::Send;
        };
        if *closed.tester.get_or_insert(workflow) == workflow {
            Part::Test(closed.not_before)
        } else {
            Part::Hold
        }
    }

    /// A workflow was refused, which may test from `not_before` on if it is the one.
    pub(crate) fn refused(
        &mut self,
        door: Door,
        workflow: u64,
        now: Duration,
        not_before: Duration,
    ) -> Part {
        let closed = self.closed.entry(door).or_insert(Closed {
            since: now,
            not_before,
            tester: None,
        });
        closed.not_before = closed.not_before.max(not_before);
        self.part(door, workflow)
    }

    /// A workflow was admitted. When that was the one that tests, gives how long the replica refused
    /// its principal; whatever else it admits now was sent before it refused.
    pub(crate) fn admitted(
        &mut self,
        door: Door,
        workflow: u64,
        now: Duration,
    ) -> Option<Duration> {
        let closed = self.closed.get(&door)?;
        let since = (closed.tester == Some(workflow)).then_some(closed.since)?;
        self.closed.remove(&door);
        Some(now.saturating_sub(since))
    }

    /// A workflow gives up on the replica; whether another one has to test it now.
    pub(crate) fn left(&mut self, door: Door, workflow: u64) -> bool {
        match self.closed.get_mut(&door) {
            Some(closed) if closed.tester == Some(workflow) => {
                closed.tester = None;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn door(replica: u16, principal: usize) -> Door {
        Door { replica, principal }
    }

    #[test]
    fn one_tests_and_the_others_hold_until_it_is_admitted() {
        let mut gate = Gate::default();
        let first = door(0, 0);
        assert_eq!(gate.part(first, 7), Part::Send);
        assert_eq!(gate.refused(first, 7, 2 * S, 3 * S), Part::Test(3 * S));
        assert_eq!(gate.refused(first, 8, 2 * S, 5 * S), Part::Hold);
        assert_eq!(gate.part(first, 9), Part::Hold);
        assert_eq!(gate.part(door(1, 0), 9), Part::Send, "the other admits");
        assert_eq!(gate.part(door(0, 1), 9), Part::Send, "somebody else");
        assert_eq!(gate.admitted(first, 9, 3 * S), None, "sent before");
        assert_eq!(
            gate.part(first, 7),
            Part::Test(5 * S),
            "the longest wait counts"
        );
        assert_eq!(gate.admitted(first, 7, 6 * S), Some(4 * S));
        assert_eq!(gate.part(first, 9), Part::Send);
    }

    #[test]
    fn when_the_one_that_tests_leaves_another_does() {
        let mut gate = Gate::default();
        let only = door(0, 0);
        gate.refused(only, 7, S, 2 * S);
        assert!(!gate.left(only, 8));
        assert!(gate.left(only, 7));
        assert_eq!(gate.part(only, 8), Part::Test(2 * S));
        assert_eq!(gate.part(only, 9), Part::Hold);
    }
}
