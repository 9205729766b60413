//! Runs one thing of the hot path over and over, for a profiler.
//!
//! `seal-profile seal|open|digest ALGORITHM BACKEND BYTES REPEATS`, such as
//! `valgrind --tool=callgrind --toggle-collect='*measured*' target/release/seal-profile open
//! aes-256-gcm ring 256 10000`.

use std::hint::black_box;
use std::process::ExitCode;

use loadgen_benches::{CLAIMS, Case, NOW, binding, state};
use loadgen_seal::{Algorithm, Backend, Sealer};

/// What to run.
struct Job {
    what: String,
    case: Case,
    bytes: usize,
    repeats: usize,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(job) = parse(&args) else {
        eprintln!("usage: seal-profile seal|open|digest ALGORITHM BACKEND BYTES REPEATS");
        return ExitCode::from(2);
    };
    measured(&job);
    ExitCode::SUCCESS
}

fn parse(args: &[String]) -> Option<Job> {
    let [what, algorithm, backend, bytes, repeats] = args else {
        return None;
    };
    let algorithm: Algorithm = algorithm.parse().ok()?;
    let backend: Backend = backend.parse().ok()?;
    let known = ["seal", "open", "digest"].contains(&what.as_str());
    let able = backend.supports(algorithm) && backend.is_available();
    (known && able).then_some(Job {
        what: what.clone(),
        case: Case::new(algorithm, backend),
        bytes: bytes.parse().ok()?,
        repeats: repeats.parse().ok()?,
    })
}

/// Kept apart from its caller, so that a profiler can be told to count in here alone.
#[inline(never)]
fn measured(job: &Job) {
    let (sealer, binding_of_all, state) = (&job.case.sealer, binding(), state(job.bytes));
    let mut token = job.case.token(job.bytes).into_bytes();
    let mut scratch = vec![0; Sealer::scratch_len(token.len())];
    for _ in 0..job.repeats {
        let good = match job.what.as_str() {
            "seal" => sealer
                .seal_into(&binding_of_all, CLAIMS, &state, NOW, &mut token)
                .is_ok(),
            "open" => sealer
                .open_in(&binding_of_all, &token, NOW, &mut scratch)
                .is_ok(),
            _ => {
                black_box(binding());
                true
            }
        };
        assert!(black_box(good));
    }
}
