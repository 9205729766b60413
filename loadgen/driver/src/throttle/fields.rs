use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::HeaderMap;
use hyper::header::{DATE, RETRY_AFTER};
use loadgen_measure::ThrottleSignal;
use sfv::{BareItem, List, ListEntry, Parser};

use super::Wait;
use super::members::seconds;

/// From here on a reset is a moment and not a time to wait: 10^9 s are 31 years.
const EPOCH_FROM_S: f64 = 1e9;
/// From here on that moment is in milliseconds.
const EPOCH_FROM_MS: f64 = 1e12;

/// The wait that the header fields tell, from the first that can be read; `Wait::Unreadable` when
/// there are fields but none can.
pub(super) fn told(headers: &HeaderMap) -> (Option<ThrottleSignal>, Wait) {
    let mut unreadable = false;
    if let Some(text) = one(headers, RETRY_AFTER.as_str()) {
        if let Some(wait) = seconds(text) {
            return (Some(ThrottleSignal::RetryAfterSeconds), Wait::For(wait));
        }
        if let Ok(moment) = httpdate::parse_http_date(text) {
            let signal = ThrottleSignal::RetryAfterDate;
            return (Some(signal), until(moment, headers));
        }
        unreadable = true;
    }
    if let Some(wait) = structured(headers) {
        return (Some(ThrottleSignal::RateLimit), Wait::For(wait));
    }
    for (name, signal) in [
        ("ratelimit-reset", ThrottleSignal::RateLimitReset),
        ("x-ratelimit-reset", ThrottleSignal::XRateLimitReset),
    ] {
        if let Some(text) = one(headers, name) {
            match reset(text, headers) {
                Some(wait) => return (Some(signal), wait),
                None => unreadable = true,
            }
        }
    }
    let wait = if unreadable {
        Wait::Unreadable
    } else {
        Wait::Untold
    };
    (None, wait)
}

/// The longest `t` of the policies in `RateLimit` that have nothing left
/// (draft-ietf-httpapi-ratelimit-headers: `"policy";r=remaining;t=seconds to the reset`).
fn structured(headers: &HeaderMap) -> Option<Duration> {
    let lines = headers.get_all("ratelimit").iter();
    let lines: Option<Vec<&str>> = lines.map(|line| line.to_str().ok()).collect();
    let text = lines.filter(|lines| !lines.is_empty())?.join(", ");
    let policies: List = Parser::new(&text).parse().ok()?;
    let spent = policies.iter().filter_map(|policy| {
        let ListEntry::Item(policy) = policy else {
            return None;
        };
        let number = |name: &str| match policy.params.get(name) {
            Some(BareItem::Integer(number)) => Some(i64::from(*number)),
            _ => None,
        };
        let wait = u64::try_from(number("t")?).ok()?;
        (number("r")? == 0).then_some(Duration::from_secs(wait))
    });
    spent.max()
}

fn reset(text: &str, headers: &HeaderMap) -> Option<Wait> {
    let wait = seconds(text)?;
    let number = wait.as_secs_f64();
    if number < EPOCH_FROM_S {
        return Some(Wait::For(wait));
    }
    let since_1970 = if number < EPOCH_FROM_MS {
        wait
    } else {
        wait / 1000
    };
    Some(match UNIX_EPOCH.checked_add(since_1970) {
        Some(moment) => until(moment, headers),
        None => Wait::For(Duration::MAX),
    })
}

/// The wait until a moment. The server's own clock is in its `Date` field, so that one which is
/// wrong does no harm; its second has begun, so the wait is never too short.
fn until(moment: SystemTime, headers: &HeaderMap) -> Wait {
    match one(headers, DATE.as_str()).and_then(|text| httpdate::parse_http_date(text).ok()) {
        Some(now) => Wait::For(moment.duration_since(now).unwrap_or_default()),
        None => Wait::Until(moment),
    }
}

fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderName;

    fn fields(lines: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    #[track_caller]
    fn is(lines: &[(&str, &str)], signal: ThrottleSignal, wait_s: u64) {
        let wait = Wait::For(Duration::from_secs(wait_s));
        assert_eq!(told(&fields(lines)), (Some(signal), wait), "{lines:?}");
    }

    #[test]
    fn retry_after_may_be_seconds_a_date_zero_or_absurd() {
        let seconds = ThrottleSignal::RetryAfterSeconds;
        is(&[("retry-after", "7")], seconds, 7);
        is(&[("retry-after", " 0 ")], seconds, 0);
        is(&[("retry-after", "9999999999")], seconds, 9_999_999_999);
        let (_, most) = told(&fields(&[("retry-after", "18446744073709551616")]));
        assert!(matches!(most, Wait::For(wait) if wait > Duration::from_secs(1 << 60)));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let later = ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT");
        is(&[date, later], ThrottleSignal::RetryAfterDate, 30);
        let past = ("retry-after", "Sunday, 06-Nov-94 08:00:00 GMT");
        is(&[date, past], ThrottleSignal::RetryAfterDate, 0);
    }

    #[test]
    fn without_the_servers_clock_a_date_stays_a_moment() {
        let lines = [("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")];
        let moment = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let (_, wait) = told(&fields(&lines));
        assert_eq!(wait, Wait::Until(moment));
    }

    #[test]
    fn junk_is_passed_over_and_remembered() {
        for junk in ["-1", "soon", "", "1e9", "inf", "1 2", "0x10", "\u{e9}"] {
            let (signal, wait) = told(&fields(&[("retry-after", junk)]));
            let unreadable = junk.is_ascii().then_some(Wait::Unreadable);
            assert_eq!((signal, wait), (None, unreadable.unwrap_or(Wait::Untold)));
        }
        let next = [("retry-after", "soon"), ("x-ratelimit-reset", "4")];
        is(&next, ThrottleSignal::XRateLimitReset, 4);
        assert_eq!(told(&HeaderMap::new()), (None, Wait::Untold));
    }

    #[test]
    fn ratelimit_counts_where_nothing_is_left() {
        let signal = ThrottleSignal::RateLimit;
        is(&[("ratelimit", "\"default\";r=0;t=30")], signal, 30);
        let several = "\"burst\";r=0;t=2, \"day\";r=0;t=9;pk=:cHI=:, \"hour\";r=3;t=99";
        is(&[("ratelimit", several)], signal, 9);
        let lines = [
            ("ratelimit", "\"a\";r=0;t=1"),
            ("ratelimit", "\"b\";r=0;t=5"),
        ];
        is(&lines, signal, 5);
        for none in [
            "\"default\";r=50;t=30",
            "\"default\";r=0",
            "\"default\";r=0;t=-3",
            "limit=5, remaining=0, reset=3",
        ] {
            assert_eq!(told(&fields(&[("ratelimit", none)])).0, None, "{none}");
        }
    }

    #[test]
    fn a_reset_is_seconds_or_a_moment() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (name, signal) in [
            ("ratelimit-reset", ThrottleSignal::RateLimitReset),
            ("x-ratelimit-reset", ThrottleSignal::XRateLimitReset),
        ] {
            is(&[(name, "12")], signal, 12);
            is(&[(name, "0")], signal, 0);
            // 1994 lies below the bound, as no server of today does.
            is(&[(name, "784111777")], signal, 784_111_777);
            let (_, wait) = told(&fields(&[(name, "1800000000")]));
            let moment = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
            assert_eq!(wait, Wait::Until(moment));
            let (_, wait) = told(&fields(&[(name, "1800000000000")]));
            assert_eq!(wait, Wait::Until(moment), "in milliseconds");
            let (_, wait) = told(&fields(&[date, (name, "99999999999999999999999999")]));
            assert!(matches!(wait, Wait::For(wait) if wait > Duration::from_secs(1 << 50)));
        }
    }

    #[test]
    fn the_first_field_that_can_be_read_wins() {
        let all = [
            ("retry-after", "1"),
            ("ratelimit", "\"default\";r=0;t=2"),
            ("ratelimit-reset", "3"),
            ("x-ratelimit-reset", "4"),
        ];
        let want = [
            ThrottleSignal::RetryAfterSeconds,
            ThrottleSignal::RateLimit,
            ThrottleSignal::RateLimitReset,
            ThrottleSignal::XRateLimitReset,
        ];
        for (from, signal) in want.into_iter().enumerate() {
            is(&all[from..], signal, from as u64 + 1);
        }
    }
}
