//! Backends of one algorithm make and accept the same bytes.

use loadgen_seal::*;

use crate::common::*;

#[test]
fn every_backend_opens_what_every_other_sealed() {
    for &algorithm in Algorithm::ALL {
        let sealers: Vec<_> = Backend::available_for(algorithm)
            .into_iter()
            .map(|b| sealer(algorithm, b))
            .collect();
        for bytes in (0..=1025).chain([65_536]) {
            let state = state(bytes);
            for minting in &sealers {
                let token = minting.seal(&binding(), CLAIMS, &state, NOW).unwrap();
                assert_eq!(Some(token.len()), minting.token_len(bytes));
                for opening in &sealers {
                    let opened = opening.open(&binding(), token.as_bytes(), NOW).unwrap();
                    assert_eq!((opened.claims, &opened.state), (CLAIMS, &state));
                }
            }
        }
    }
}

#[test]
fn a_token_of_one_algorithm_is_refused_by_another() {
    let sealers: Vec<_> = pairs().into_iter().map(|(a, b)| sealer(a, b)).collect();
    for minting in &sealers {
        let token = minting.seal(&binding(), CLAIMS, &state(64), NOW).unwrap();
        for opening in sealers
            .iter()
            .filter(|s| s.algorithm() != minting.algorithm())
        {
            assert_eq!(reason(opening, &token), Reason::Algorithm);
        }
    }
}

#[test]
fn many_threads_share_one_sealer() {
    for (algorithm, backend) in pairs() {
        let sealer = std::sync::Arc::new(sealer(algorithm, backend));
        let threads: Vec<_> = (0..4)
            .map(|n| {
                let sealer = sealer.clone();
                std::thread::spawn(move || {
                    for _ in 0..100 {
                        let token = sealer.seal(&binding(), CLAIMS, &[n; 99], NOW).unwrap();
                        let opened = sealer.open(&binding(), token.as_bytes(), NOW).unwrap();
                        assert_eq!(opened.state, [n; 99]);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
        let counters = sealer.counters();
        assert_eq!(
            (counters.keys[0].sealed, counters.keys[0].opened),
            (400, 400)
        );
    }
}
