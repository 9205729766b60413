//! Prints what the envelope costs, as ratios of interleaved runs, against the targets set for it.
//!
//! `seal-ratios [RUNS]`: the median of that many runs, 3 unless said otherwise. Times come from a
//! clock on the wall; a ratio compares two things measured within the same few milliseconds.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use loadgen_benches::{ARGUMENTS, CLAIMS, Case, NOW, Ratio, binding, compare, state, time};
use loadgen_seal::{
    Algorithm, ArgumentsDigest, Backend, Binding, BindingFields, Sealer, UnixSeconds,
};
use rand::Rng;

/// Bytes of associated data under the envelope.
const AAD: [u8; 38] = [5; 38];

/// Bytes of claims that the envelope encrypts with the state: the cipher alone does the same.
const CLAIMS_BYTES: usize = 5;

/// Rounds of one comparison.
const ROUNDS: usize = 301;

/// The load for which the life of a key is printed, in tokens per second over a fleet.
const FLEET_SEALS_PER_S: f64 = 50_000.0;

/// How often a thing of this size is repeated between two looks at the clock.
fn repeats(bytes: usize) -> usize {
    (32_768 / bytes).clamp(2, 64)
}

/// One row of the table.
struct Row {
    what: String,
    figure: Ratio,
    target: (f64, f64),
}

fn main() -> ExitCode {
    let runs = match std::env::args().nth(1).map(|n| n.parse::<usize>()) {
        None => 3,
        Some(Ok(n)) if n > 0 => n,
        Some(_) => {
            eprintln!("usage: seal-ratios [RUNS]");
            return ExitCode::from(2);
        }
    };
    let tables: Vec<Vec<Row>> = (0..runs).map(|_| table()).collect();
    println!(
        "{:<62} {:>9} {:>7} {:>13} {:>9}  met",
        "what", "target", "figure", "quartiles", "ns"
    );
    let mut missed = 0;
    for (i, row) in tables[0].iter().enumerate() {
        let mut figures: Vec<Ratio> = tables.iter().map(|t| t[i].figure).collect();
        figures.sort_by(|a, b| a.median.total_cmp(&b.median));
        let figure = figures[runs / 2];
        let (low, high) = row.target;
        let met = (low..=high).contains(&figure.median);
        missed += usize::from(!met);
        let target = if low > 0.0 {
            format!("{low}-{high}")
        } else {
            format!("<= {high}")
        };
        println!(
            "{:<62} {:>9} {:>7.2} {:>13} {:>9.0}  {}",
            row.what,
            target,
            figure.median,
            format!("{:.2}-{:.2}", figure.low, figure.high),
            figure.ns,
            if met { "yes" } else { "NO" },
        );
    }
    println!(
        "{} of {} targets met, medians of {runs} runs",
        tables[0].len() - missed,
        tables[0].len()
    );
    println!(
        "\nwhat no envelope can leave out, ns: what a target allows beyond the cipher goes here first"
    );
    for (what, ns) in floor() {
        println!("{what:<62} {ns:>31.0}");
    }
    println!("\nhow long one key lasts at {FLEET_SEALS_PER_S} tokens/s over the whole fleet");
    for &algorithm in Algorithm::ALL.iter().filter(|a| a.seal_bound() < u64::MAX) {
        let hours = algorithm.seal_bound() as f64 / FLEET_SEALS_PER_S / 3600.0;
        println!("{:<62} {hours:>29.1} h", algorithm.name());
    }
    if missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(3)
    }
}

/// Parts of a token's cost beside the cipher, in nanoseconds: medians over rounds.
fn floor() -> Vec<(&'static str, f64)> {
    let codec = base64_turbo::URL_SAFE_NO_PAD;
    let raw = state(256 + CLAIMS_BYTES + Algorithm::Aes256Gcm.overhead_bytes());
    let mut text = vec![0; codec.encoded_len(raw.len())];
    codec.encode_slice(&raw, &mut text).expect("measured");
    let encoded = text.clone();
    let mut bytes = vec![0; codec.decoded_len_estimate(text.len())];
    let mut nonce = [0; 12];
    let count = AtomicU64::new(0);
    let arguments = ArgumentsDigest::exact(ARGUMENTS);
    vec![
        (
            "a random nonce of 12 bytes",
            median(|| rand::rng().fill_bytes(black_box(&mut nonce))),
        ),
        (
            "one atomic count",
            median(|| {
                black_box(count.fetch_add(1, Ordering::Relaxed));
            }),
        ),
        (
            "base64url of the token of 256 B, encode",
            median(|| {
                codec
                    .encode_slice(black_box(&raw), &mut text)
                    .expect("measured");
            }),
        ),
        (
            "base64url of the token of 256 B, decode",
            median(|| {
                codec
                    .decode_slice(black_box(&encoded), &mut bytes)
                    .expect("canonical");
            }),
        ),
        (
            "SHA-256 of 91 B of arguments",
            median(|| {
                black_box(ArgumentsDigest::exact(black_box(ARGUMENTS)));
            }),
        ),
        (
            "SHA-256 of the binding's fields",
            median(|| {
                black_box(Binding::new(&fields(black_box(arguments))));
            }),
        ),
    ]
}

fn median(mut work: impl FnMut()) -> f64 {
    const REPEATS: usize = 100;
    let mut run = |n: usize| time(|| (0..n).for_each(|_| work()));
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| run(REPEATS) / REPEATS as f64).collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn fields(arguments: ArgumentsDigest) -> BindingFields<'static> {
    BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments,
        principal: Some("mara.quill@harbour.example"),
    }
}

fn table() -> Vec<Row> {
    let mut rows = Vec::new();
    for backend in Backend::available_for(Algorithm::Aes256Gcm) {
        let case = Case::new(Algorithm::Aes256Gcm, backend);
        for (bytes, high) in [
            (64, 1.3),
            (256, 1.3),
            (1024, 1.4),
            (4096, 1.4),
            (16_384, 1.6),
            (65_536, 1.9),
        ] {
            let what = format!("seal and encode {bytes} B / cipher alone, {backend}");
            rows.push(row(
                what,
                bytes,
                (0.0, high),
                seal(&case, bytes),
                raw_seal(&case, bytes),
            ));
        }
        for (bytes, high) in [(64, 1.3), (256, 1.3), (4096, 1.4), (16_384, 1.55)] {
            let what = format!("decode and open {bytes} B / cipher alone, {backend}");
            rows.push(row(
                what,
                bytes,
                (0.0, high),
                open(&case, bytes),
                raw_open(&case, bytes),
            ));
        }
        let what = format!("digest, seal and encode 256 B / cipher alone, {backend}");
        rows.push(row(
            what,
            256,
            (0.0, 3.0),
            full(&case, 256),
            raw_seal(&case, 256),
        ));
    }
    for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
        let gcm = Case::new(Algorithm::Aes256Gcm, backend);
        let xaes = Case::new(Algorithm::Xaes256Gcm, backend);
        let what = format!("seal 256 B, XAES / AES-GCM, {backend}");
        rows.push(row(
            what,
            256,
            (0.0, 1.05),
            seal(&xaes, 256),
            seal(&gcm, 256),
        ));
        let what = format!("open 256 B, XAES with its key kept / AES-GCM, {backend}");
        rows.push(row(
            what,
            256,
            (0.0, 1.05),
            open(&xaes, 256),
            open(&gcm, 256),
        ));
        for (bytes, high) in [(256, 2.5), (65_536, 1.1)] {
            let what = format!("open {bytes} B, XAES deriving its key / AES-GCM, {backend}");
            rows.push(row(
                what,
                bytes,
                (0.0, high),
                open_missing(backend, bytes),
                open(&gcm, bytes),
            ));
        }
    }
    for backend in Backend::available_for(Algorithm::Aes256Gcm) {
        let case = Case::new(Algorithm::Aes256Gcm, backend);
        let what = format!("expired token refused / accepted, 256 B, {backend}");
        rows.push(row(
            what,
            256,
            (0.0, 0.5),
            refuse_expired(&case, 256),
            open(&case, 256),
        ));
        let what = format!("forged tag refused / accepted, 256 B, {backend}");
        rows.push(row(
            what,
            256,
            (0.9, 1.1),
            refuse_forged(&case, 256),
            open(&case, 256),
        ));
    }
    rows
}

fn row(
    what: String,
    bytes: usize,
    target: (f64, f64),
    mut a: impl FnMut(usize) -> f64,
    mut b: impl FnMut(usize) -> f64,
) -> Row {
    Row {
        what,
        target,
        figure: compare(ROUNDS, repeats(bytes), &mut a, &mut b),
    }
}

fn seal(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    let (binding, state) = (binding(), state(bytes));
    let mut out = case.token(bytes).into_bytes();
    move |n| {
        time(|| {
            for _ in 0..n {
                let sealed = case
                    .sealer
                    .seal_into(&binding, CLAIMS, &state, NOW, &mut out);
                assert!(black_box(sealed).is_ok());
            }
        })
    }
}

fn full(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    let state = state(bytes);
    let mut out = case.token(bytes).into_bytes();
    move |n| {
        time(|| {
            for _ in 0..n {
                let arguments = ArgumentsDigest::exact(black_box(ARGUMENTS));
                let binding = Binding::new(&fields(arguments));
                let sealed = case
                    .sealer
                    .seal_into(&binding, CLAIMS, &state, NOW, &mut out);
                assert!(black_box(sealed).is_ok());
            }
        })
    }
}

fn raw_seal(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    let (mut text, mut tag) = (state(CLAIMS_BYTES + bytes), [0; 16]);
    move |n| {
        time(|| {
            for _ in 0..n {
                case.raw
                    .seal(&case.nonce, &AAD, black_box(&mut text), black_box(&mut tag))
                    .expect("within the cipher's limits");
            }
        })
    }
}

fn open(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    open_of(case, case.token(bytes).into_bytes(), NOW, true)
}

fn refuse_expired(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    open_of(
        case,
        case.token(bytes).into_bytes(),
        UnixSeconds(NOW.0 + 1000),
        false,
    )
}

fn refuse_forged(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    let mut token = case.token(bytes).into_bytes();
    let middle = token.len() / 2;
    token[middle] = if token[middle] == b'A' { b'B' } else { b'A' };
    open_of(case, token, NOW, false)
}

fn open_of(
    case: &Case,
    token: Vec<u8>,
    now: UnixSeconds,
    expected: bool,
) -> impl FnMut(usize) -> f64 {
    let binding = binding();
    let mut scratch = vec![0; Sealer::scratch_len(token.len())];
    move |n| {
        time(|| {
            for _ in 0..n {
                let opened = case
                    .sealer
                    .open_in(&binding, black_box(&token), now, &mut scratch);
                assert_eq!(black_box(opened).is_ok(), expected);
            }
        })
    }
}

/// Opens ciphertexts that were copied to their places before the clock starts.
fn raw_open(case: &Case, bytes: usize) -> impl FnMut(usize) -> f64 {
    let (mut text, mut tag) = (state(CLAIMS_BYTES + bytes), [0; 16]);
    case.raw
        .seal(&case.nonce, &AAD, &mut text, &mut tag)
        .expect("within the cipher's limits");
    let mut copies = Vec::new();
    move |n| {
        copies.resize(n, Vec::new());
        for copy in &mut copies {
            copy.clone_from(&text);
        }
        time(|| {
            for copy in &mut copies {
                case.raw
                    .open(&case.nonce, &AAD, black_box(copy), &tag)
                    .expect("a good tag");
            }
        })
    }
}

/// Opens tokens of more minting processes than the opener keeps derived keys for: their nonces
/// begin with one byte, so they compete for the same few places and each is derived anew.
fn open_missing(backend: Backend, bytes: usize) -> impl FnMut(usize) -> f64 {
    const PROCESSES: usize = 8;
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    while tokens.len() < PROCESSES {
        let token = Case::new(Algorithm::Xaes256Gcm, backend)
            .token(bytes)
            .into_bytes();
        // The ninth character holds the first six bits of the nonce, the tenth the other two.
        let first = |token: &[u8]| [token[8], token[9]];
        let nonce_byte = |token: &[u8]| first(token).map(bits);
        let same = tokens.first().is_none_or(|t: &Vec<u8>| {
            let ([a, b], [c, d]) = (nonce_byte(t), nonce_byte(&token));
            (a, b >> 4) == (c, d >> 4)
        });
        if same {
            tokens.push(token);
        }
    }
    let case = Case::new(Algorithm::Xaes256Gcm, backend);
    let binding = binding();
    let mut scratch = vec![0; Sealer::scratch_len(tokens[0].len())];
    let mut next = 0;
    move |n| {
        time(|| {
            for _ in 0..n {
                let opened = case
                    .sealer
                    .open_in(&binding, &tokens[next], NOW, &mut scratch);
                assert!(black_box(opened).is_ok());
                next = (next + 1) % PROCESSES;
            }
        })
    }
}

/// The six bits of a base64url character.
fn bits(c: u8) -> u8 {
    match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'-' => 62,
        _ => 63,
    }
}
