use rand::RngExt;
use rand_distr::{Beta, Distribution};

use super::random::arrival_rng;

/// Arrivals whose gaps are drawn together.
const BLOCK: u64 = 64;

/// A part of 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: f64,
    length: f64,
}

/// Which block holds arrival `n`, and its place there.
pub(super) fn place(n: u64) -> (u64, usize) {
    (n / BLOCK, (n % BLOCK) as usize)
}

/// Where the arrivals of one block lie between 0 and 1, when `count` arrivals are spread over it as
/// a Poisson process is that is known to have made `count`: like `count` independent uniform numbers,
/// sorted (Cox and Lewis, The Statistical Analysis of Series of Events, 1966, chapter 2).
///
/// The `count` + 1 gaps around sorted uniform numbers have the distribution of independent
/// exponential ones over their sum, so the share that one half of the gaps has of the whole is
/// Beta(gaps in it, gaps in the other half) (Devroye, Non-Uniform Random Variate Generation, 1986,
/// chapter 5). Halving down to a block takes log2(count / 64) such draws, each from a stream of its
/// own node: any block can be had without the others, and is the same whoever asks for it.
pub(super) fn block(seed: u64, count: u64, block: u64) -> Vec<f64> {
    let gaps = count + 1;
    let (mut low, mut high) = (0, gaps.div_ceil(BLOCK));
    let mut part = Part {
        start: 0.0,
        length: 1.0,
    };
    while high - low > 1 {
        let middle = low.midpoint(high);
        let left = (middle - low) * BLOCK;
        let right = (high * BLOCK).min(gaps) - middle * BLOCK;
        let share = Beta::new(left as f64, right as f64)
            .expect("both halves have gaps")
            .sample(&mut arrival_rng(seed, low, high));
        if block < middle {
            high = middle;
            part.length *= share;
        } else {
            low = middle;
            part.start += part.length * share;
            part.length *= 1.0 - share;
        }
    }
    fill(seed, low, part, gaps)
}

/// The ends of the gaps of one block; the very last gap ends no arrival, but the whole.
fn fill(seed: u64, block: u64, part: Part, gaps: u64) -> Vec<f64> {
    let mut rng = arrival_rng(seed, block, block);
    let mut sum = 0.0;
    let size = BLOCK.min(gaps - block * BLOCK);
    let mut ends: Vec<f64> = (0..size)
        .map(|_| {
            sum -= (1.0 - rng.random::<f64>()).ln();
            sum
        })
        .collect();
    // All draws zero: nothing says where between the ends they are.
    let scale = if sum > 0.0 { part.length / sum } else { 0.0 };
    for end in &mut ends {
        *end = part.start + scale * *end;
    }
    ends
}
