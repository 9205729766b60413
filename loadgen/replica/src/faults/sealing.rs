use std::borrow::Cow;
use std::time::Instant;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use loadgen_seal::{Claims, UnixSeconds, Unverified};

use crate::faults::fault::Fault;
use crate::faults::request::Misled;

/// Reads every spelling that a careless decoder takes for a byte string.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    NO_PAD
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is wrong with the sealing of states. What takes a check away takes exactly one and leaves the
/// others whole, so that a battery of attacks can show that it sees that check missing.
impl Misled {
    /// The wall clock's time as this replica sees it, in milliseconds since 1970.
    pub(crate) fn now_ms(&self, now_ms: u64) -> u64 {
        match self.settings().clock_offset_s {
            None => now_ms,
            Some(offset) => {
                self.count(Fault::ClockOffset);
                now_ms.saturating_add_signed(i64::from(offset) * 1000)
            }
        }
    }

    /// The one right spelling of a token that came in another: with spare bits set, with padding,
    /// with white space or in the other alphabet. What has none stays as it is.
    pub(crate) fn respelt<'t>(&self, token: Cow<'t, str>) -> Cow<'t, str> {
        if !self.settings().malleable_base64 {
            return token;
        }
        let plain: String = token
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .map(|c| match c {
                '+' => '-',
                '/' => '_',
                c => c,
            })
            .collect();
        match LENIENT.decode(plain).map(|raw| URL_SAFE_NO_PAD.encode(raw)) {
            Ok(right) if right != token => {
                self.count(Fault::MalleableBase64);
                right.into()
            }
            _ => token,
        }
    }

    /// Whether states are bound to nothing.
    pub(crate) fn binds_nothing(&self) -> bool {
        let nothing = self.settings().no_binding;
        if nothing {
            self.count(Fault::NoBinding);
        }
        nothing
    }

    /// The time at which to open `token`: before its end, whenever that was. Ends that lie too far
    /// ahead are refused as ever.
    pub(crate) fn opening_time(&self, token: &str, now: UnixSeconds) -> UnixSeconds {
        let end = Unverified::read(token.as_bytes()).map(|said| said.expiry_s);
        end.map_or(now, |end| self.before(end, now))
    }

    /// The time at which to seal the state that follows one with these claims: before the end of the
    /// workflow.
    pub(crate) fn sealing_time(&self, claims: Claims, now: UnixSeconds) -> UnixSeconds {
        self.before(claims.deadline, now)
    }

    /// Opens or seals a state: `work`, and then busily nothing for as long as it is to take longer.
    /// That costs processor time, as slower work would.
    pub(crate) fn slowed<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(factor) = self.settings().slow_seal.filter(|factor| factor.is_felt()) else {
            return work();
        };
        // What the fault itself takes is part of the wait: it is a tenth of so short an operation.
        let entered = Instant::now();
        self.count(Fault::SlowSeal);
        let started = Instant::now();
        let done = work();
        let took = started.elapsed();
        let whole = took + factor.more(took);
        // Without a hint to the processor that this is a wait: it would leave its unit to others.
        while entered.elapsed() < whole {}
        done
    }

    fn before(&self, end_s: u32, now: UnixSeconds) -> UnixSeconds {
        let last = UnixSeconds(u64::from(end_s).saturating_sub(1));
        if self.settings().no_expiry && now > last {
            self.count(Fault::NoExpiry);
            last
        } else {
            now
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::faults::handle::Faults;

    fn misled(set: Value) -> (Arc<Faults>, Misled) {
        let Value::Object(set) = set else {
            panic!("no object");
        };
        let faults = Arc::new(Faults::none(0));
        faults.set(set, tokio::time::Instant::now()).unwrap();
        let misled = faults.request().unwrap();
        (faults, misled)
    }

    #[test]
    fn every_careless_spelling_becomes_the_right_one() {
        let (faults, misled) = misled(json!({ "malleable_base64": true }));
        let spelt = [
            "+/+/QQ",
            "-_-_QQ==",
            "-_-_QQ=",
            "-_\n-_Q Q\t",
            "-_-_QR",
            "-_-_Qf",
        ];
        for spelt in spelt {
            assert_eq!(misled.respelt(spelt.into()), "-_-_QQ", "{spelt:?}");
        }
        assert_eq!(
            faults.counts().of(Fault::MalleableBase64),
            spelt.len() as u64
        );
        for other in ["-_-_QQ", "-_-_Q", "-_-_Q!", "", "é"] {
            assert_eq!(misled.respelt(other.into()), other);
        }
        assert_eq!(
            faults.counts().of(Fault::MalleableBase64),
            spelt.len() as u64
        );
    }

    #[test]
    fn without_the_fault_a_token_stays_as_it_came() {
        let (_, misled) = misled(json!({ "no_expiry": true }));
        assert_eq!(misled.respelt("+/+/QQ==".into()), "+/+/QQ==");
    }

    #[test]
    fn a_clock_runs_ahead_and_behind_and_not_before_1970() {
        for (offset, at, want) in [(11, 100, 111_007), (-11, 100, 89_007), (-200, 100, 0)] {
            let (_, misled) = misled(json!({ "clock_offset_s": offset }));
            assert_eq!(misled.now_ms(at * 1000 + 7), want);
        }
    }

    #[test]
    fn slow_work_takes_its_factor_at_least() {
        let (faults, misled) = misled(json!({ "slow_seal": 5 }));
        let started = Instant::now();
        let slept = Duration::from_millis(2);
        misled.slowed(|| thread::sleep(slept));
        assert!(started.elapsed() >= slept * 5);
        assert_eq!(faults.counts().of(Fault::SlowSeal), 1);
    }

    #[test]
    fn a_factor_of_1_makes_no_difference() {
        let (faults, misled) = misled(json!({ "slow_seal": 1 }));
        assert_eq!(misled.slowed(|| 7), 7);
        assert_eq!(faults.counts().of(Fault::SlowSeal), 0);
    }
}
