use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, EXPECT, ORIGIN};
use http::{HeaderMap, Method, request};

use crate::http::{accept, origin};
use crate::refusal::Refusal;

/// The endpoint's path.
pub(crate) const PATH: &str = "/mcp";

/// The header that names the methods of a 405, and its value.
pub(crate) const ALLOWED: (http::HeaderName, &str) = (ALLOW, "POST");

/// Judges a request by its head alone, before its body is read: path, origin, method, reply forms,
/// content type, authorization. The first fault is the answer.
pub(crate) fn check(head: &request::Parts) -> Result<(), Refusal> {
    if head.uri.path() != PATH {
        return Err(Refusal::Path);
    }
    let origins = head.headers.get_all(ORIGIN);
    if !origins.iter().all(|o| origin::is_local(o.as_bytes())) {
        return Err(Refusal::Origin);
    }
    if head.method != Method::POST {
        return Err(Refusal::HttpMethod);
    }
    if !accept::covers_both(&head.headers) {
        return Err(Refusal::Accept);
    }
    if !is_json(&head.headers) {
        return Err(Refusal::ContentType);
    }
    if head.headers.contains_key(AUTHORIZATION) && principal(&head.headers).is_none() {
        return Err(Refusal::Authorization);
    }
    Ok(())
}

/// Who asks: the whole Authorization field as it came. Nothing here verifies it. `None` when there
/// is none, or it is given twice or holds bytes outside visible ASCII.
pub(crate) fn principal(headers: &HeaderMap) -> Option<&str> {
    only(headers, AUTHORIZATION.as_str())
}

/// The value of a field that may come once; `None` when it is missing, repeated or no visible ASCII.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Whether the client waits for a go-ahead before it sends the body.
pub(crate) fn waits(headers: &HeaderMap) -> bool {
    headers
        .get(EXPECT)
        .is_some_and(|e| e.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// `application/json`, with UTF-8 if a charset is named.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = only(headers, CONTENT_TYPE.as_str()) else {
        return false;
    };
    let mut parts = value.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(change: impl FnOnce(&mut request::Parts)) -> Result<(), Refusal> {
        let (mut parts, ()) = http::Request::post(PATH)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(())
            .unwrap()
            .into_parts();
        change(&mut parts);
        check(&parts)
    }

    fn set(name: &'static str, value: &'static str) -> impl FnOnce(&mut request::Parts) {
        move |p| {
            p.headers.insert(name, value.parse().unwrap());
        }
    }

    #[test]
    fn each_fault_has_its_own_refusal() {
        assert_eq!(head(|_| ()), Ok(()));
        assert_eq!(head(|p| p.uri = "/mcp?x=1".parse().unwrap()), Ok(()));
        assert_eq!(
            head(|p| p.uri = "/mcp/".parse().unwrap()),
            Err(Refusal::Path)
        );
        assert_eq!(
            head(set("origin", "http://example.org")),
            Err(Refusal::Origin)
        );
        assert_eq!(head(set("origin", "http://localhost:3000")), Ok(()));
        assert_eq!(head(|p| p.method = Method::GET), Err(Refusal::HttpMethod));
        assert_eq!(head(set("accept", "text/html")), Err(Refusal::Accept));
        assert_eq!(
            head(set("content-type", "text/plain")),
            Err(Refusal::ContentType)
        );
        assert_eq!(head(set("authorization", "Bearer x")), Ok(()));
        let twice = |p: &mut request::Parts| {
            p.headers
                .append("authorization", "Bearer a".parse().unwrap());
            p.headers
                .append("authorization", "Bearer b".parse().unwrap());
        };
        assert_eq!(head(twice), Err(Refusal::Authorization));
    }

    #[test]
    fn the_content_type_may_carry_parameters_but_no_other_charset() {
        for good in [
            "application/json;charset=utf-8",
            "Application/JSON; charset=\"UTF-8\"; a=b",
        ] {
            assert_eq!(head(set("content-type", good)), Ok(()), "{good}");
        }
        for bad in [
            "application/json; charset=latin1",
            "application/jsonp",
            "json",
            "",
        ] {
            assert_eq!(
                head(set("content-type", bad)),
                Err(Refusal::ContentType),
                "{bad}"
            );
        }
    }

    #[test]
    fn the_first_fault_wins() {
        let all = |p: &mut request::Parts| {
            p.method = Method::DELETE;
            p.headers.clear();
            p.headers.insert("origin", "null".parse().unwrap());
        };
        assert_eq!(head(all), Err(Refusal::Origin));
    }
}
