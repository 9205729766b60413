use std::borrow::Cow;

use loadgen_protocol::header_value;
use loadgen_protocol::names::{header, method};

use crate::http::fields::{Field, Fields};
use crate::refusal::Refusal;

/// Checks that the headers say what the body says, since something on the way may have routed by
/// them: version, method and, where the method names something, that name behind its sentinel.
/// A header that is missing, repeated, outside visible ASCII or undecodable is refused alike.
pub(crate) fn check(
    fields: &Fields<'_>,
    version: &str,
    method: &str,
    target: Option<&str>,
) -> Result<(), Refusal> {
    plain(fields.version, header::PROTOCOL_VERSION, version)?;
    plain(fields.method, header::METHOD, method)?;
    let Some(target) = target else {
        return Ok(());
    };
    if !target.starts_with("=?") && says(fields.name, target) {
        return Ok(());
    }
    let value = single(fields.name, header::NAME)?;
    match header_value::decode(value.as_bytes()) {
        Err(why) => Err(Refusal::Header(format!("{}: {why}", header::NAME))),
        Ok(decoded) if decoded == target => Ok(()),
        Ok(_) => Err(differs(header::NAME)),
    }
}

/// Whether the headers say that this is to open a subscription.
pub(crate) fn is_listen(fields: &Fields<'_>) -> bool {
    fields.method.is(method::LISTEN)
}

/// The name in the headers, decoded; `None` when there is none that could be right.
pub(crate) fn name<'h>(fields: &Fields<'h>) -> Option<Cow<'h, str>> {
    header_value::decode(fields.name.once()?.as_bytes()).ok()
}

fn plain(field: Field<'_>, name: &str, want: &str) -> Result<(), Refusal> {
    if says(field, want) || single(field, name)? == want {
        Ok(())
    } else {
        Err(differs(name))
    }
}

/// Whether the header says this as it is: what nearly every request has, and the quickest to see.
fn says(field: Field<'_>, want: &str) -> bool {
    want.is_ascii() && field.is(want)
}

fn single<'h>(field: Field<'h>, name: &str) -> Result<&'h str, Refusal> {
    field
        .text()
        .ok_or_else(|| Refusal::Header(format!("{name} must be there once, in visible ASCII")))
}

fn differs(name: &str) -> Refusal {
    Refusal::Header(format!("{name} differs from the body"))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    fn check(
        headers: &HeaderMap,
        version: &str,
        method: &str,
        target: Option<&str>,
    ) -> Result<(), Refusal> {
        super::check(&Fields::of(headers), version, method, target)
    }

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
