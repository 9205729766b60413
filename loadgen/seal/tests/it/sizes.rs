//! How long tokens are.

use loadgen_seal::*;

use crate::common::*;

#[test]
fn a_state_of_256_bytes_fits_the_documented_lengths() {
    let documented = [
        (Algorithm::Aes256Gcm, 394),
        (Algorithm::Xaes256Gcm, 410),
        (Algorithm::HmacSha256, 378),
    ];
    for (algorithm, chars) in documented {
        for backend in Backend::available_for(algorithm) {
            let token = sealer(algorithm, backend).seal(&binding(), CLAIMS, &state(256), NOW);
            assert!(token.unwrap().len() <= chars, "{algorithm}");
        }
    }
}

#[test]
fn a_token_is_four_thirds_of_its_bytes() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        for bytes in [0, 1, 2, 3, 1000, 1_000_000] {
            let token = sealer.seal(&binding(), CLAIMS, &state(bytes), NOW).unwrap();
            let raw = algorithm.overhead_bytes() + 5 + bytes;
            assert_eq!(
                token.len(),
                (4 * raw).div_ceil(3),
                "{algorithm}, {bytes} bytes"
            );
            assert_eq!(sealer.token_len(bytes), Some(token.len()));
            let facts = Unverified::read(token.as_bytes()).unwrap();
            let expected = Unverified {
                format: 1,
                algorithm_id: algorithm.id(),
                algorithm: Some(algorithm),
                key: KeyId(1),
                expiry_s: NOW.0 as u32 + TTL_S,
                token_len: token.len(),
                raw_bytes: raw,
                state_bytes: Some(bytes),
            };
            assert_eq!(facts, expected);
        }
    }
}

#[test]
fn an_absurd_length_does_not_overflow() {
    for (algorithm, backend) in pairs() {
        let config = Config {
            max_token_len: usize::MAX,
            ..config(algorithm, backend)
        };
        let sealer = Sealer::new(&config).unwrap();
        for bytes in [usize::MAX, usize::MAX / 2, usize::MAX / 4 + 1] {
            assert_eq!(sealer.token_len(bytes), None);
        }
    }
}
