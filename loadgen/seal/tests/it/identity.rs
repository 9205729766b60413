//! Single use, and the uniqueness it and the nonces rest on.

use std::collections::HashSet;

use loadgen_seal::*;

use crate::common::*;

#[test]
fn a_record_of_identities_lets_a_token_open_once() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, b"state", NOW).unwrap();
        let mut used = HashSet::new();
        let mut open = || {
            let scratch = &mut vec![0; Sealer::scratch_len(token.len())];
            sealer
                .open_once(&binding(), token.as_bytes(), NOW, scratch, |id| {
                    used.insert(id)
                })
                .map(|opened| opened.state.to_vec())
                .map_err(Refused::reason)
        };
        assert_eq!(open(), Ok(b"state".to_vec()));
        assert_eq!(open(), Err(Reason::Replayed));
        assert_eq!(sealer.counters().refused_for(Reason::Replayed), 1);
    }
}

#[test]
fn the_record_is_asked_only_about_good_tokens() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let mut token = sealer
            .seal(&binding(), CLAIMS, b"state", NOW)
            .unwrap()
            .into_bytes();
        token[20] ^= 1;
        let scratch = &mut vec![0; Sealer::scratch_len(token.len())];
        let opened = sealer.open_once(&binding(), &token, NOW, scratch, |id| panic!("{id:?}"));
        assert!(opened.is_err());
    }
}

#[test]
fn nonces_are_unique_over_replicas_and_restarts() {
    const TOKENS: usize = 2_000;
    for (algorithm, backend) in pairs().into_iter().filter(|(a, _)| a.nonce_bytes() > 0) {
        let mut nonces = HashSet::new();
        // Three replicas, started twice, each on a thread of its own.
        for _ in 0..2 {
            let replicas: Vec<_> = (0..3)
                .map(|_| {
                    std::thread::spawn(move || {
                        let sealer = sealer(algorithm, backend);
                        let seal = |_| sealer.seal(&binding(), CLAIMS, b"", NOW).unwrap();
                        (0..TOKENS).map(seal).collect::<Vec<_>>()
                    })
                })
                .collect();
            for token in replicas.into_iter().flat_map(|r| r.join().unwrap()) {
                nonces.insert(base64url_bytes(&token)[6..][..algorithm.nonce_bytes()].to_vec());
            }
        }
        assert_eq!(nonces.len(), 6 * TOKENS, "{algorithm} by {backend}");
    }
}

#[test]
fn no_protection_needs_permission_and_has_no_identity() {
    let allowed = config(Algorithm::None, Backend::Plain);
    let refused = Sealer::new(&Config {
        allow_insecure: false,
        ..allowed.clone()
    });
    assert_eq!(refused.err(), Some(ConfigError::Insecure(Algorithm::None)));
    let sealer = Sealer::new(&allowed).unwrap();
    let token = sealer
        .seal(&binding(), CLAIMS, b"approved=no ", NOW)
        .unwrap();
    // What the permission permits: anybody writes the state and any request uses it.
    let mut raw = base64url_bytes(&token);
    let at = raw.len() - 12;
    raw[at..].copy_from_slice(b"approved=yes");
    let nobody = Binding::new(&BindingFields {
        principal: None,
        ..fields()
    });
    let opened = sealer
        .open(&nobody, base64url(&raw).as_bytes(), NOW)
        .unwrap();
    assert_eq!(opened.state, b"approved=yes");
    let scratch = &mut vec![0; Sealer::scratch_len(token.len())];
    assert!(
        sealer
            .open_once(&nobody, token.as_bytes(), NOW, scratch, |_| true)
            .is_err()
    );
}

#[test]
fn a_backend_without_the_algorithm_is_refused() {
    for &algorithm in Algorithm::ALL {
        for &backend in Backend::ALL {
            let made =
                Sealer::new(&config(algorithm, backend)).map(|s| (s.algorithm(), s.backend()));
            let expected = match (backend.supports(algorithm), backend.is_available()) {
                (false, _) => Err(ConfigError::Unsupported { algorithm, backend }),
                (true, false) => Err(ConfigError::Unavailable(backend)),
                (true, true) => Ok((algorithm, backend)),
            };
            assert_eq!(made, expected);
        }
    }
}
