use std::collections::HashMap;

use crate::plan::RetryBudget;

/// The budgets of one thread's principals; without principals one for all of its workflows.
#[derive(Debug)]
pub(crate) struct Budgets {
    full: Budget,
    /// Those of which something is spent.
    begun: HashMap<usize, Budget>,
}

/// Tokens that new attempts cost and successes give back. It starts full. In the long run it lets
/// a share of refund / (cost + refund) of all attempts fail and be made again; above that share it
/// runs dry and admits no more than it is refunded for.
#[derive(Debug, Clone, Copy)]
struct Budget {
    tokens: f64,
    most: f64,
    cost: f64,
    refund: f64,
}

impl Budgets {
    /// Each is one of `parts` equal parts of this budget.
    pub(crate) fn new(of: RetryBudget, parts: u32) -> Self {
        Self {
            full: Budget::part(of, parts),
            begun: HashMap::new(),
        }
    }

    /// A principal pays for one new attempt; `false` when it has too little left.
    pub(crate) fn pay(&mut self, principal: usize) -> bool {
        self.begun.entry(principal).or_insert(self.full).pay()
    }

    /// A round of a principal ended well.
    pub(crate) fn refund(&mut self, principal: usize) {
        if let Some(budget) = self.begun.get_mut(&principal) {
            budget.refund();
            if budget.tokens >= budget.most {
                self.begun.remove(&principal);
            }
        }
    }
}

impl Budget {
    /// One of so many equal parts of a budget.
    fn part(of: RetryBudget, parts: u32) -> Self {
        let most = of.tokens / f64::from(parts);
        Self {
            tokens: most,
            most,
            cost: of.cost,
            refund: of.refund,
        }
    }

    /// Pays for one new attempt; `false` when there is too little left.
    fn pay(&mut self) -> bool {
        let enough = self.tokens >= self.cost;
        if enough {
            self.tokens -= self.cost;
        }
        enough
    }

    /// A round ended well.
    fn refund(&mut self) {
        self.tokens = (self.tokens + self.refund).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: RetryBudget = RetryBudget {
        tokens: 500.0,
        cost: 5.0,
        refund: 1.0,
    };

    /// Of so many attempts every `every`-th fails and is made again if the budget allows it: how
    /// often it does not.
    fn refusals(attempts: u32, every: u32) -> u32 {
        let mut budget = Budget::part(USUAL, 1);
        let mut refused = 0;
        for attempt in 0..attempts {
            if attempt % every == 0 {
                refused += u32::from(!budget.pay());
            } else {
                budget.refund();
            }
        }
        refused
    }

    #[test]
    fn a_sixth_of_all_attempts_may_fail_for_ever_and_a_fifth_may_not() {
        assert_eq!(refusals(100_000, 6), 0);
        // Every five attempts earn 4 tokens and cost 5: the 500 are gone after some 500 fives, and
        // from then on one in five new attempts is refused.
        let refused = refusals(100_000, 5);
        assert!((3_500..4_000).contains(&refused), "{refused}");
    }

    #[test]
    fn a_total_failure_gets_the_tokens_and_no_more() {
        let mut budget = Budget::part(USUAL, 1);
        let paid = (0..1000).filter(|_| budget.pay()).count();
        assert_eq!(paid, 100);
        (0..5).for_each(|_| budget.refund());
        assert!(budget.pay() && !budget.pay());
        let mut part = Budget::part(USUAL, 4);
        assert_eq!((0..1000).filter(|_| part.pay()).count(), 25);
    }

    #[test]
    fn each_principal_pays_from_its_own() {
        let mut budgets = Budgets::new(USUAL, 1);
        assert_eq!((0..1000).filter(|_| budgets.pay(3)).count(), 100);
        budgets.refund(4);
        assert!(!budgets.pay(3), "another one's success is of no use");
        assert_eq!((0..1000).filter(|_| budgets.pay(4)).count(), 100);
        (0..500).for_each(|_| budgets.refund(3));
        assert_eq!(budgets.begun.len(), 1, "a full one takes no room");
        assert_eq!((0..1000).filter(|_| budgets.pay(3)).count(), 100);
    }

    #[test]
    fn it_never_holds_more_than_it_began_with() {
        let mut budget = Budget::part(USUAL, 1);
        (0..1000).for_each(|_| budget.refund());
        assert_eq!((0..1000).filter(|_| budget.pay()).count(), 100);
    }
}
