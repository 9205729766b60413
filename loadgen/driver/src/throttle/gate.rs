use std::time::Duration;

/// Which replicas refuse, as one sending thread sees them, and who tests whether one admits again:
/// a single workflow, while all others hold back.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    replicas: Vec<Option<Closed>>,
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
    /// All replicas admit.
    pub(crate) fn new(replicas: u16) -> Self {
        Self {
            replicas: vec![None; usize::from(replicas)],
        }
    }

    /// The part of a workflow that wants to send. Where nobody tests a replica that refuses, this
    /// workflow does from now on.
    pub(crate) fn part(&mut self, replica: u16, workflow: u64) -> Part {
        let Some(closed) = &mut self.replicas[usize::from(replica)] else {
            return Part::Send;
        };
        if *closed.tester.get_or_insert(workflow) == workflow {
            Part::Test(closed.not_before)
        } else {
            Part::Hold
        }
    }

    /// The replica refused a workflow, which may test it from `not_before` on if it is the one.
    pub(crate) fn refused(
        &mut self,
        replica: u16,
        workflow: u64,
        now: Duration,
        not_before: Duration,
    ) -> Part {
        let closed = self.replicas[usize::from(replica)].get_or_insert(Closed {
            since: now,
            not_before,
            tester: None,
        });
        closed.not_before = closed.not_before.max(not_before);
        self.part(replica, workflow)
    }

    /// The replica admitted a workflow. When that was the one that tests, gives how long the replica
    /// refused; whatever else it admits now was sent before it refused.
    pub(crate) fn admitted(
        &mut self,
        replica: u16,
        workflow: u64,
        now: Duration,
    ) -> Option<Duration> {
        let place = &mut self.replicas[usize::from(replica)];
        let closed = place.filter(|closed| closed.tester == Some(workflow))?;
        *place = None;
        Some(now.saturating_sub(closed.since))
    }

    /// A workflow gives up on the replica; whether another one has to test it now.
    pub(crate) fn left(&mut self, replica: u16, workflow: u64) -> bool {
        match &mut self.replicas[usize::from(replica)] {
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

    #[test]
    fn one_tests_and_the_others_hold_until_it_is_admitted() {
        let mut gate = Gate::new(2);
        assert_eq!(gate.part(0, 7), Part::Send);
        assert_eq!(gate.refused(0, 7, 2 * S, 3 * S), Part::Test(3 * S));
        assert_eq!(gate.refused(0, 8, 2 * S, 5 * S), Part::Hold);
        assert_eq!(gate.part(0, 9), Part::Hold);
        assert_eq!(gate.part(1, 9), Part::Send, "the other replica admits");
        assert_eq!(gate.admitted(0, 9, 3 * S), None, "sent before");
        assert_eq!(
            gate.part(0, 7),
            Part::Test(5 * S),
            "the longest wait counts"
        );
        assert_eq!(gate.admitted(0, 7, 6 * S), Some(4 * S));
        assert_eq!(gate.part(0, 9), Part::Send);
    }

    #[test]
    fn when_the_one_that_tests_leaves_another_does() {
        let mut gate = Gate::new(1);
        gate.refused(0, 7, S, 2 * S);
        assert!(!gate.left(0, 8));
        assert!(gate.left(0, 7));
        assert_eq!(gate.part(0, 8), Part::Test(2 * S));
        assert_eq!(gate.part(0, 9), Part::Hold);
    }
}
