use std::time::{Duration, SystemTime};

use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use loadgen_measure::{SdkView, ThrottleSignal};
use loadgen_protocol::ErrorObject;
use serde_json::Value;

use super::fields;
use super::members::told_wait;

/// What a reply says about a limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notice {
    /// How it says so: where the wait stands, or else what made it a refusal.
    pub(crate) signal: ThrottleSignal,
    /// Whether that is certain; guessed when only words say so.
    pub(crate) certain: bool,
    /// How long to wait.
    pub(crate) wait: Wait,
    /// What a client on an official SDK sees of it.
    pub(crate) sdk: SdkView,
}

/// How long a reply says to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It does not say.
    Untold,
    /// It says so in no way that can be read.
    Unreadable,
    /// For this time; [`Duration::MAX`] stands for everything above it.
    For(Duration),
    /// Until this moment.
    Until(SystemTime),
}

/// What the body of a reply says by itself, without status and header fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said {
    signal: ThrottleSignal,
    /// `None` when the body is of a kind that can say so and does not.
    certain: Option<bool>,
    wait: Wait,
}

/// Codes that mean a rate limit and nothing else.
const CERTAIN: [i64; 3] = [-32023, -32029, 429];
/// Codes that may mean one: they count with a wait in their data, or with words that say so.
const POSSIBLE: [i64; 6] = [-32000, -32003, -32602, -32002, -32004, -32008];
/// Problem types about limits (draft-ietf-httpapi-ratelimit-headers).
const PROBLEMS: [&str; 3] = [
    "quota-exceeded",
    "temporary-reduced-capacity",
    "abnormal-usage-detected",
];

impl Notice {
    /// Whether and how a reply is a refusal by a rate limit. With the status 429, or 503 and a
    /// `Retry-After`, it is one whatever the body says, and the fields stand before the body; with
    /// any other status the body has to say so, and its own wait stands before the fields, which
    /// some servers send with every reply.
    pub(crate) fn read(status: u16, headers: &HeaderMap, said: Said) -> Option<Self> {
        let by_status = status == 429 || (status == 503 && headers.contains_key(RETRY_AFTER));
        if !by_status && said.certain.is_none() {
            return None;
        }
        let body = (Some(said.signal), said.wait);
        let fields = fields::told(headers);
        let places = if by_status {
            [fields, body]
        } else {
            [body, fields]
        };
        let told = |(_, wait): &&(_, Wait)| matches!(wait, Wait::For(_) | Wait::Until(_));
        let (signal, wait) = places.iter().find(told).copied().unwrap_or_else(|| {
            let junk = places.iter().any(|(_, wait)| *wait == Wait::Unreadable);
            let wait = if junk { Wait::Unreadable } else { Wait::Untold };
            (Some(said.signal), wait)
        });
        Some(Self {
            signal: signal.unwrap_or(said.signal),
            certain: by_status || said.certain == Some(true),
            wait,
            sdk: view(status, said),
        })
    }
}

impl Said {
    /// A JSON-RPC error.
    pub(crate) fn by_error(error: &ErrorObject<'_>) -> Self {
        let wait = error.data.as_ref().map_or(Wait::Untold, told_wait);
        let code = error.code.0;
        let certain = if CERTAIN.contains(&code) {
            Some(true)
        } else if !POSSIBLE.contains(&code) {
            None
        } else if wait != Wait::Untold {
            Some(true)
        } else {
            says_rate_limited(&error.message).then_some(false)
        };
        Self {
            signal: ThrottleSignal::JsonRpcError,
            certain,
            wait,
        }
    }

    /// A tool result with `isError`, and the text of its content.
    pub(crate) fn by_tool_error(result: &Value, text: &str) -> Self {
        let error = &result["structuredContent"]["error"];
        if error["type"] == "rate_limited" {
            return Self {
                signal: ThrottleSignal::IsErrorStructured,
                certain: Some(true),
                wait: told_wait(error),
            };
        }
        Self {
            signal: ThrottleSignal::IsErrorText,
            certain: says_rate_limited(text).then_some(false),
            wait: Wait::Untold,
        }
    }

    /// A tool result with `type: "error"`.
    pub(crate) fn by_result_type(result: &Value) -> Self {
        let error = &result["error"];
        let words = error["message"].as_str().or(error.as_str()).unwrap_or("");
        let certain = if error["type"] == "rate_limited" {
            Some(true)
        } else {
            says_rate_limited(words).then_some(false)
        };
        Self {
            signal: ThrottleSignal::ResultTypeError,
            certain,
            wait: told_wait(error),
        }
    }

    /// A success whose text is one that the scenario names.
    pub(crate) fn by_result_text() -> Self {
        Self {
            signal: ThrottleSignal::ResultText,
            certain: Some(false),
            wait: Wait::Untold,
        }
    }

    /// A result that says nothing about limits.
    pub(crate) fn nothing() -> Self {
        Self {
            signal: ThrottleSignal::HttpStatus,
            certain: None,
            wait: Wait::Untold,
        }
    }

    /// A body that is no JSON-RPC response.
    pub(crate) fn by_page(media_type: &str, body: &[u8]) -> Self {
        if media_type != "application/problem+json" {
            return Self::nothing();
        }
        let problem: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let known = problem["type"].as_str().is_some_and(|about| {
            let name = about.rsplit(['#', '/', ':']).next().unwrap_or(about);
            PROBLEMS.contains(&name)
        });
        Self {
            signal: ThrottleSignal::Problem,
            certain: known.then_some(true),
            wait: told_wait(&problem),
        }
    }
}

/// Whether words mean a rate limit: `rate limit` in any of its spellings, or `too many requests`.
fn says_rate_limited(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    [
        "rate limit",
        "rate-limit",
        "ratelimit",
        "rate_limit",
        "too many requests",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// What the official SDKs hand on to whoever uses them.
fn view(status: u16, said: Said) -> SdkView {
    match (said.signal, status) {
        (ThrottleSignal::ResultTypeError | ThrottleSignal::ResultText, 200) => SdkView::AsSuccess,
        (
            ThrottleSignal::JsonRpcError
            | ThrottleSignal::IsErrorStructured
            | ThrottleSignal::IsErrorText,
            200,
        ) => SdkView::Seen,
        (ThrottleSignal::JsonRpcError, _) => SdkView::InPart,
        _ => SdkView::Hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadgen_protocol::ErrorCode;
    use serde_json::json;

    fn fields(lines: &[(&'static str, &str)]) -> HeaderMap {
        let lines = lines.iter();
        lines
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    fn error(code: i64, message: &'static str, data: Value) -> ErrorObject<'static> {
        ErrorObject::new(ErrorCode(code), message).with_data(data)
    }

    fn seconds(seconds: u64) -> Wait {
        Wait::For(Duration::from_secs(seconds))
    }

    #[test]
    fn a_status_is_enough_and_its_fields_stand_first() {
        let said = Said::by_error(&error(-32023, "no", json!({"retryAfter": 9})));
        let notice = Notice::read(429, &fields(&[("retry-after", "4")]), said).unwrap();
        assert_eq!(notice.signal, ThrottleSignal::RetryAfterSeconds);
        assert_eq!((notice.wait, notice.certain), (seconds(4), true));
        assert_eq!(notice.sdk, SdkView::InPart);

        let alone = Notice::read(429, &HeaderMap::new(), Said::by_page("text/html", b"no"));
        let alone = alone.unwrap();
        assert_eq!(alone.signal, ThrottleSignal::HttpStatus);
        assert_eq!((alone.wait, alone.sdk), (Wait::Untold, SdkView::Hidden));

        let page = Said::by_page("text/plain", b"busy");
        let busy = Notice::read(503, &fields(&[("retry-after", "1")]), page).unwrap();
        assert_eq!(busy.signal, ThrottleSignal::RetryAfterSeconds);
        assert_eq!(Notice::read(503, &HeaderMap::new(), page), None);
        assert_eq!(
            Notice::read(200, &fields(&[("retry-after", "1")]), page),
            None
        );
    }

    #[test]
    fn fields_that_come_with_every_reply_do_not_hide_what_the_body_says() {
        let always = fields(&[("x-ratelimit-reset", "50")]);
        let said = Said::by_error(&error(429, "no", json!({"retryAfterSeconds": 2})));
        let notice = Notice::read(200, &always, said).unwrap();
        assert_eq!(notice.signal, ThrottleSignal::JsonRpcError);
        assert_eq!((notice.wait, notice.sdk), (seconds(2), SdkView::Seen));
        let untold = Said::by_tool_error(&json!({}), "Rate limit exceeded");
        let notice = Notice::read(200, &always, untold).unwrap();
        assert_eq!(notice.signal, ThrottleSignal::XRateLimitReset);
        assert_eq!((notice.wait, notice.certain), (seconds(50), false));
    }

    #[test]
    fn junk_in_one_place_leaves_the_next_and_none_is_remembered() {
        let junk = fields(&[("retry-after", "soon")]);
        let said = Said::by_error(&error(-32000, "no", json!({"details": {"reset_in": 3}})));
        let notice = Notice::read(429, &junk, said).unwrap();
        assert_eq!(notice.signal, ThrottleSignal::JsonRpcError);
        assert_eq!(notice.wait, seconds(3));
        let page = Said::by_page("text/plain", b"");
        let notice = Notice::read(429, &junk, page).unwrap();
        assert_eq!(notice.signal, ThrottleSignal::HttpStatus);
        assert_eq!(notice.wait, Wait::Unreadable);
    }

    #[test]
    fn codes_are_certain_or_need_a_wait_or_words() {
        let certain = |code, message, data| Said::by_error(&error(code, message, data)).certain;
        for code in CERTAIN {
            assert_eq!(certain(code, "no", json!(null)), Some(true));
        }
        for code in POSSIBLE {
            assert_eq!(certain(code, "no", json!(null)), None);
            assert_eq!(certain(code, "Too many requests", json!(null)), Some(false));
            assert_eq!(certain(code, "no", json!({"reset_in": 1})), Some(true));
        }
        assert_eq!(certain(-32603, "rate limit", json!({"reset_in": 1})), None);
    }

    #[test]
    fn tool_results_and_problems_are_read() {
        let error = json!({"type": "rate_limited", "retry_after_seconds": 5});
        let structured = json!({"structuredContent": {"error": error}});
        let said = Said::by_tool_error(&structured, "");
        assert_eq!(said.signal, ThrottleSignal::IsErrorStructured);
        assert_eq!((said.certain, said.wait), (Some(true), seconds(5)));
        assert_eq!(
            Said::by_tool_error(&json!({}), "no such file").certain,
            None
        );

        let said = Said::by_result_type(&json!({"type": "error", "error": error}));
        assert_eq!((said.certain, said.wait), (Some(true), seconds(5)));
        let other = json!({"type": "error", "error": "no such file"});
        assert_eq!(Said::by_result_type(&other).certain, None);

        for (about, known) in [
            (
                "https://iana.org/assignments/http-problem-types#quota-exceeded",
                true,
            ),
            ("temporary-reduced-capacity", true),
            ("urn:problem:out-of-credit", false),
        ] {
            let body = json!({ "type": about }).to_string();
            let said = Said::by_page("application/problem+json", body.as_bytes());
            assert_eq!(said.certain, known.then_some(true), "{about}");
            assert_eq!(said.signal, ThrottleSignal::Problem);
        }
    }

    #[test]
    fn what_an_sdk_client_sees_follows_from_status_and_body() {
        let views = [
            (200, Said::by_result_text(), SdkView::AsSuccess),
            (
                200,
                Said::by_tool_error(&json!({}), "rate limit"),
                SdkView::Seen,
            ),
            (429, Said::by_page("text/html", b""), SdkView::Hidden),
        ];
        for (status, said, want) in views {
            let notice = Notice::read(status, &HeaderMap::new(), said).unwrap();
            assert_eq!(notice.sdk, want, "{status}");
        }
    }
}
