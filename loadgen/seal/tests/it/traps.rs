//! One test for each trap that other codecs of state tokens have fallen into.

use loadgen_seal::*;

use crate::common::*;

/// The same request with other arguments, digested both ways.
fn argument_refused(sealed_for: &str, opened_for: &str) {
    let digests = [
        |raw: &str| ArgumentsDigest::canonical(raw.as_bytes()).unwrap(),
        |raw: &str| ArgumentsDigest::exact(raw.as_bytes()),
    ];
    for digest in digests {
        let binding = |raw: &str| {
            Binding::new(&BindingFields {
                arguments: digest(raw),
                ..fields()
            })
        };
        for (algorithm, backend) in pairs() {
            let sealer = sealer(algorithm, backend);
            let token = sealer
                .seal(&binding(sealed_for), CLAIMS, b"s", NOW)
                .unwrap();
            let opened = sealer.open(&binding(opened_for), token.as_bytes(), NOW);
            assert_eq!(
                opened.unwrap_err().reason(),
                Reason::Tag,
                "{sealed_for} {opened_for}"
            );
            assert!(
                sealer
                    .open(&binding(sealed_for), token.as_bytes(), NOW)
                    .is_ok()
            );
        }
    }
}

fn canonical(raw: &str) -> Result<ArgumentsDigest, CanonicalError> {
    ArgumentsDigest::canonical(raw.as_bytes())
}

#[test]
fn base64_spare_bits_make_no_second_token() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        // Three lengths, two of which leave spare bits in the last character.
        for bytes in 40..43 {
            let token = sealer.seal(&binding(), CLAIMS, &state(bytes), NOW).unwrap();
            let (front, last) = token.split_at(token.len() - 1);
            let accepted = BASE64URL
                .iter()
                .filter(|&&c| {
                    let other = [front.as_bytes(), &[c]].concat();
                    sealer.open(&binding(), &other, NOW).is_ok()
                })
                .map(|&c| char::from(c).to_string())
                .collect::<Vec<_>>();
            assert_eq!(accepted, [last]);
        }
    }
}

#[test]
fn base64_padding_white_space_and_the_other_alphabet_are_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        // Until a token holds both characters that the alphabets do not share.
        let token = loop {
            let token = sealer.seal(&binding(), CLAIMS, &state(600), NOW).unwrap();
            if algorithm.nonce_bytes() == 0 || token.contains('-') && token.contains('_') {
                break token;
            }
        };
        let mut others = vec![
            format!("{token}="),
            format!("{token}=="),
            format!(" {token}"),
            format!("{token}\n"),
            format!("{}\n{}", &token[..20], &token[20..]),
            format!("{}\r\n{}", &token[..20], &token[20..]),
        ];
        others.extend(
            [token.replace('-', "+"), token.replace('_', "/")]
                .into_iter()
                .filter(|t| *t != token),
        );
        for other in others {
            let reason = reason(&sealer, &other);
            assert!(matches!(reason, Reason::Decode), "{reason}: {other}");
        }
    }
}

#[test]
fn a_life_of_zero_or_less_or_a_fraction_is_no_life() {
    assert!(Ttl::try_from(0u64).is_err());
    assert!(Ttl::try_from(-5i64).is_err());
    assert!(Ttl::try_from(0.5).is_err());
    assert!(Ttl::try_from(f64::NAN).is_err());
    assert!(Ttl::try_from(u64::MAX).is_err());
}

#[test]
fn every_token_has_an_expiry() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let claims = Claims {
            deadline: u32::MAX,
            round: 0,
        };
        let token = sealer.seal(&binding(), claims, b"s", NOW).unwrap();
        let facts = Unverified::read(token.as_bytes()).unwrap();
        assert_eq!(u64::from(facts.expiry_s), NOW.0 + u64::from(TTL_S));
        let later = UnixSeconds(NOW.0 + u64::from(TTL_S));
        let refused = sealer
            .open(&binding(), token.as_bytes(), later)
            .unwrap_err();
        assert_eq!(refused.reason(), Reason::Expired);
    }
}

#[test]
fn keys_of_three_bytes_are_refused() {
    assert!(Key::new(KeyId(1), b"key", None).is_err());
    assert!(KeyRing::parse("1:mint:a2V5").is_err());
}

#[test]
fn exactly_one_key_of_a_ring_is_tried() {
    for (algorithm, backend) in pairs() {
        let ring = KeyRing::new(vec![(Role::Mint, key(1)), (Role::Accept, key(2))]).unwrap();
        let both = Sealer::new(&Config {
            ring,
            ..config(algorithm, backend)
        })
        .unwrap();
        let ring = KeyRing::single(key(2));
        let second = Sealer::new(&Config {
            ring,
            ..config(algorithm, backend)
        })
        .unwrap();
        let token = second.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        assert!(both.open(&binding(), token.as_bytes(), NOW).is_ok());
        // Key 2 would open the body, but the header names key 1.
        let mut raw = base64url_bytes(&token);
        raw[1] = 1;
        assert_eq!(reason(&both, base64url(&raw)), Reason::Tag);
        raw[1] = 3;
        assert_eq!(reason(&both, base64url(&raw)), Reason::UnknownKey);
    }
}

#[test]
fn a_new_stamp_each_round_does_not_move_the_deadline() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let claims = Claims {
            deadline: NOW.0 as u32 + 100,
            round: 0,
        };
        let first = sealer.seal(&binding(), claims, b"s", NOW).unwrap();
        let opened = sealer.open(&binding(), first.as_bytes(), NOW).unwrap();
        let later = UnixSeconds(NOW.0 + 99);
        let second = sealer.seal(&binding(), opened.claims, b"s", later).unwrap();
        let facts = Unverified::read(second.as_bytes()).unwrap();
        assert_eq!(facts.expiry_s, claims.deadline);
        let end = UnixSeconds(NOW.0 + 100);
        assert!(sealer.open(&binding(), second.as_bytes(), end).is_err());
        assert_eq!(
            sealer.seal(&binding(), opened.claims, b"s", end),
            Err(SealError::DeadlinePassed)
        );
    }
}

#[test]
fn the_empty_principal_is_not_nobody() {
    let [empty, nobody] = [Some(""), None].map(|principal| {
        Binding::new(&BindingFields {
            principal,
            ..fields()
        })
    });
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        for (own, other) in [(&empty, &nobody), (&nobody, &empty)] {
            let token = sealer.seal(own, CLAIMS, b"s", NOW).unwrap();
            assert!(sealer.open(own, token.as_bytes(), NOW).is_ok());
            assert!(sealer.open(other, token.as_bytes(), NOW).is_err());
        }
    }
}

#[test]
fn method_and_target_are_bound() {
    let f = fields();
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        for other in [
            BindingFields {
                method: "resources/read",
                ..f
            },
            BindingFields {
                target: "sink_vessel",
                ..f
            },
        ] {
            let opened = sealer.open(&Binding::new(&other), token.as_bytes(), NOW);
            assert_eq!(opened.unwrap_err().reason(), Reason::Tag);
        }
    }
}

#[test]
fn format_and_algorithm_are_bound() {
    for (algorithm, backend) in pairs() {
        let here = sealer(algorithm, backend);
        let token = here.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        for first in (0..=255).filter(|&f| f != 0x10 | algorithm.id()) {
            let mut raw = base64url_bytes(&token);
            raw[0] = first;
            assert_eq!(reason(&here, base64url(&raw)), Reason::Algorithm);
            // An algorithm with a body of the same shape and the same key material.
            let other = Algorithm::from_id(first & 15).filter(|_| first >> 4 == 1);
            for (algorithm, backend) in pairs().into_iter().filter(|p| Some(p.0) == other) {
                reason(&sealer(algorithm, backend), base64url(&raw));
            }
        }
    }
}

#[test]
fn one_and_one_point_nought_are_one_value() {
    for spelling in ["1.0", "1e0", "10e-1", "1.00"] {
        assert_eq!(canonical(spelling), canonical("1"), "{spelling}");
    }
    assert_eq!(canonical("1e2"), canonical("100"));
    assert_eq!(canonical("-0.0"), canonical("0"));
    assert_eq!(canonical("1e21"), canonical("1000000000000000000000"));
}

#[test]
fn integers_beyond_doubles_are_not_one_value() {
    assert_ne!(canonical("9007199254740993"), canonical("9007199254740992"));
    argument_refused(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#);
    argument_refused(
        r#"{"a":123456789012345678901}"#,
        r#"{"a":123456789012345678902}"#,
    );
}

#[test]
fn names_beyond_the_basic_plane_sort_by_bytes() {
    let escaped = r#"{"\ud800\udc00":1,"\uff61":2}"#;
    let plain = "{\"\u{ff61}\":2,\"\u{10000}\":1}";
    assert_eq!(canonical(escaped), canonical(plain));
}

#[test]
fn composed_and_decomposed_letters_stay_apart() {
    assert_ne!(canonical("\"\u{e9}\""), canonical("\"e\u{301}\""));
    argument_refused("{\"name\":\"\u{e9}\"}", "{\"name\":\"e\u{301}\"}");
}

#[test]
fn arguments_without_a_canonical_form_get_no_digest() {
    for raw in [r#"{"a":1,"a":2}"#, "1e400", r#""\ud800""#, "{", "NaN"] {
        assert!(canonical(raw).is_err(), "{raw}");
    }
}

/// The token cannot know which question an answer belongs to; the state can, because it is sealed:
/// a server keeps the digest of what it asked there.
#[test]
fn answers_to_a_question_that_changed_are_noticed() {
    let asked = canonical(r#"{"message":"Delete 3 berths?"}"#).unwrap();
    let asking_now = canonical(r#"{"message":"Delete 300 berths?"}"#).unwrap();
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer
            .seal(&binding(), CLAIMS, asked.as_bytes(), NOW)
            .unwrap();
        let opened = sealer.open(&binding(), token.as_bytes(), NOW).unwrap();
        assert_eq!(opened.state, asked.as_bytes());
        assert_ne!(opened.state, asking_now.as_bytes());
    }
}

#[test]
fn trailing_bytes_are_refused() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, &state(50), NOW).unwrap();
        for extra in 1..=48 {
            let mut raw = base64url_bytes(&token);
            raw.extend(vec![0; extra]);
            assert_eq!(reason(&sealer, base64url(&raw)), Reason::Tag);
        }
    }
}

#[test]
fn short_input_does_not_panic() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let mut raw = base64url_bytes(&sealer.seal(&binding(), CLAIMS, b"", NOW).unwrap());
        while raw.pop().is_some() {
            assert_eq!(reason(&sealer, base64url(&raw)), Reason::Size);
        }
        for text in ["", "A", "AA", "AAA", "AAAA", "\0", "\u{1F600}"] {
            let reason = reason(&sealer, text);
            assert!(matches!(reason, Reason::Size | Reason::Decode), "{text}");
        }
    }
}

#[test]
fn the_peer_learns_no_reason() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, &state(50), NOW).unwrap();
        let good = base64url_bytes(&token);
        let changed = |i: usize, to: u8| {
            let mut raw = good.clone();
            raw[i] = to;
            base64url(&raw)
        };
        let late = UnixSeconds(NOW.0 + 10_000);
        let early = UnixSeconds(NOW.0 - 10_000);
        let last = good.len() - 1;
        let refusals = [
            sealer.open(&binding(), b"!!!!", NOW),
            sealer.open(&binding(), format!("{token}=").as_bytes(), NOW),
            sealer.open(&binding(), changed(0, 0xF0).as_bytes(), NOW),
            sealer.open(&binding(), changed(1, 9).as_bytes(), NOW),
            sealer.open(&binding(), token.as_bytes(), late),
            sealer.open(&binding(), token.as_bytes(), early),
            sealer.open(&binding(), changed(last, !good[last]).as_bytes(), NOW),
        ]
        .map(Result::unwrap_err);
        let outside: std::collections::HashSet<_> = refusals
            .iter()
            .map(|r| (r.to_string(), format!("{r:?}")))
            .collect();
        assert_eq!(outside.len(), 1);
        let reasons: std::collections::HashSet<_> = refusals.iter().map(|r| r.reason()).collect();
        assert_eq!(reasons.len(), 7, "{reasons:?}");
        let counters = sealer.counters();
        assert!(
            reasons.iter().all(|&r| counters.refused_for(r) == 1),
            "{counters:?}"
        );
    }
}
