use http::{HeaderMap, HeaderValue};
use loadgen_protocol::names::header;

/// The header fields that every request is judged by, found in one pass: to look each of them up
/// would hash every name anew.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'h> {
    pub(crate) host: Field<'h>,
    pub(crate) origin: Field<'h>,
    pub(crate) accept: Field<'h>,
    pub(crate) content_type: Field<'h>,
    pub(crate) authorization: Field<'h>,
    pub(crate) expect: Field<'h>,
    /// `MCP-Protocol-Version`.
    pub(crate) version: Field<'h>,
    /// `Mcp-Method`.
    pub(crate) method: Field<'h>,
    /// `Mcp-Name`.
    pub(crate) name: Field<'h>,
    /// These and all others.
    pub(crate) all: &'h HeaderMap,
}

/// A field that should come at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field<'h> {
    Missing,
    Once(&'h HeaderValue),
    Repeated,
}

impl<'h> Fields<'h> {
    pub(crate) fn of(all: &'h HeaderMap) -> Self {
        let mut fields = Self {
            host: Field::Missing,
            origin: Field::Missing,
            accept: Field::Missing,
            content_type: Field::Missing,
            authorization: Field::Missing,
            expect: Field::Missing,
            version: Field::Missing,
            method: Field::Missing,
            name: Field::Missing,
            all,
        };
        for (name, value) in all {
            let field = match name.as_str() {
                "host" => &mut fields.host,
                "origin" => &mut fields.origin,
                "accept" => &mut fields.accept,
                "content-type" => &mut fields.content_type,
                "authorization" => &mut fields.authorization,
                "expect" => &mut fields.expect,
                header::PROTOCOL_VERSION => &mut fields.version,
                header::METHOD => &mut fields.method,
                header::NAME => &mut fields.name,
                _ => continue,
            };
            *field = match field {
                Field::Missing => Field::Once(value),
                Field::Once(_) | Field::Repeated => Field::Repeated,
            };
        }
        fields
    }

    /// Whether the client waits for a go-ahead before it sends the body.
    pub(crate) fn wait(&self) -> bool {
        match self.expect {
            Field::Missing => false,
            Field::Once(value) => is_continue(value),
            Field::Repeated => self.all.get("expect").is_some_and(is_continue),
        }
    }
}

impl<'h> Field<'h> {
    /// The only value; `None` when the field is missing or repeated.
    pub(crate) fn once(self) -> Option<&'h HeaderValue> {
        match self {
            Self::Once(value) => Some(value),
            Self::Missing | Self::Repeated => None,
        }
    }

    /// The only value; `None` also when it is no visible ASCII.
    pub(crate) fn text(self) -> Option<&'h str> {
        self.once()?.to_str().ok()
    }

    /// Whether this is the only value.
    pub(crate) fn is(self, text: &str) -> bool {
        self.once().is_some_and(|value| value == text)
    }
}

fn is_continue(value: &HeaderValue) -> bool {
    value.as_bytes().eq_ignore_ascii_case(b"100-continue")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_found_under_its_own_name() {
        let mut headers = HeaderMap::new();
        let names = [
            "host",
            "origin",
            "accept",
            "content-type",
            "authorization",
            "expect",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "x-other",
        ];
        for name in names {
            headers.insert(name, HeaderValue::from_static(name));
        }
        let f = Fields::of(&headers);
        let found = [
            f.host,
            f.origin,
            f.accept,
            f.content_type,
            f.authorization,
            f.expect,
            f.version,
            f.method,
            f.name,
        ];
        assert_eq!(
            found.map(Field::text),
            std::array::from_fn(|n| Some(names[n]))
        );
        assert_eq!(f.all.len(), names.len());
    }

    #[test]
    fn a_field_that_comes_twice_has_no_only_value() {
        let mut headers = HeaderMap::new();
        assert_eq!(Fields::of(&headers).host, Field::Missing);
        for _ in 0..2 {
            headers.append("host", HeaderValue::from_static("a"));
        }
        headers.insert("accept", HeaderValue::from_bytes(b"\xff").unwrap());
        let fields = Fields::of(&headers);
        assert_eq!(fields.host, Field::Repeated);
        assert_eq!((fields.host.once(), fields.host.text()), (None, None));
        assert!(fields.accept.once().is_some() && fields.accept.text().is_none());
    }

    #[test]
    fn only_100_continue_waits() {
        let waits = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("expect", HeaderValue::from_static(value));
            }
            Fields::of(&headers).wait()
        };
        assert!(waits(&["100-continue"]) && waits(&["100-Continue", "x"]));
        assert!(!waits(&[]) && !waits(&["x"]) && !waits(&["100-continue, x"]));
    }
}
