use loadgen_measure::KindPair;
use toml::Spanned;

use super::Kind;
use super::check::Check;
use crate::scenario::ScenarioError;

/// Which replica gets a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Any, by the workflow's random stream.
    Random,
    /// The next in the list for every round, so that a retry never meets the replica that minted
    /// its state.
    Next,
    /// The replica of round 0, for the whole workflow.
    Sticky,
}

impl Spread {
    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Next => "next",
            Self::Sticky => "sticky",
        }
    }
}

impl Check<'_> {
    pub(super) fn spread(
        &self,
        spread: Option<&Spanned<String>>,
        absent: Spread,
    ) -> Result<Spread, ScenarioError> {
        let Some(spread) = spread else {
            return Ok(absent);
        };
        match spread.get_ref().as_str() {
            "random" => Ok(Spread::Random),
            "next" => Ok(Spread::Next),
            "sticky" => Ok(Spread::Sticky),
            _ => Err(self.wrong(spread, "spread must be \"random\", \"next\" or \"sticky\"")),
        }
    }
}

/// The kinds that differ in nothing but their spread, so that what they cost can be compared: in each
/// group of such kinds the sticky one, or the first where none is, against each other one.
pub(super) fn pairs(kinds: &[Kind]) -> Vec<KindPair> {
    let mut pairs = Vec::new();
    for (one, kind) in kinds.iter().enumerate() {
        let group = || (0..kinds.len()).filter(|other| alike(kind, &kinds[*other]));
        let sticky = group().find(|other| kinds[*other].spread == Spread::Sticky);
        let base = sticky.or_else(|| group().next());
        if base != Some(one) {
            continue;
        }
        let others = group().filter(|other| kinds[*other].spread != kind.spread);
        pairs.extend(others.map(|other| KindPair {
            kinds: [one, other],
            spreads: [kind.spread.name(), kinds[other].spread.name()],
        }));
    }
    pairs
}

/// Whether two kinds do the same work, however much of it and wherever.
fn alike(one: &Kind, other: &Kind) -> bool {
    let as_one = Kind {
        name: one.name.clone(),
        weight: one.weight,
        spread: one.spread,
        ..other.clone()
    };
    as_one == *one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(load: &str, flows: &[&str]) -> Result<Plan, String> {
        let mut text = format!("[load]\nrate_per_s = 1\nduration_s = 1\n{load}\n");
        for flow in flows {
            text += &format!("[[workflow]]\ntool = \"t\"\n{flow}\n");
        }
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    #[test]
    fn a_kind_may_have_a_spread_of_its_own() {
        let flows = ["name = \"a\"", "name = \"b\"\nspread = \"sticky\""];
        for (load, of_load) in [("", Spread::Random), ("spread = \"next\"", Spread::Next)] {
            let plan = plan(load, &flows).unwrap();
            let spreads: Vec<Spread> = plan.kinds.iter().map(|kind| kind.spread).collect();
            assert_eq!(spreads, [of_load, Spread::Sticky]);
        }
        let error = plan("", &["spread = \"near\""]).unwrap_err();
        let want = "x.toml:7:10: spread must be \"random\", \"next\" or \"sticky\"";
        assert!(error.starts_with(want), "{error}");
    }

    fn pairs(flows: &[&str]) -> Vec<KindPair> {
        plan("", flows).unwrap().spread_pairs()
    }

    #[test]
    fn kinds_that_differ_in_their_spread_alone_are_pairs() {
        let pair = |kinds, spreads| KindPair { kinds, spreads };
        let random = "name = \"a\"";
        let sticky = "name = \"b\"\nspread = \"sticky\"\nweight = 3";
        let next = "name = \"c\"\nspread = \"next\"";
        assert_eq!(
            pairs(&[random, sticky]),
            [pair([1, 0], ["sticky", "random"])]
        );
        assert_eq!(pairs(&[next, random]), [pair([0, 1], ["next", "random"])]);
        assert_eq!(
            pairs(&[next, random, sticky]),
            [
                pair([2, 0], ["sticky", "next"]),
                pair([2, 1], ["sticky", "random"]),
            ]
        );
        assert_eq!(pairs(&[random, "name = \"same\""]), []);
        for other in [
            "think_s = 1",
            "arguments = { x = 1 }",
            "abandon = 0.1",
            "expect_text = \"x\"",
            "answers = { decline = 1 }",
        ] {
            let other = format!("{sticky}\n{other}");
            assert_eq!(pairs(&[random, &other]), [], "{other}");
        }
    }
}
