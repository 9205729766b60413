//! Expiry, deadline, leeway and skew.

use loadgen_seal::*;

use crate::common::*;

fn at(offset_s: i64) -> UnixSeconds {
    UnixSeconds(NOW.0.strict_add_signed(offset_s))
}

fn opened_at(sealer: &Sealer, token: &str, offset_s: i64) -> Result<(), Reason> {
    let opened = sealer.open(&binding(), token.as_bytes(), at(offset_s));
    opened.map(|_| ()).map_err(Refused::reason)
}

#[test]
fn a_token_opens_until_the_second_before_its_expiry() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let token = sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        let ttl = i64::from(TTL_S);
        assert_eq!(opened_at(&sealer, &token, 0), Ok(()));
        assert_eq!(opened_at(&sealer, &token, ttl - 1), Ok(()));
        assert_eq!(opened_at(&sealer, &token, ttl), Err(Reason::Expired));
        // A clock behind the minting one: as far as the skew and no further.
        assert_eq!(opened_at(&sealer, &token, -60), Ok(()));
        assert_eq!(opened_at(&sealer, &token, -61), Err(Reason::Future));
    }
}

#[test]
fn leeway_lengthens_the_life_and_nothing_else() {
    for (algorithm, backend) in pairs() {
        let sealer = Sealer::new(&Config {
            leeway_s: 2,
            ..config(algorithm, backend)
        })
        .unwrap();
        let token = sealer.seal(&binding(), CLAIMS, b"s", NOW).unwrap();
        let ttl = i64::from(TTL_S);
        assert_eq!(opened_at(&sealer, &token, ttl + 1), Ok(()));
        assert_eq!(opened_at(&sealer, &token, ttl + 2), Err(Reason::Expired));
        assert_eq!(opened_at(&sealer, &token, -60), Ok(()));
        assert_eq!(opened_at(&sealer, &token, -61), Err(Reason::Future));
    }
}

#[test]
fn sealing_anew_every_round_does_not_outlive_the_deadline() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let mut now = NOW;
        let mut token = sealer.seal(&binding(), CLAIMS, b"s", now).unwrap();
        // A client that comes back every 200 s, with tokens that live for 300 s.
        let outcome = loop {
            now.0 += 200;
            let opened = match sealer.open(&binding(), token.as_bytes(), now) {
                Ok(opened) => opened,
                Err(refused) => break refused.reason(),
            };
            let round = opened.claims.round + 1;
            let claims = Claims {
                round,
                ..opened.claims
            };
            assert_eq!(claims.deadline, CLAIMS.deadline);
            token = sealer.seal(&binding(), claims, &opened.state, now).unwrap();
        };
        assert_eq!(now.0, u64::from(CLAIMS.deadline));
        assert_eq!(
            outcome,
            Reason::Expired,
            "the expiry never lies beyond the deadline"
        );
    }
}

#[test]
fn the_deadline_stops_sealing() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let end = UnixSeconds(u64::from(CLAIMS.deadline));
        let sealed = sealer.seal(&binding(), CLAIMS, b"s", end);
        assert_eq!(sealed, Err(SealError::DeadlinePassed));
        let last = sealer
            .seal(&binding(), CLAIMS, b"s", UnixSeconds(end.0 - 1))
            .unwrap();
        let opened = sealer.open(&binding(), last.as_bytes(), UnixSeconds(end.0 - 1));
        assert_eq!(opened.unwrap().id.expiry_s, CLAIMS.deadline);
        assert_eq!(sealer.counters().keys[0].sealed, 1);
    }
}

#[test]
fn a_clock_beyond_the_expiry_field_does_not_wrap() {
    for (algorithm, backend) in pairs() {
        let sealer = sealer(algorithm, backend);
        let claims = Claims {
            deadline: u32::MAX,
            round: 0,
        };
        let last = UnixSeconds(u64::from(u32::MAX) - 1);
        let token = sealer.seal(&binding(), claims, b"s", last).unwrap();
        assert!(sealer.open(&binding(), token.as_bytes(), last).is_ok());
        for now in [u64::from(u32::MAX), u64::MAX] {
            let refused = sealer.open(&binding(), token.as_bytes(), UnixSeconds(now));
            assert_eq!(refused.unwrap_err().reason(), Reason::Expired);
            let sealed = sealer.seal(&binding(), claims, b"s", UnixSeconds(now));
            assert_eq!(sealed, Err(SealError::DeadlinePassed));
        }
    }
}
