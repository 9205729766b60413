use super::side::{Side, SideRun};
use crate::stats::Random;

/// Runs of a turn.
pub const TURN: u8 = 4;

/// The sides of a turn's four runs: a b b a or b a a b, whichever the turn's coin says. What drifts in
/// a straight line meets both sides of a turn alike, and the coin keeps a disturbance that comes
/// at regular intervals from always meeting the same side.
pub fn order(seed: u64, turn: u64) -> [Side; TURN as usize] {
    let first = if coin(seed, turn, 0) {
        Side::A
    } else {
        Side::B
    };
    let second = first.other();
    [first, second, second, first]
}

/// A pair, or what is left of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'r> {
    pub(super) a: &'r SideRun,
    pub(super) b: &'r SideRun,
}

/// Two runs of one side, one after the other, in the place of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct ControlPair<'r> {
    pub(super) one: &'r SideRun,
    pub(super) other: &'r SideRun,
}

/// Every two runs that make a pair, in the order of time, and whether both count.
pub(super) fn pairs(runs: &[SideRun]) -> impl Iterator<Item = (Pair<'_>, bool)> {
    let firsts = runs.iter().filter(|run| run.place % 2 == 0);
    firsts.filter_map(|first| {
        let second = at(runs, first.turn, first.place + 1)?;
        let (a, b) = match first.side {
            Side::A => (first, second),
            Side::B => (second, first),
        };
        Some((Pair { a, b }, a.counts() && b.counts()))
    })
}

/// The two runs in the middle of each turn, which are of one side and stand as near to each other as
/// those of a pair, where both count. Which of them is set against the other is decided by a coin, as
/// the order of a pair's sides is.
pub(super) fn control(runs: &[SideRun]) -> impl Iterator<Item = ControlPair<'_>> {
    let middles = runs.iter().filter(|run| run.place == 1);
    middles.filter_map(|first| {
        let second = at(runs, first.turn, 2)?;
        let both = first.counts() && second.counts();
        let (one, other) = if coin(first.seed, first.turn, 1) {
            (first, second)
        } else {
            (second, first)
        };
        both.then_some(ControlPair { one, other })
    })
}

fn at(runs: &[SideRun], turn: u64, place: u8) -> Option<&SideRun> {
    runs.iter()
        .find(|run| run.turn == turn && run.place == place)
}

/// A coin of a turn's own.
fn coin(seed: u64, turn: u64, which: u64) -> bool {
    let mut random = Random(seed.rotate_left(32) ^ (2 * turn + which));
    random.uniform();
    random.uniform() < 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_goes_there_and_back() {
        for turn in 0..100 {
            let sides = order(7, turn);
            assert_eq!(sides[0], sides[3]);
            assert_eq!(sides[1], sides[2]);
            assert_ne!(sides[0], sides[1]);
        }
    }

    #[test]
    fn coins_are_fair_and_independent() {
        for seed in [1, 2, 1 << 40] {
            let mut counts = [0; 8];
            for turn in 0..4000 {
                let now = usize::from(coin(seed, turn, 0));
                let next = usize::from(coin(seed, turn + 1, 0));
                counts[4 * now + 2 * next + usize::from(coin(seed, turn, 1))] += 1;
            }
            // 500 each; five sigma are 105.
            assert!(counts.iter().all(|n| (395..605).contains(n)), "{counts:?}");
        }
    }
}
