use tokio::task::yield_now;

use crate::plan::Plan;

/// Numbers that are counted before other tasks of the thread may run.
const AT_ONCE: u64 = 1 << 14;

/// One thread's part of the load: every `of`-th workflow from the `index`-th on; or, where something
/// is remembered of principals, the workflows of every `of`-th principal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) index: u32,
    pub(super) of: u32,
}

impl Part {
    /// This part of a limit that all parts share, which is at least 1 for each. Where parts are by
    /// principal it follows their number.
    pub(super) fn share(self, total: u32, plan: &Plan) -> u32 {
        if !plan.by_principal() {
            return total / self.of + u32::from(self.index < total % self.of);
        }
        let (index, of) = (u64::from(self.index), u64::from(self.of));
        let all = plan.client.principals.count() as u64;
        let before = |index: u64| index * (all / of) + index.min(all % of);
        let left = u64::from(total).saturating_sub(of);
        let share = left * before(index + 1) / all - left * before(index) / all;
        1 + u32::try_from(share).unwrap_or(u32::MAX - 1)
    }

    /// Whether a workflow is one of this part.
    pub(super) fn has(self, plan: &Plan, workflow: u64) -> bool {
        let of = u64::from(self.of);
        let by = if plan.by_principal() {
            plan.principal(workflow) as u64
        } else {
            workflow
        };
        by % of == u64::from(self.index)
    }

    /// The first workflow of this part among those from `from` on; `end` when it has none below.
    pub(super) fn next(self, plan: &Plan, from: u64, end: u64) -> u64 {
        if plan.by_principal() {
            let mut own = (from..end).filter(|workflow| self.has(plan, *workflow));
            own.next().unwrap_or(end)
        } else {
            let (index, of) = (u64::from(self.index), u64::from(self.of));
            (from + (index + of - from % of) % of).min(end)
        }
    }

    /// How many workflows of this part there are from `from` on below `end`.
    pub(super) async fn count(self, plan: &Plan, from: u64, end: u64) -> u64 {
        if !plan.by_principal() {
            let (index, of) = (u64::from(self.index), u64::from(self.of));
            let below = |end: u64| (end + of - 1 - index) / of;
            return below(end.max(from)) - below(from);
        }
        let (mut count, mut at) = (0, from);
        while at < end {
            let until = end.min(at + AT_ONCE);
            count += (at..until).filter(|w| self.has(plan, *w)).count() as u64;
            at = until;
            yield_now().await;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Play;
    use super::*;

    fn plan(tokens: &'static str) -> Plan {
        let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
        play.client = tokens;
        play.throttle = "on = \"probe\"";
        play.plan()
    }

    const NINE: &str = "tokens_command = [\"seq\", \"9\"]";

    #[tokio::test]
    async fn parts_by_number_and_by_principal_are_the_whole_and_never_twice() {
        for tokens in ["", NINE] {
            let plan = plan(tokens);
            for of in [1, 2, 6] {
                let parts = (0..of).map(|index| Part { index, of });
                let mut all = Vec::new();
                for part in parts {
                    let mut at = part.next(&plan, 5, 1000);
                    let mut own = Vec::new();
                    while at < 1000 {
                        own.push(at);
                        at = part.next(&plan, at + 1, 1000);
                    }
                    assert_eq!(part.count(&plan, 5, 1000).await, own.len() as u64);
                    assert_eq!(part.count(&plan, 1000, 5).await, 0);
                    all.extend(own);
                }
                all.sort_unstable();
                assert_eq!(all, (5..1000).collect::<Vec<_>>(), "{of} {tokens}");
            }
        }
    }

    #[test]
    fn a_principal_has_one_thread() {
        let plan = plan(NINE);
        let mut parts = std::collections::BTreeMap::new();
        for workflow in 0..1000 {
            let mut owners = (0..4).filter(|index| {
                let part = Part {
                    index: *index,
                    of: 4,
                };
                part.has(&plan, workflow)
            });
            let owner = owners.next().unwrap();
            let known = *parts.entry(plan.principal(workflow)).or_insert(owner);
            assert_eq!((known, owners.next()), (owner, None));
        }
        assert_eq!(parts.len(), 9);
    }

    #[test]
    fn limits_follow_the_principals_and_leave_none_without() {
        let plan = plan(NINE);
        let shares = |of, total| -> Vec<u32> {
            let parts = (0..of).map(|index| Part { index, of });
            parts.map(|part| part.share(total, &plan)).collect()
        };
        assert_eq!(shares(6, 6), [1; 6]);
        assert_eq!(shares(2, 11), [6, 5]);
        assert_eq!(shares(6, 15), [3, 3, 3, 2, 2, 2]);
    }
}
