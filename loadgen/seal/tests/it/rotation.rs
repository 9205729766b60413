//! Keys that change while a sealer is in use.

use loadgen_seal::*;

use crate::common::*;

fn counts(sealer: &Sealer) -> Vec<(u8, u64, u64)> {
    let keys = sealer.counters().keys;
    keys.iter().map(|k| (k.id.0, k.sealed, k.opened)).collect()
}

fn minted(sealer: &Sealer) -> String {
    sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap()
}

fn opens(sealer: &Sealer, token: &str) -> bool {
    sealer.open(&binding(), token.as_bytes(), NOW).is_ok()
}

#[test]
fn a_sealer_in_use_turns_its_keys_without_losing_a_token_or_a_count() {
    for (algorithm, backend) in pairs() {
        let first = sealer(algorithm, backend);
        let old = minted(&first);
        let second = first.accepting(&key(2)).unwrap();
        assert!(opens(&second, &old));
        let third = second.minting_with(KeyId(2)).unwrap();
        let new = minted(&third);
        // Both may be in use while the one takes the other's place.
        assert!(opens(&second, &new) && opens(&third, &old));
        assert!(!opens(&first, &new));
        let last = third.without(KeyId(1)).unwrap();
        assert!(opens(&last, &new));
        assert_eq!(reason(&last, &old), Reason::UnknownKey);
        assert_eq!(counts(&last), [(2, 1, 2), (1, 1, 2)]);
        assert_eq!(last.counters().refused_for(Reason::UnknownKey), 2);
        let fresh = minted(&last);
        assert!(opens(&last, &fresh));
        assert_eq!(counts(&third), [(1, 1, 2), (2, 2, 3)]);
    }
}

#[test]
fn changes_that_make_no_sense_are_refused() {
    let (algorithm, backend) = pairs()[0];
    let first = sealer(algorithm, backend);
    let refused = |changed: Result<Sealer, RotationError>| changed.err();
    let taken = RotationError::Taken(KeyId(1));
    assert_eq!(refused(first.accepting(&key(1))), Some(taken));
    let unknown = RotationError::Unknown(KeyId(9));
    assert_eq!(refused(first.minting_with(KeyId(9))), Some(unknown));
    assert_eq!(refused(first.without(KeyId(9))), Some(unknown));
    let minting = RotationError::Minting(KeyId(1));
    assert_eq!(refused(first.without(KeyId(1))), Some(minting));

    let two = first.accepting(&key(2)).unwrap();
    let one = two.without(KeyId(2)).unwrap();
    let retired = RotationError::Retired(KeyId(2));
    assert_eq!(refused(one.accepting(&key(2))), Some(retired));
}

#[test]
fn the_place_of_the_minting_key_moves_with_the_ring() {
    let (algorithm, backend) = pairs()[0];
    let three = sealer(algorithm, backend)
        .accepting(&key(2))
        .and_then(|s| s.accepting(&key(3)))
        .and_then(|s| s.minting_with(KeyId(3)))
        .unwrap();
    let left = three.without(KeyId(1)).unwrap();
    let token = minted(&left);
    let said = Unverified::read(token.as_bytes()).unwrap();
    assert_eq!(said.key, KeyId(3));
    let keys: Vec<_> = left.keys().collect();
    assert_eq!(keys, [(Role::Accept, KeyId(2)), (Role::Mint, KeyId(3))]);
    assert!(opens(&left, &token));
}

#[test]
fn a_budget_goes_on_through_a_rotation() {
    for (algorithm, backend) in pairs() {
        let first = Sealer::new(&Config {
            seal_budget: Some(2),
            ..config(algorithm, backend)
        })
        .unwrap();
        minted(&first);
        let second = first.accepting(&key(2)).unwrap();
        minted(&second);
        let spent = second.seal(&binding(), CLAIMS, b"s", NOW);
        assert_eq!(spent, Err(SealError::BudgetSpent(KeyId(1))));
        let third = second.minting_with(KeyId(2)).unwrap();
        minted(&third);
        minted(&third);
        let spent = third.seal(&binding(), CLAIMS, b"s", NOW);
        assert_eq!(spent, Err(SealError::BudgetSpent(KeyId(2))));
    }
}
