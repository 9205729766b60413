//! Looks for differences in the time of refusals that a client could use.
//!
//! `seal-timing [SAMPLES]`: that many timed refusals of each class, 4000 unless said otherwise.
//! Refusals of forged tokens must not tell where the forgery is. Tokens of an unknown key and expired
//! ones are refused by their clear header before any cryptography: that they are quicker tells only
//! what the header says, so they are shown and not judged.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use loadgen_benches::{Case, DecileTest, NOW, Verdict, binding, cases, time};
use loadgen_seal::{Algorithm, Binding, Sealer, UnixSeconds};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const TEST: DecileTest = DecileTest {
    alpha: 0.01,
    resamplings: 10_000,
    attacker_ns: 100.0,
};

/// Replays of one class against itself, and how many of them may raise an alarm.
const REPLAYS: usize = 200;
const ALARMS: usize = 2;

/// A kind of token to refuse.
struct Class {
    name: &'static str,
    token: Vec<u8>,
    now: UnixSeconds,
    /// Added to every refusal, to see whether it would be found.
    planted: Duration,
}

fn main() -> ExitCode {
    let samples = match std::env::args().nth(1).map(|n| n.parse::<usize>()) {
        None => 4000,
        Some(Ok(n)) if n >= 100 => n,
        Some(_) => {
            eprintln!("usage: seal-timing [SAMPLES], at least 100");
            return ExitCode::from(2);
        }
    };
    let mut passed = self_check();
    let mut undecided = 0;
    for case in cases() {
        let classes = classes(&case);
        let times = sample(&case, &classes, samples, 1);
        let pairs = [
            (0, 1, true),
            (1, 2, true),
            (0, 2, true),
            (0, 3, true),
            (4, 5, false),
            (0, 5, false),
        ];
        for (i, j, judged) in pairs {
            let outcome = TEST.compare(&times[i], &times[j], 1);
            println!(
                "{:<30} {:<14} {:<14} difference {:>6.0} ns, by chance {:>5.0} ns: {:?}{}",
                case.name(),
                classes[i].name,
                classes[j].name,
                outcome.difference_ns,
                outcome.chance_ns,
                outcome.verdict,
                if judged {
                    ""
                } else {
                    " (told by the header, not judged)"
                },
            );
            passed &= !judged || outcome.verdict != Verdict::Leak;
            undecided += usize::from(judged && outcome.verdict == Verdict::Undecided);
        }
    }
    println!(
        "{}, {undecided} undecided",
        if passed { "no leak" } else { "FAILED" }
    );
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The test against itself on this machine: no alarm without a cause, and one with.
fn self_check() -> bool {
    const SAMPLES: usize = 300;
    let test = DecileTest {
        resamplings: 1000,
        ..TEST
    };
    let algorithm = Algorithm::DEFAULT;
    let Some(case) = cases().into_iter().find(|case| case.algorithm == algorithm) else {
        println!("no backend for {algorithm}");
        return false;
    };
    let forged = || classes(&case).swap_remove(1);
    let mut alarms = 0;
    for replay in 0..REPLAYS {
        let times = sample(&case, &[forged(), forged()], SAMPLES, replay as u64);
        let outcome = test.compare(&times[0], &times[1], replay as u64);
        alarms += usize::from(outcome.verdict == Verdict::Leak);
    }
    println!("a class against itself: {alarms} alarms in {REPLAYS} replays, {ALARMS} allowed");
    let late = Class {
        planted: Duration::from_micros(1),
        ..forged()
    };
    let times = sample(&case, &[late, forged()], SAMPLES, 0);
    let outcome = test.compare(&times[0], &times[1], 0);
    println!("an early exit of 1 us planted: {:?}", outcome.verdict);
    alarms <= ALARMS && outcome.verdict == Verdict::Leak
}

fn classes(case: &Case) -> Vec<Class> {
    let token = case.token(256).into_bytes();
    let class = |name, token, now| Class {
        name,
        token,
        now,
        planted: Duration::ZERO,
    };
    // Changes the character in which this byte of the raw token begins.
    let forged = |byte: usize| {
        let mut token = token.clone();
        let at = byte * 4 / 3;
        token[at] = if token[at] == b'A' { b'B' } else { b'A' };
        token
    };
    let raw_bytes = token.len() * 3 / 4;
    let tag = raw_bytes - case.algorithm.tag_bytes();
    let mut unknown = token.clone();
    // Key 2 instead of key 1, the expiry as it is.
    unknown[2] = b'J';
    vec![
        class("tag, first", forged(tag), NOW),
        class("tag, middle", forged(tag + 8), NOW),
        class("tag, last", forged(raw_bytes - 1), NOW),
        class("state", forged(tag - 100), NOW),
        class("unknown key", unknown, NOW),
        class("expired", token.clone(), UnixSeconds(NOW.0 + 1000)),
    ]
}

/// Times of single refusals in nanoseconds, by class, the classes in random order.
fn sample(case: &Case, classes: &[Class], samples: usize, seed: u64) -> Vec<Vec<f64>> {
    let binding = binding();
    let mut scratch = vec![0; Sealer::scratch_len(classes[0].token.len())];
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut times = vec![Vec::with_capacity(samples); classes.len()];
    // What an opener keeps of a good token, it has kept from now on.
    let good = case
        .sealer
        .open_in(&binding, case.token(256).as_bytes(), NOW, &mut scratch);
    assert!(good.is_ok(), "a good token is refused");
    for class in classes {
        refuse(case, &binding, class, &mut scratch);
    }
    while times.iter().any(|times| times.len() < samples) {
        let i = rng.next_u32() as usize % classes.len();
        if times[i].len() < samples {
            times[i].push(time(|| refuse(case, &binding, &classes[i], &mut scratch)));
        }
    }
    times
}

fn refuse(case: &Case, binding: &Binding, class: &Class, scratch: &mut [u8]) {
    let opened = case
        .sealer
        .open_in(binding, black_box(&class.token), class.now, scratch);
    assert!(black_box(opened).is_err(), "{} opens", class.name);
    if !class.planted.is_zero() {
        let start = Instant::now();
        while start.elapsed() < class.planted {}
    }
}
