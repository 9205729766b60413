//! Random states and random tokens.

use loadgen_seal::*;
use proptest::prelude::*;

use crate::common::*;

/// One change of a token's text: where, and what to do there.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Insert(prop::sample::Index, u8),
    Swap(prop::sample::Index, prop::sample::Index),
}

impl Change {
    fn apply(&self, token: &mut Vec<u8>) {
        if token.is_empty() {
            return;
        }
        let len = token.len();
        match self {
            Self::Set(at, to) => token[at.index(len)] = *to,
            Self::Remove(at) => drop(token.remove(at.index(len))),
            Self::Insert(at, byte) => token.insert(at.index(len + 1), *byte),
            Self::Swap(a, b) => token.swap(a.index(len), b.index(len)),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    let byte = || prop_oneof![4 => prop::sample::select(BASE64URL.as_slice()), 1 => any::<u8>()];
    prop_oneof![
        (at(), byte()).prop_map(|(at, to)| Change::Set(at, to)),
        at().prop_map(Change::Remove),
        (at(), byte()).prop_map(|(at, b)| Change::Insert(at, b)),
        (at(), at()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_sealed_opens(
        state in prop::collection::vec(any::<u8>(), 0..3000),
        round: u8,
        life_s in 1..10_000u32,
        now in 1_000_000_000..2_000_000_000u32,
        principal in proptest::option::of(".*"),
        target in ".*",
    ) {
        let fields = BindingFields { principal: principal.as_deref(), target: &target, ..fields() };
        let claims = Claims { deadline: now + life_s, round };
        let now = UnixSeconds(now.into());
        for (algorithm, backend) in pairs() {
            let sealer = sealer(algorithm, backend);
            let token = sealer.seal(&Binding::new(&fields), claims, &state, now).unwrap();
            let opened = sealer.open(&Binding::new(&fields), token.as_bytes(), now).unwrap();
            prop_assert_eq!((opened.claims, &opened.state), (claims, &state));
        }
    }

    #[test]
    fn a_changed_token_is_refused(
        state in prop::collection::vec(any::<u8>(), 0..200),
        changes in prop::collection::vec(change(), 1..5),
    ) {
        for (algorithm, backend) in pairs() {
            let sealer = sealer(algorithm, backend);
            let token = sealer.seal(&binding(), CLAIMS, &state, NOW).unwrap().into_bytes();
            let mut changed = token.clone();
            changes.iter().for_each(|change| change.apply(&mut changed));
            let opened = sealer.open(&binding(), &changed, NOW);
            prop_assert_eq!(opened.is_ok(), changed == token);
        }
    }

    #[test]
    fn a_made_up_token_is_refused(token in prop::collection::vec(any::<u8>(), 0..600)) {
        for (algorithm, backend) in pairs() {
            let sealer = sealer(algorithm, backend);
            prop_assert!(sealer.open(&binding(), &token, NOW).is_err());
            prop_assert!(sealer.open(&binding(), base64url(&token).as_bytes(), NOW).is_err());
        }
    }

    #[test]
    fn any_text_has_one_canonical_form_or_none(raw in ".{0,60}") {
        if let Ok(digest) = ArgumentsDigest::canonical(raw.as_bytes()) {
            let spaced = format!(" {raw}\n");
            prop_assert_eq!(ArgumentsDigest::canonical(spaced.as_bytes()), Ok(digest));
        }
    }
}
