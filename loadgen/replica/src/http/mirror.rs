use std::borrow::Cow;

use http::{HeaderMap, HeaderName};
use loadgen_protocol::header_value;
use loadgen_protocol::names::{header, method};

use crate::http::gate::{once, only};
use crate::refusal::Refusal;

static PROTOCOL_VERSION: HeaderName = HeaderName::from_static(header::PROTOCOL_VERSION);
static METHOD: HeaderName = HeaderName::from_static(header::METHOD);
static NAME: HeaderName = HeaderName::from_static(header::NAME);

/// Checks that the headers say what the body says, since something on the way may have routed by
/// them: version, method and, where the method names something, that name behind its sentinel.
/// A header that is missing, repeated, outside visible ASCII or undecodable is refused alike.
pub(crate) fn check(
    headers: &HeaderMap,
    version: &str,
    method: &str,
    target: Option<&str>,
) -> Result<(), Refusal> {
    plain(headers, &PROTOCOL_VERSION, version)?;
    plain(headers, &METHOD, method)?;
    let Some(target) = target else {
        return Ok(());
    };
    if !target.starts_with("=?") && says(headers, &NAME, target) {
        return Ok(());
    }
    let value = single(headers, &NAME)?;
    match header_value::decode(value.as_bytes()) {
        Err(why) => Err(Refusal::Header(format!("{NAME}: {why}"))),
        Ok(decoded) if decoded == target => Ok(()),
        Ok(_) => Err(differs(&NAME)),
    }
}

/// Whether the headers say that this is to open a subscription.
pub(crate) fn is_listen(headers: &HeaderMap) -> bool {
    once(headers, &METHOD).is_some_and(|value| value == method::LISTEN)
}

/// The name in the headers, decoded; `None` when there is none that could be right.
pub(crate) fn name(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    header_value::decode(only(headers, &NAME)?.as_bytes()).ok()
}

fn plain(headers: &HeaderMap, name: &HeaderName, want: &str) -> Result<(), Refusal> {
    if says(headers, name, want) || single(headers, name)? == want {
        Ok(())
    } else {
        Err(differs(name))
    }
}

/// Whether the header says this as it is: what nearly every request has, and the quickest to see.
fn says(headers: &HeaderMap, name: &HeaderName, want: &str) -> bool {
    want.is_ascii() && once(headers, name).is_some_and(|value| value == want)
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<&'a str, Refusal> {
    only(headers, name)
        .ok_or_else(|| Refusal::Header(format!("{name} must be there once, in visible ASCII")))
}

fn differs(name: &HeaderName) -> Refusal {
    Refusal::Header(format!("{name} differs from the body"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::PROTOCOL_VERSION, HeaderValue::from_static("v"));
        headers.insert(header::METHOD, HeaderValue::from_static("m"));
        headers.insert(header::NAME, HeaderValue::from_bytes(name).unwrap());
        headers
    }

    #[test]
    fn names_compare_decoded_and_by_case() {
        assert!(check(&headers(b"echo"), "v", "m", Some("echo")).is_ok());
        assert!(check(&headers(b"=?base64?5LiW55WM?="), "v", "m", Some("世界")).is_ok());
        assert!(check(&headers(b"=?base64?ZWNobw==?="), "v", "m", Some("echo")).is_ok());
        for wrong in [&b"Echo"[..], b"", b"echo2", b"=?base64?ZWNobw?="] {
            assert!(
                check(&headers(wrong), "v", "m", Some("echo")).is_err(),
                "{wrong:?}"
            );
        }
        assert!(check(&headers("世界".as_bytes()), "v", "m", Some("世界")).is_err());
    }

    #[test]
    fn each_header_must_be_there_once_and_agree() {
        let good = headers(b"echo");
        assert!(check(&good, "w", "m", Some("echo")).is_err());
        assert!(check(&good, "v", "n", Some("echo")).is_err());
        for name in [header::PROTOCOL_VERSION, header::METHOD, header::NAME] {
            let mut missing = good.clone();
            missing.remove(name);
            assert!(check(&missing, "v", "m", Some("echo")).is_err(), "{name}");
            let mut twice = good.clone();
            twice.append(name, good[name].clone());
            assert!(check(&twice, "v", "m", Some("echo")).is_err(), "{name}");
        }
    }

    #[test]
    fn a_method_that_names_nothing_needs_no_name() {
        let mut none = headers(b"x");
        none.remove(header::NAME);
        assert!(check(&none, "v", "m", None).is_ok());
    }
}
