//! Nothing but a token that was sealed opens: every input is tried as a token's text and as the
//! bytes of one, by every algorithm and backend, at a time inside its life.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadgen_seal::{
    Algorithm, ArgumentsDigest, Backend, Binding, BindingFields, Claims, Config, Key, KeyId,
    KeyRing, Sealer, Ttl, UnixSeconds, Unverified,
};

const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

struct Case {
    sealer: Sealer,
    token: Vec<u8>,
}

static BINDING: LazyLock<Binding> = LazyLock::new(|| {
    Binding::new(&BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments: ArgumentsDigest::none(),
        principal: None,
    })
});

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases = Vec::new();
    for &algorithm in Algorithm::ALL.iter().filter(|&&a| a != Algorithm::None) {
        for backend in Backend::available_for(algorithm) {
            let key = Key::new(KeyId(1), &[0x42; 32], None).expect("32 bytes are enough");
            let ttl = Ttl::try_from(300u64).expect("300 s are a life");
            let config = Config::new(algorithm, backend, KeyRing::single(key), ttl);
            let sealer = Sealer::new(&config).expect("available");
            let claims = Claims {
                deadline: 1_800_000_900,
                round: 1,
            };
            let token = sealer.seal(&BINDING, claims, b"state", NOW).expect("short");
            cases.push(Case {
                sealer,
                token: token.into_bytes(),
            });
        }
    }
    cases
});

/// Whether this text was sealed by one of the cases. Backends of one algorithm share their tokens,
/// and a fuzzer that watches comparisons does find them.
fn is_sealed(text: &[u8]) -> bool {
    CASES.iter().any(|case| case.token == text)
}

fuzz_target!(|input: &[u8]| {
    let _ = Unverified::read(input);
    for Case { sealer, token } in CASES.iter() {
        // The input, and the good token with its front, then its back, taken from the input.
        let cut = input.len().min(token.len());
        for text in [
            input.to_vec(),
            [&input[..cut], &token[cut..]].concat(),
            [&token[..token.len() - cut], &input[input.len() - cut..]].concat(),
        ] {
            if sealer.open(&BINDING, &text, NOW).is_ok() {
                assert!(is_sealed(&text), "accepted: {}", text.escape_ascii());
            }
        }
    }
});
