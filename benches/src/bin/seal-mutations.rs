//! Opens millions of changed tokens: none may be accepted, nothing may panic, memory stays flat.
//!
//! `seal-mutations [MILLIONS]`, 10 unless said otherwise, shared out over all algorithms and
//! backends. Changes are drawn from a fixed seed.

use std::process::ExitCode;
use std::time::Instant;

use loadgen_benches::{Case, NOW, binding, cases};
use loadgen_seal::Sealer;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// How much the resident set may grow after the first part of the run, in KiB: the counters and
/// caches are bounded, so anything more is a leak.
const GROWTH_KIB: u64 = 2048;

fn main() -> ExitCode {
    let millions = match std::env::args().nth(1).map(|n| n.parse::<usize>()) {
        None => 10,
        Some(Ok(n)) if n > 0 => n,
        Some(_) => {
            eprintln!("usage: seal-mutations [MILLIONS]");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let cases = cases();
    let each = millions * 1_000_000 / cases.len();
    let mut rng = SmallRng::seed_from_u64(20_260_728);
    for case in &cases {
        mutate(case, each / 100, &mut rng);
    }
    let before = resident_kib();
    let (mut tried, mut accepted) = (0, 0);
    for case in &cases {
        let (of_case, opened) = mutate(case, each, &mut rng);
        tried += of_case;
        accepted += opened;
    }
    let grown = resident_kib().saturating_sub(before);
    println!(
        "{tried} changed tokens over {} algorithms and backends: {accepted} accepted, resident set \
         {before} KiB and {grown} KiB more, {:.1} s",
        cases.len(),
        start.elapsed().as_secs_f64()
    );
    if accepted == 0 && grown <= GROWTH_KIB {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Opens `count` changed tokens and says how many there were and how many opened.
fn mutate(case: &Case, count: usize, rng: &mut SmallRng) -> (usize, usize) {
    let tokens = [0, 1, 2, 100, 300].map(|bytes| case.token(bytes).into_bytes());
    let mut scratch = vec![0; Sealer::scratch_len(2 * tokens[4].len())];
    let binding = binding();
    let (mut tried, mut accepted) = (0, 0);
    while tried < count {
        let token = &tokens[below(rng, tokens.len())];
        let mut changed = token.clone();
        for _ in 0..=below(rng, 3) {
            change(&mut changed, &tokens, rng);
        }
        if tokens.contains(&changed) {
            continue;
        }
        tried += 1;
        accepted += usize::from(
            case.sealer
                .open_in(&binding, &changed, NOW, &mut scratch)
                .is_ok(),
        );
    }
    (tried, accepted)
}

fn change(token: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut SmallRng) {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    if token.is_empty() {
        return;
    }
    let (len, at) = (token.len(), below(rng, token.len()));
    match below(rng, 8) {
        0 => token[at] ^= 1 << below(rng, 8),
        1 => token[at] = rng.next_u32() as u8,
        2 => token.truncate(at),
        3 => token.push(ALPHABET[below(rng, 64)]),
        4 => drop(token.remove(at)),
        5 => token.swap(at, below(rng, len)),
        6 => {
            // The front of this one and the back of another.
            let other = &others[below(rng, others.len())];
            token.truncate(at);
            token.extend_from_slice(&other[at.min(other.len())..]);
        }
        _ => token[at] = ALPHABET[below(rng, 64)],
    }
}

fn below(rng: &mut SmallRng, n: usize) -> usize {
    rng.next_u64() as usize % n
}

/// The resident set of this process in KiB, 0 where there is no /proc.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
