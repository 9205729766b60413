use std::time::Duration;

use serde_json::Value;

use super::Wait;

/// Names under which a JSON object tells a wait, with how many of its units a second has.
const MEMBERS: [(&str, f64); 10] = [
    ("retryAfter", 1.0),
    ("retryAfterMs", 1000.0),
    ("retryAfterSeconds", 1.0),
    ("retry_after", 1.0),
    ("retry_after_ms", 1000.0),
    ("retry_after_seconds", 1.0),
    ("resetIn", 1.0),
    ("resetInMs", 1000.0),
    ("reset_in", 1.0),
    ("reset_in_ms", 1000.0),
];

/// The wait that an object tells by a member of its own or of its `details`: seconds, unless the
/// name ends in milliseconds. Numbers may be written as text.
pub(super) fn told_wait(object: &Value) -> Wait {
    let mut unreadable = false;
    for object in [object, &object["details"]] {
        for (name, per_s) in MEMBERS {
            let wait = match &object[name] {
                Value::Null => continue,
                Value::Number(number) => number.as_f64().and_then(|n| units(n, per_s)),
                Value::String(text) => decimal(text).and_then(|n| units(n, per_s)),
                _ => None,
            };
            match wait {
                Some(wait) => return Wait::For(wait),
                None => unreadable = true,
            }
        }
    }
    if unreadable {
        Wait::Unreadable
    } else {
        Wait::Untold
    }
}

/// Seconds as digits, perhaps with a fraction. What is too long for a [`Duration`] is the longest.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    units(decimal(text)?, 1.0)
}

fn units(number: f64, per_s: f64) -> Option<Duration> {
    let good = number.is_finite() && number >= 0.0;
    good.then(|| Duration::try_from_secs_f64(number / per_s).unwrap_or(Duration::MAX))
}

/// Digits and at most one point: none of the other ways to write a number is meant in a header.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_spelling_is_read_in_its_unit() {
        for (name, per_s) in MEMBERS {
            let want = Wait::For(Duration::from_secs(3));
            let number = 3.0 * per_s;
            assert_eq!(told_wait(&json!({ name: number })), want, "{name}");
            assert_eq!(told_wait(&json!({ name: format!("{number}") })), want);
            assert_eq!(told_wait(&json!({"details": { name: number }})), want);
        }
    }

    #[test]
    fn what_is_no_wait_is_told_apart_from_none() {
        for junk in [json!(-1), json!("soon"), json!(true), json!([3])] {
            let data = json!({ "retryAfter": junk });
            assert_eq!(told_wait(&data), Wait::Unreadable, "{data}");
        }
        for none in [
            json!(null),
            json!({}),
            json!({"retryAfter": null}),
            json!(3),
        ] {
            assert_eq!(told_wait(&none), Wait::Untold, "{none}");
        }
        let absurd = json!({ "retryAfterSeconds": 1e300 });
        assert_eq!(told_wait(&absurd), Wait::For(Duration::MAX));
    }
}
