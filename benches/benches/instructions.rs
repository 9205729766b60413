//! Instruction counts under valgrind: they repeat on noisy machines, so they can gate the envelope's
//! own code (reading, digest, encoding, bookkeeping). Valgrind may hide a processor's wide AES units,
//! so the cipher underneath is judged by the `seal` benchmarks.
//!
//! Needs valgrind and the runner: `cargo install gungraun-runner --version 0.20.0`.

#![allow(
    missing_docs,
    unused_qualifications,
    reason = "in code that gungraun's macros make"
)]

use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};

use gungraun::{library_benchmark, library_benchmark_group};
use loadgen_benches::{ARGUMENTS, CLAIMS, Case, NOW, binding, state};
use loadgen_seal::{Algorithm, ArgumentsDigest, Backend, Binding, Sealer, UnixSeconds};

/// A case with its inputs and outputs ready, warm.
struct Ready {
    case: Case,
    binding: Binding,
    state: Vec<u8>,
    token: Vec<u8>,
    scratch: Vec<u8>,
}

fn ready(algorithm: Algorithm, backend: Backend, bytes: usize) -> Ready {
    let case = Case::new(algorithm, backend);
    let mut token = case.token(bytes).into_bytes();
    let (binding, state) = (binding(), state(bytes));
    let mut scratch = vec![0; Sealer::scratch_len(token.len())];
    case.sealer
        .seal_into(&binding, CLAIMS, &state, NOW, &mut token)
        .expect("within limits");
    case.sealer
        .open_in(&binding, &token, NOW, &mut scratch)
        .expect("a good token");
    Ready {
        case,
        binding,
        state,
        token,
        scratch,
    }
}

fn gcm(bytes: usize) -> Ready {
    ready(Algorithm::Aes256Gcm, Backend::Ring, bytes)
}

fn xaes(bytes: usize) -> Ready {
    ready(Algorithm::Xaes256Gcm, Backend::Ring, bytes)
}

/// The envelope with nearly nothing under it: keyed hashing of the smallest state.
fn hmac(bytes: usize) -> Ready {
    ready(Algorithm::HmacSha256, Backend::Ring, bytes)
}

#[library_benchmark]
#[bench::gcm_64(gcm(64))]
#[bench::gcm_256(gcm(256))]
#[bench::gcm_4096(gcm(4096))]
#[bench::xaes_256(xaes(256))]
#[bench::hmac_256(hmac(256))]
fn seal_into(mut ready: Ready) -> Ready {
    let Ready {
        case,
        binding,
        state,
        token,
        ..
    } = &mut ready;
    let sealed = case
        .sealer
        .seal_into(black_box(binding), CLAIMS, state, NOW, token);
    assert!(sealed.is_ok());
    ready
}

#[library_benchmark]
#[bench::gcm_64(gcm(64))]
#[bench::gcm_256(gcm(256))]
#[bench::gcm_4096(gcm(4096))]
#[bench::xaes_256(xaes(256))]
#[bench::hmac_256(hmac(256))]
fn open_in(mut ready: Ready) -> Ready {
    let Ready {
        case,
        binding,
        token,
        scratch,
        ..
    } = &mut ready;
    assert!(
        case.sealer
            .open_in(black_box(binding), token, NOW, scratch)
            .is_ok()
    );
    ready
}

#[library_benchmark]
#[bench::gcm_256(gcm(256))]
fn refuse_expired(mut ready: Ready) -> Ready {
    let Ready {
        case,
        binding,
        token,
        scratch,
        ..
    } = &mut ready;
    let late = UnixSeconds(NOW.0 + 1000);
    assert!(
        case.sealer
            .open_in(black_box(binding), token, late, scratch)
            .is_err()
    );
    ready
}

#[library_benchmark]
fn digest_exact() -> ArgumentsDigest {
    ArgumentsDigest::exact(black_box(ARGUMENTS))
}

#[library_benchmark]
fn digest_canonical() -> ArgumentsDigest {
    ArgumentsDigest::canonical(black_box(ARGUMENTS)).expect("valid JSON")
}

#[library_benchmark]
fn digest_binding() -> Binding {
    black_box(binding())
}

library_benchmark_group!(
    name = envelope,
    benchmarks = [
        seal_into,
        open_in,
        refuse_expired,
        digest_exact,
        digest_canonical,
        digest_binding
    ]
);

fn counted() {
    gungraun::main!(library_benchmark_groups = envelope);
    main();
}

/// Whether a program is there to be run.
fn is_there(program: &str) -> bool {
    let mut version = Command::new(program);
    version
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    version.status().is_ok()
}

fn main() -> ExitCode {
    let runner = std::env::var("GUNGRAUN_RUNNER").unwrap_or_else(|_| "gungraun-runner".to_owned());
    let complete = is_there("valgrind") && is_there(&runner);
    // The runner calls this program again, under valgrind, with arguments of its own.
    if complete || std::env::args().any(|a| a == "--gungraun-run") {
        counted();
    } else {
        println!(
            "instruction counts skipped: they need valgrind and the runner, which \
             `cargo install gungraun-runner --version 0.20.0` installs"
        );
    }
    ExitCode::SUCCESS
}
