//! What sealing and opening cost, by algorithm, backend and size, with the cipher alone beside them.
//!
//! `cargo bench -p loadgen-benches -- seal --save-baseline=NAME` keeps a baseline that `critcmp` reads;
//! the `=` is needed, because the instruction counts read the same arguments and want it.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use loadgen_benches::{
    ARGUMENTS, CLAIMS, Case, NOW, SIZES, binding, cases, check_agreement, state,
};
use loadgen_seal::{ArgumentsDigest, Binding, BindingFields, Claims, Sealer, UnixSeconds};
use rand::Rng;

/// Bytes of associated data under the envelope: the clear header and the binding.
const AAD: [u8; 38] = [5; 38];

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    group
}

fn checked_cases() -> Vec<Case> {
    let cases = cases();
    for bytes in [64, 4096] {
        check_agreement(&cases, bytes);
    }
    cases
}

fn seal(c: &mut Criterion) {
    let cases = checked_cases();
    let mut group = group(c, "seal");
    let binding = binding();
    for case in &cases {
        for bytes in SIZES {
            group.throughput(Throughput::Bytes(bytes as u64));
            let state = state(bytes);
            let mut out = vec![0; case.sealer.token_len(bytes).expect("within the limit")];
            let id = BenchmarkId::new(format!("{}/token", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter(|| {
                    case.sealer
                        .seal_into(&binding, CLAIMS, &state, NOW, &mut out)
                });
            });
            let mut text = state.clone();
            let mut tag = [0; 16];
            let id = BenchmarkId::new(format!("{}/raw", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter(|| {
                    case.raw
                        .seal(&case.nonce, &AAD, black_box(&mut text), &mut tag)
                });
            });
        }
    }
}

fn open(c: &mut Criterion) {
    let cases = checked_cases();
    let mut group = group(c, "open");
    let binding = binding();
    for case in &cases {
        for bytes in SIZES {
            group.throughput(Throughput::Bytes(bytes as u64));
            let token = case.token(bytes);
            let mut scratch = vec![0; Sealer::scratch_len(token.len())];
            let id = BenchmarkId::new(format!("{}/token", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter(|| {
                    let opened = case
                        .sealer
                        .open_in(&binding, token.as_bytes(), NOW, &mut scratch);
                    opened.expect("a good token").state.len()
                });
            });
            let mut text = state(bytes);
            let mut tag = [0; 16];
            case.raw
                .seal(&case.nonce, &AAD, &mut text, &mut tag)
                .expect("within limits");
            let id = BenchmarkId::new(format!("{}/raw", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter_batched_ref(
                    || text.clone(),
                    |text| case.raw.open(&case.nonce, &AAD, text, &tag).is_ok(),
                    if bytes > 4096 {
                        BatchSize::LargeInput
                    } else {
                        BatchSize::SmallInput
                    },
                );
            });
        }
    }
}

fn refuse(c: &mut Criterion) {
    let cases = checked_cases();
    let mut group = group(c, "refuse");
    let binding = binding();
    let late = UnixSeconds(NOW.0 + 1000);
    for case in &cases {
        for bytes in [256, 65_536] {
            let token = case.token(bytes).into_bytes();
            let mut scratch = vec![0; Sealer::scratch_len(token.len())];
            let mut forged = token.clone();
            let middle = forged.len() / 2;
            forged[middle] = if forged[middle] == b'A' { b'B' } else { b'A' };
            let mut unknown = token.clone();
            // Six bits: the low four of the key id, here 2 instead of 1, and the expiry's first two.
            unknown[2] = b'J';
            let classes = [
                ("accepted", &token, NOW),
                ("expired", &token, late),
                ("unknown-key", &unknown, NOW),
                ("forged-tag", &forged, NOW),
            ];
            for (class, token, now) in classes {
                let good = case
                    .sealer
                    .open_in(&binding, token, now, &mut scratch)
                    .is_ok();
                assert_eq!(good, class == "accepted", "{} {class}", case.name());
                let id = BenchmarkId::new(format!("{}/{class}", case.name()), bytes);
                group.bench_function(id, |b| {
                    b.iter(|| {
                        case.sealer
                            .open_in(&binding, token, now, &mut scratch)
                            .is_ok()
                    });
                });
            }
        }
    }
}

/// The request of a token, digested anew.
fn bind(arguments: ArgumentsDigest) -> Binding {
    Binding::new(&BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments,
        principal: Some("mara.quill@harbour.example"),
    })
}

fn token(c: &mut Criterion) {
    let cases = checked_cases();
    let mut group = group(c, "token");
    for case in &cases {
        for bytes in SIZES {
            group.throughput(Throughput::Bytes(bytes as u64));
            let state = state(bytes);
            let id = BenchmarkId::new(format!("{}/seal", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter(|| {
                    let binding = bind(ArgumentsDigest::exact(black_box(ARGUMENTS)));
                    case.sealer.seal(&binding, CLAIMS, &state, NOW)
                });
            });
            let token = case.token(bytes);
            let id = BenchmarkId::new(format!("{}/open", case.name()), bytes);
            group.bench_function(id, |b| {
                b.iter(|| {
                    let binding = bind(ArgumentsDigest::exact(black_box(ARGUMENTS)));
                    case.sealer
                        .open(&binding, token.as_bytes(), NOW)
                        .expect("a good token")
                });
            });
        }
    }
}

fn parts(c: &mut Criterion) {
    let mut group = group(c, "parts");
    for bytes in [12, 24] {
        let mut nonce = vec![0; bytes];
        group.bench_function(BenchmarkId::new("nonce", bytes), |b| {
            b.iter(|| rand::rng().fill_bytes(black_box(&mut nonce)));
        });
    }
    group.bench_function("digest/exact", |b| {
        b.iter(|| ArgumentsDigest::exact(black_box(ARGUMENTS)));
    });
    group.bench_function("digest/canonical", |b| {
        b.iter(|| ArgumentsDigest::canonical(black_box(ARGUMENTS)));
    });
    group.bench_function("digest/binding", |b| {
        let arguments = ArgumentsDigest::exact(ARGUMENTS);
        b.iter(|| bind(black_box(arguments)));
    });
    for bytes in SIZES {
        group.throughput(Throughput::Bytes(bytes as u64));
        let raw = state(bytes);
        let codec = base64_turbo::URL_SAFE_NO_PAD;
        let mut text = vec![0; codec.encoded_len(bytes)];
        group.bench_function(BenchmarkId::new("base64/encode", bytes), |b| {
            b.iter(|| codec.encode_slice(black_box(&raw), &mut text));
        });
        let mut out = vec![0; codec.decoded_len_estimate(text.len())];
        group.bench_function(BenchmarkId::new("base64/decode", bytes), |b| {
            b.iter(|| {
                codec
                    .decode_slice(black_box(&text), &mut out)
                    .expect("canonical")
            });
        });
    }
}

/// A flow of k rounds: each opens the last token, adds an answer to the state and seals it anew.
fn rounds(c: &mut Criterion) {
    const ANSWER_BYTES: usize = 200;
    let cases = checked_cases();
    let mut group = group(c, "rounds");
    let binding = binding();
    for case in &cases {
        for k in [1u8, 4, 10] {
            let id = BenchmarkId::new(case.name(), k);
            group.bench_function(id, |b| {
                b.iter(|| {
                    let mut token = case.token(ANSWER_BYTES);
                    for round in 1..=k {
                        let mut opened = case
                            .sealer
                            .open(&binding, token.as_bytes(), NOW)
                            .expect("a token of the last round");
                        opened.state.extend([round; ANSWER_BYTES]);
                        let claims = Claims {
                            round,
                            ..opened.claims
                        };
                        token = case
                            .sealer
                            .seal(&binding, claims, &opened.state, NOW)
                            .expect("within the limit");
                    }
                    token
                });
            });
        }
    }
}

criterion_group!(benches, seal, open, refuse, token, parts, rounds);
criterion_main!(benches);
