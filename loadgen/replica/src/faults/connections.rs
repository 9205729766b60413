use crate::faults::settings::Settings;
use crate::faults::values::Over;
use crate::server::{AcceptLimit, ConnectionPolicy, Drip, OverLimit};

/// Changes what is done with connections where the settings have changed; the rest stays as whoever
/// made the policy wanted it.
pub(super) fn change(policy: &ConnectionPolicy, before: &Settings, now: &Settings) {
    if before.close_idle_ms != now.close_idle_ms {
        policy.close_idle(now.close_idle_ms.map(|idle| idle.get()));
    }
    if before.goaway_every != now.goaway_every {
        policy.recycle_after(now.goaway_every);
    }
    if (before.accept_limit, before.accept_over) != (now.accept_limit, now.accept_over) {
        policy.limit_accepts(now.accept_limit.map(|open| AcceptLimit {
            open,
            over: match now.accept_over.unwrap_or_default() {
                Over::Wait => OverLimit::Wait,
                Over::Close => OverLimit::Close,
            },
        }));
    }
    if before.drip != now.drip {
        policy.drip_replies(now.drip.map(|drip| Drip {
            piece_bytes: drip.bytes,
            pause: drip.every_ms.get(),
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn settings(set: Value) -> Settings {
        let Value::Object(set) = set else {
            panic!("no object");
        };
        Settings::read(&set).unwrap()
    }

    #[test]
    fn what_changes_is_set_and_the_rest_left_alone() {
        let policy = ConnectionPolicy::default();
        let one = NonZeroU32::MIN;
        policy.recycle_after(Some(one));
        let nothing = Settings::default();
        let all = settings(json!({
            "close_idle_ms": 7, "accept_limit": 3, "drip": { "bytes": 2, "every_ms": 0 },
        }));
        change(&policy, &nothing, &all);
        assert_eq!(policy.idle(), Some(Duration::from_millis(7)));
        let limit = policy.accept_limit().unwrap();
        assert_eq!((limit.open.get(), limit.over), (3, OverLimit::Wait));
        assert_eq!(policy.drip().unwrap().piece_bytes.get(), 2);
        assert_eq!(policy.recycle(), Some(one));
        let other = settings(json!({ "accept_limit": 3, "accept_over": "close" }));
        change(&policy, &all, &other);
        assert_eq!(policy.accept_limit().unwrap().over, OverLimit::Close);
        assert_eq!((policy.idle(), policy.drip()), (None, None));
        change(&policy, &other, &settings(json!({ "goaway_every": 9 })));
        assert_eq!(policy.recycle(), NonZeroU32::new(9));
        assert_eq!(policy.accept_limit(), None);
        change(&policy, &settings(json!({ "goaway_every": 9 })), &nothing);
        assert_eq!(policy.recycle(), None);
    }
}
