//! Tokens that were changed on the way, and requests that are not the token's.

use loadgen_seal::*;

use crate::common::*;

#[test]
fn every_flipped_bit_is_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer
            .seal(&binding(), CLAIMS, &state(40), NOW)
            .unwrap()
            .into_bytes();
        for i in 0..token.len() {
            for bit in 0..8 {
                let mut bad = token.clone();
                bad[i] ^= 1 << bit;
                reason(&sealer, &bad);
            }
        }
    }
}

#[test]
fn every_truncation_and_extension_is_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        for bytes in 40..43 {
            let token = sealer.seal(&binding(), CLAIMS, &state(bytes), NOW).unwrap();
            for end in 0..token.len() {
                reason(&sealer, &token[..end]);
            }
            for extra in (0..=255).map(|c| [c]).chain([*b"=", *b"\n"]) {
                reason(&sealer, [token.as_bytes(), &extra].concat());
            }
            reason(&sealer, format!("{token}AAAA"));
            reason(&sealer, format!("AAAA{token}"));
        }
    }
}

#[test]
fn every_other_last_character_is_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        for bytes in 40..43 {
            let token = sealer
                .seal(&binding(), CLAIMS, &state(bytes), NOW)
                .unwrap()
                .into_bytes();
            let last = token.len() - 1;
            for c in (0..=255).filter(|&c| c != token[last]) {
                let mut bad = token.clone();
                bad[last] = c;
                reason(&sealer, &bad);
            }
        }
    }
}

#[test]
fn another_request_cannot_use_the_token() {
    let f = fields();
    let others = [
        BindingFields {
            audience: "quay",
            ..f
        },
        BindingFields {
            method: "prompts/get",
            ..f
        },
        BindingFields {
            target: "cancel_berth",
            ..f
        },
        BindingFields {
            arguments: ArgumentsDigest::exact(br#"{"length_m":32}"#),
            ..f
        },
        BindingFields {
            arguments: ArgumentsDigest::none(),
            ..f
        },
        BindingFields {
            principal: Some("ines"),
            ..f
        },
        BindingFields {
            principal: Some(""),
            ..f
        },
        BindingFields {
            principal: None,
            ..f
        },
    ];
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, &state(40), NOW).unwrap();
        for other in &others {
            let refused = sealer
                .open(&Binding::new(other), token.as_bytes(), NOW)
                .unwrap_err();
            assert_eq!(refused.reason(), Reason::Tag, "{other:?}");
        }
        assert_eq!(
            sealer.counters().refused_for(Reason::Tag),
            others.len() as u64
        );
    }
}

#[test]
fn headers_swapped_between_two_good_tokens_are_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let a = sealer.seal(&binding(), CLAIMS, &state(40), NOW).unwrap();
        let b = sealer
            .seal(&binding(), CLAIMS, &state(40), UnixSeconds(NOW.0 + 9))
            .unwrap();
        assert_eq!(
            reason(&sealer, format!("{}{}", &b[..8], &a[8..])),
            Reason::Tag
        );
        assert_eq!(
            reason(&sealer, format!("{}{}", &a[..8], &b[8..])),
            Reason::Tag
        );
    }
}

#[test]
fn the_size_limit_comes_before_everything() {
    for (algorithm, backend) in pairs() {
        let limit = sealer(algorithm, backend).token_len(100).unwrap();
        let sealer = Sealer::new(&Config {
            max_token_len: limit,
            ..config(algorithm, backend)
        })
        .unwrap();
        let token = sealer.seal(&binding(), CLAIMS, &state(100), NOW).unwrap();
        assert!(sealer.open(&binding(), token.as_bytes(), NOW).is_ok());
        assert_eq!(
            sealer.seal(&binding(), CLAIMS, &state(101), NOW),
            Err(SealError::TooLong {
                state_bytes: 101,
                limit
            })
        );
        assert_eq!(reason(&sealer, "!".repeat(limit + 1)), Reason::Size);
        assert_eq!(reason(&sealer, ""), Reason::Size);
        let short = &mut [0; 10];
        let refused = sealer
            .open_in(&binding(), token.as_bytes(), NOW, short)
            .unwrap_err();
        assert_eq!(refused.reason(), Reason::Size);
    }
}

#[test]
fn a_changed_token_still_resembles_its_sealers_own_and_a_made_up_one_does_not() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, &state(40), NOW).unwrap();
        let trimmed = &token[..token.len() - 1];
        let padded = format!("{token}=\n");
        for own in [&*token, trimmed, &padded, &token[..8]] {
            assert!(sealer.resembles_own(own.as_bytes()), "{own}");
        }
        let other_key = Sealer::new(&Config {
            ring: KeyRing::single(key(2)),
            ..config(algorithm, backend)
        })
        .unwrap();
        assert!(!other_key.resembles_own(token.as_bytes()));
        for foreign in ["", "made-up", "eyJhbGciOiJIUzI1NiJ9", &token[..7]] {
            assert!(!sealer.resembles_own(foreign.as_bytes()), "{foreign}");
        }
    }
}
