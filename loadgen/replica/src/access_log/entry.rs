use std::time::{Duration, Instant};

use jiff::Timestamp;
use loadgen_seal::{Claims, Reason, TokenId};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::refusal::{Refusal, Wire};
use crate::short_hex::short_hex;
use crate::timing::Spent;

/// How much of what a client chose freely is kept, in bytes.
const NAME_MAX: usize = 256;
/// One line of the access log, filled in while its request is served. What is not known, or does
/// not apply, is left out.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    /// When the request's head had arrived: RFC 3339 in UTC, to the millisecond.
    time: String,
    /// The HTTP status; none when the client went away before there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The JSON-RPC error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    /// How the request ended.
    outcome: &'static str,
    /// The check that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// The private reason why the state did not open.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The beginning of the opened state's tag, in hexadecimal: the same on every replica.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// 0 when nothing was asked before; one more than the state's own, which stops at 255.
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<u16>,
    /// The JSON-RPC method.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// The tool, prompt or resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// The JSON-RPC id in its own bytes, if it is not longer than a name may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<RawValue>>,
    request_bytes: usize,
    response_bytes: u64,
    /// From the request's head to the ready reply.
    duration_us: Micros,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_us: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_us: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store_us: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle_us: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal_us: Option<Micros>,
    #[serde(skip)]
    arrived: Instant,
    /// The reply does not leave.
    #[serde(skip)]
    is_cut: bool,
}

/// Microseconds, to the nanosecond.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Micros(f64);

impl From<Duration> for Micros {
    fn from(duration: Duration) -> Self {
        Self(duration.as_nanos() as f64 / 1e3)
    }
}

impl Entry {
    /// Of a request whose head has just arrived.
    pub(crate) fn begin() -> Self {
        Self {
            time: format!("{:.3}", Timestamp::now()),
            status: None,
            code: None,
            outcome: "cancelled",
            cause: None,
            state: None,
            reason: None,
            token: None,
            round: None,
            method: None,
            target: None,
            principal: None,
            id: None,
            request_bytes: 0,
            response_bytes: 0,
            duration_us: Micros::default(),
            open_us: None,
            limit_us: None,
            store_us: None,
            handle_us: None,
            seal_us: None,
            arrived: Instant::now(),
            is_cut: false,
        }
    }

    /// Its body has arrived.
    pub(crate) fn body(&mut self, bytes: usize) {
        self.request_bytes = bytes;
    }

    pub(crate) fn request(&mut self, id: &RawValue, method: &str) {
        self.id = (id.get().len() <= NAME_MAX).then(|| id.to_owned());
        self.method = Some(clipped(method));
    }

    pub(crate) fn target(&mut self, target: &str) {
        self.target = Some(clipped(target));
    }

    /// Who asks. A name that nothing has verified is the Authorization field itself and may be a
    /// secret: only the beginning of its SHA-256 is kept.
    pub(crate) fn principal(&mut self, name: Option<&str>, verified: bool) {
        self.principal = name.map(|name| {
            if verified {
                return clipped(name);
            }
            format!("sha256:{}", short_hex(&Sha256::digest(name.as_bytes())))
        });
    }

    /// No state came. If answers did, the client has dropped the state that they belong to.
    pub(crate) fn no_state(&mut self, answers: bool) {
        self.round = Some(0);
        self.state = answers.then_some("missing");
    }

    /// The state opened.
    pub(crate) fn opened(&mut self, id: &TokenId, claims: Claims) {
        self.state = Some("opened");
        self.token = Some(short_hex(&id.tag));
        self.round = Some(u16::from(claims.round) + 1);
    }

    /// The state did not open. `resembles_own` is what the sealer says of its clear part.
    pub(crate) fn not_opened(&mut self, reason: Reason, resembles_own: bool) {
        self.reason = Some(reason.name());
        self.state = Some(match reason {
            Reason::Expired | Reason::Future | Reason::Deadline => "untimely",
            Reason::Replayed => "used",
            Reason::UnknownKey => "foreign",
            _ if resembles_own => "changed",
            _ => "invented",
        });
    }

    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        self.outcome = "refused";
        self.cause = Some(refusal.cause().name());
        if let Wire::Rpc(error) = refusal.wire() {
            self.code = Some(error.code.0);
        }
    }

    pub(crate) fn outcome(&mut self, outcome: &'static str) {
        self.outcome = outcome;
    }

    pub(crate) fn spent(&mut self, spent: &Spent) {
        let [open, limit, store, handle, seal] = spent.by_part().map(|part| part.map(Micros::from));
        (self.open_us, self.limit_us, self.store_us) = (open, limit, store);
        (self.handle_us, self.seal_us) = (handle, seal);
    }

    /// The connection will be cut off instead of a reply.
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// The reply is ready.
    pub(crate) fn replied(&mut self, status: http::StatusCode, bytes: u64) {
        if self.is_cut {
            return;
        }
        self.status = Some(status.as_u16());
        self.response_bytes = bytes;
    }

    /// The line, with its end. Nothing that a client sends can break it: JSON escapes all controls.
    pub(crate) fn line(&mut self) -> Vec<u8> {
        self.duration_us = self.arrived.elapsed().into();
        let mut line = serde_json::to_vec(self).expect("a struct of strings and numbers");
        line.push(b'\n');
        line
    }
}

/// The beginning of `text`, as far as it is kept.
fn clipped(text: &str) -> String {
    let end = text.floor_char_boundary(NAME_MAX);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(entry: &mut Entry) -> Value {
        let line = String::from_utf8(entry.line()).unwrap();
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn the_time_is_rfc_3339_in_utc_to_the_millisecond() {
        let before = Timestamp::now();
        let line = read(&mut Entry::begin());
        let time = line["time"].as_str().unwrap();
        assert_eq!(time.len(), "2026-01-02T03:04:05.678Z".len(), "{time}");
        assert!(time.ends_with('Z'), "{time}");
        let read: Timestamp = time.parse().unwrap();
        assert!(read.as_millisecond() >= before.as_millisecond());
        assert!(read <= Timestamp::now());
    }

    #[test]
    fn what_does_not_apply_is_left_out() {
        let line = read(&mut Entry::begin());
        let keys: Vec<_> = line.as_object().unwrap().keys().collect();
        let always = [
            "duration_us",
            "outcome",
            "request_bytes",
            "response_bytes",
            "time",
        ];
        assert_eq!(keys, always);
        assert_eq!(line["outcome"], "cancelled");
    }

    #[test]
    fn a_credential_is_not_written() {
        let mut entry = Entry::begin();
        entry.principal(Some("alice"), true);
        assert_eq!(read(&mut entry)["principal"], "alice");
        entry.principal(Some("Bearer correct-horse"), false);
        let line = read(&mut entry);
        assert_eq!(line["principal"], "sha256:a47d9532f4d69ec0");
        assert!(!line.to_string().contains("horse"));
    }

    #[test]
    fn lengths_and_bytes_that_a_client_chose_do_no_harm() {
        let mut entry = Entry::begin();
        let long = "世".repeat(1000);
        let id = RawValue::from_string(format!("\"{long}\"")).unwrap();
        entry.request(&id, "a\nb\u{2028}");
        entry.target(&long);
        let line = read(&mut entry);
        assert_eq!(line["method"], "a\nb\u{2028}");
        assert_eq!(line["target"], "世".repeat(85));
        assert_eq!(line.get("id"), None);
        let id = RawValue::from_string("18446744073709551616".to_owned()).unwrap();
        entry.request(&id, "x");
        assert!(
            String::from_utf8(entry.line())
                .unwrap()
                .contains(r#""id":18446744073709551616,"#)
        );
    }

    #[test]
    fn faults_of_a_state_have_names() {
        let named = |reason, own| {
            let mut entry = Entry::begin();
            entry.not_opened(reason, own);
            let line = read(&mut entry);
            assert_eq!(line["reason"], reason.name());
            line["state"].as_str().unwrap().to_owned()
        };
        for reason in Reason::ALL {
            let want = match reason {
                Reason::Expired | Reason::Future | Reason::Deadline => ["untimely"; 2],
                Reason::Replayed => ["used"; 2],
                Reason::UnknownKey => ["foreign"; 2],
                _ => ["changed", "invented"],
            };
            assert_eq!(
                [named(reason, true), named(reason, false)],
                want,
                "{reason}"
            );
        }
    }

    #[test]
    fn answers_without_a_state_have_lost_it() {
        let mut entry = Entry::begin();
        entry.no_state(false);
        assert_eq!(read(&mut entry).get("state"), None);
        entry.no_state(true);
        let line = read(&mut entry);
        assert_eq!(
            (&line["state"], &line["round"]),
            (&"missing".into(), &0.into())
        );
    }
}
