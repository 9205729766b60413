//! Rings, rotation and budgets.

use loadgen_seal::*;

use crate::common::*;

fn with_ring(algorithm: Algorithm, backend: Backend, ring: &KeyRing) -> Sealer {
    Sealer::new(&Config {
        ring: ring.clone(),
        ..config(algorithm, backend)
    })
    .unwrap()
}

#[test]
fn a_rotation_in_order_loses_no_token() {
    for (algorithm, backend) in pairs() {
        let mut ring = KeyRing::single(key(1));
        let mut fleets = vec![with_ring(algorithm, backend, &ring)];
        ring.accept(key(2)).unwrap();
        fleets.push(with_ring(algorithm, backend, &ring));
        ring.mint_with(KeyId(2)).unwrap();
        fleets.push(with_ring(algorithm, backend, &ring));
        ring.retire(KeyId(1)).unwrap();
        fleets.push(with_ring(algorithm, backend, &ring));

        // Replicas are at most one phase apart while a rotation is under way.
        for phase in 0..2 {
            for (minting, opening) in [(phase, phase + 1), (phase + 1, phase)] {
                let token = fleets[minting].seal(&binding(), CLAIMS, b"s", NOW).unwrap();
                assert!(
                    fleets[opening]
                        .open(&binding(), token.as_bytes(), NOW)
                        .is_ok()
                );
            }
        }
        let old = fleets[0].seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        assert_eq!(reason(&fleets[3], &old), Reason::UnknownKey);
        // Skipping the first phase is what loses tokens.
        let new = fleets[2].seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        assert_eq!(reason(&fleets[0], &new), Reason::UnknownKey);
    }
}

#[test]
fn the_same_id_with_other_material_fails_at_the_tag() {
    for (algorithm, backend) in pairs() {
        let here = sealer(algorithm, backend);
        let other = Key::new(KeyId(1), &[0x5A; 32], None).unwrap();
        let there = with_ring(algorithm, backend, &KeyRing::single(other));
        let token = there.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        assert_eq!(reason(&here, &token), Reason::Tag);
    }
}

#[test]
fn a_spent_budget_stops_sealing_and_not_opening() {
    for (algorithm, backend) in pairs() {
        let sealer = Sealer::new(&Config {
            seal_budget: Some(2),
            ..config(algorithm, backend)
        })
        .unwrap();
        let token = sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        for _ in 0..3 {
            let sealed = sealer.seal(&binding(), CLAIMS, b"s", NOW);
            assert_eq!(sealed, Err(SealError::BudgetSpent(KeyId(1))));
        }
        assert!(sealer.open(&binding(), token.as_bytes(), NOW).is_ok());
        assert_eq!(sealer.counters().keys[0].sealed, 2);
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for (algorithm, backend) in pairs() {
        let budget = |budget| {
            let config = Config {
                seal_budget: Some(budget),
                ..config(algorithm, backend)
            };
            Sealer::new(&config).map(|_| ())
        };
        assert!(matches!(
            budget(0),
            Err(ConfigError::Budget { budget: 0, .. })
        ));
        assert_eq!(budget(1), Ok(()));
        let limit = |max_token_len| {
            let config = Config {
                max_token_len,
                ..config(algorithm, backend)
            };
            Sealer::new(&config).map(|s| s.token_len(0))
        };
        let shortest = limit(1000).unwrap().unwrap();
        assert_eq!(limit(shortest), Ok(Some(shortest)));
        assert_eq!(
            limit(shortest - 1),
            Err(ConfigError::Limit {
                limit: shortest - 1,
                shortest
            })
        );
    }
}
