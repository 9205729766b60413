//! Prints how many times longer other codecs of state tokens take than ours, for the same states
//! bound to the same request.
//!
//! `seal-peers-rmcp [PYTHON SCRIPT]`: with a Python that has the SDK, and the script that times its
//! codec, that one too. rmcp and ours are interleaved; Python runs by itself, after.

use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Duration;

use loadgen_benches::{CLAIMS, Case, NOW, binding, compare, state, time};
use loadgen_seal::{Algorithm, Backend, Sealer};
use rmcp::model::{RequestStateCodec, SealOptions};

const SIZES: [usize; 3] = [64, 256, 4096];
const ROUNDS: usize = 301;
const REPEATS: usize = 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let python = arguments.next().zip(arguments.next());
    let ours = Case::new(Algorithm::DEFAULT, Backend::AwsLcRs);
    println!(
        "{:<34} {:>6} {:>9} {:>9} {:>7} {:>7}",
        "codec", "bytes", "seal ns", "open ns", "seal x", "open x"
    );
    for bytes in SIZES {
        let (seal_ns, open_ns) = rmcp(&ours, bytes);
        if let Some((python, script)) = &python {
            match python_codec(python, script, bytes) {
                Ok((seal, open)) => row(
                    "python SDK (its codec alone)",
                    bytes,
                    (seal, open),
                    (seal / seal_ns, open / open_ns),
                ),
                Err(why) => {
                    eprintln!("seal-peers: {why}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn row(name: &str, bytes: usize, (seal, open): (f64, f64), (seal_x, open_x): (f64, f64)) {
    println!("{name:<34} {bytes:>6} {seal:>9.0} {open:>9.0} {seal_x:>7.1} {open_x:>7.1}");
}

/// Prints ours and rmcp's and gives our times.
fn rmcp(ours: &Case, bytes: usize) -> (f64, f64) {
    let (binding, state) = (binding(), state(bytes));
    let codec = RequestStateCodec::try_new(vec![0x42; 32]).expect("32 bytes are enough");
    let options = SealOptions::new()
        .associated_data(binding.as_bytes())
        .ttl(Duration::from_secs(300));
    let token = ours.token(bytes);
    let theirs = codec.seal_with(&state, &options);
    let opened = codec
        .open_with(&theirs, binding.as_bytes())
        .expect("rmcp opens its own token");
    assert_eq!(opened, state);
    let mut scratch = vec![0; Sealer::scratch_len(token.len())];

    let seal = compare(
        ROUNDS,
        REPEATS,
        &mut |n| time(|| (0..n).for_each(|_| drop(black_box(codec.seal_with(&state, &options))))),
        &mut |n| {
            time(|| {
                for _ in 0..n {
                    let token = ours.sealer.seal(&binding, CLAIMS, &state, NOW);
                    assert!(black_box(token).is_ok());
                }
            })
        },
    );
    let open = compare(
        ROUNDS,
        REPEATS,
        &mut |n| {
            time(|| {
                for _ in 0..n {
                    assert!(black_box(codec.open_with(&theirs, binding.as_bytes())).is_ok());
                }
            })
        },
        &mut |n| {
            time(|| {
                for _ in 0..n {
                    let opened = ours
                        .sealer
                        .open_in(&binding, token.as_bytes(), NOW, &mut scratch);
                    assert!(black_box(opened).is_ok());
                }
            })
        },
    );
    let ours_ns = (seal.ns / seal.median, open.ns / open.median);
    row(
        &format!("ours ({})", ours.name()),
        bytes,
        ours_ns,
        (1.0, 1.0),
    );
    row(
        "rmcp (signs, does not encrypt)",
        bytes,
        (seal.ns, open.ns),
        (seal.median, open.median),
    );
    ours_ns
}

/// Runs the script, which prints two numbers: nanoseconds to seal and to open.
fn python_codec(python: &str, script: &str, bytes: usize) -> Result<(f64, f64), String> {
    let output = Command::new(python)
        .args([script, &bytes.to_string()])
        .output()
        .map_err(|e| format!("{python}: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut numbers = said.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(seal)), Some(Ok(open))) if output.status.success() => Ok((seal, open)),
        _ => Err(format!(
            "{script} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
