use http::header::ALLOW;
use http::{HeaderName, Method, request};

use crate::http::accept;
use crate::http::fields::{Field, Fields};
use crate::http::hosts::Hosts;
use crate::http::origin::Origins;
use crate::principals::{PrincipalId, Principals, TokenFault, bearer};
use crate::refusal::Refusal;
use crate::surface::Item;

/// The endpoint's path.
pub(crate) const PATH: &str = "/mcp";

/// The header that names the methods of a 405, and its value.
pub(crate) const ALLOWED: (HeaderName, &str) = (ALLOW, "POST");

/// What requests are made of.
const JSON: &str = "application/json";

/// Who may come in.
pub(crate) struct Gate {
    pub(crate) hosts: Hosts,
    pub(crate) origins: Origins,
    pub(crate) principals: Option<Principals>,
}

/// Who came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Anybody: there is no table.
    Anybody,
    Known(PrincipalId),
}

/// What is known of a request from its head, once it came in.
#[derive(Clone, Copy)]
pub(crate) struct Head<'h> {
    pub(crate) caller: Caller,
    pub(crate) fields: &'h Fields<'h>,
}

impl Gate {
    /// Judges a request by its head alone, before its body is read: path, host, origin, method, reply
    /// forms, content type, authorization. The first fault is the answer.
    pub(crate) fn check(
        &self,
        head: &request::Parts,
        fields: &Fields<'_>,
    ) -> Result<Caller, Refusal> {
        if head.uri.path() != PATH {
            return Err(Refusal::Path);
        }
        self.hosts.check(head, fields.host)?;
        if !self.origins.allow_all_of(fields) {
            return Err(Refusal::Origin);
        }
        if head.method != Method::POST {
            return Err(Refusal::HttpMethod);
        }
        if !accept::covers_both(fields) {
            return Err(Refusal::Accept);
        }
        if !is_json(fields.content_type) {
            return Err(Refusal::ContentType);
        }
        self.caller(fields.authorization)
    }

    fn caller(&self, authorization: Field<'_>) -> Result<Caller, Refusal> {
        if let Some(table) = &self.principals {
            let token = bearer(authorization).map_err(Refusal::Token)?;
            let known = table.by_token(token).map(Caller::Known);
            return known.ok_or(Refusal::Token(TokenFault::Unknown));
        }
        if authorization != Field::Missing && authorization.text().is_none() {
            return Err(Refusal::Authorization);
        }
        Ok(Caller::Anybody)
    }

    /// The name of who came in: the table's, or without one the whole Authorization field as it came,
    /// which nothing verifies. `None` when there is none either.
    pub(crate) fn name<'a>(&'a self, head: Head<'a>) -> Option<&'a str> {
        match (head.caller, &self.principals) {
            (Caller::Known(principal), Some(table)) => Some(table.name(principal)),
            _ => head.fields.authorization.text(),
        }
    }

    /// Whether the caller may use this item. Only tools can be kept from somebody.
    pub(crate) fn permits(&self, caller: Caller, item: Item<'_>) -> bool {
        match (caller, &self.principals, item) {
            (Caller::Known(principal), Some(table), Item::Tool(tool)) => {
                table.may_call(principal, tool)
            }
            _ => true,
        }
    }
}

/// `application/json`, with UTF-8 if a charset is named.
fn is_json(content_type: Field<'_>) -> bool {
    let Some(value) = content_type.once() else {
        return false;
    };
    if value == JSON {
        return true;
    }
    let Ok(value) = value.to_str() else {
        return false;
    };
    let mut parts = value.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case(JSON));
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;
    use crate::surface::{Prompt, Tool};

    fn gate(principals: Option<&str>) -> Gate {
        Gate {
            hosts: Hosts::default(),
            origins: Origins::default(),
            principals: principals.map(|table| Principals::parse(table).unwrap()),
        }
    }

    fn head(change: impl FnOnce(&mut request::Parts)) -> Result<(), Refusal> {
        ask(&gate(None), change).map(|caller| assert_eq!(caller, Caller::Anybody))
    }

    fn ask(gate: &Gate, change: impl FnOnce(&mut request::Parts)) -> Result<Caller, Refusal> {
        let (mut parts, ()) = http::Request::post(PATH)
            .header("host", "localhost")
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(())
            .unwrap()
            .into_parts();
        change(&mut parts);
        gate.check(&parts, &Fields::of(&parts.headers))
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
    fn with_a_table_only_its_tokens_come_in_and_under_its_names() {
        let table = r#"
            [[principal]]
            name = "alice"
            tokens = ["a"]
            tools = ["echo"]
        "#;
        let gate = gate(Some(table));
        let token = |fault| Err(Refusal::Token(fault));
        assert_eq!(ask(&gate, |_| ()), token(TokenFault::Missing));
        let unknown = ask(&gate, set("authorization", "Bearer b"));
        assert_eq!(unknown, token(TokenFault::Unknown));
        let alice = ask(&gate, set("authorization", "bearer a")).unwrap();
        let headers = HeaderMap::new();
        let fields = &Fields::of(&headers);
        let caller = alice;
        assert_eq!(gate.name(Head { caller, fields }), Some("alice"));
        assert!(gate.permits(alice, Item::Tool(Tool::Echo)));
        assert!(!gate.permits(alice, Item::Tool(Tool::Wizard)));
        assert!(gate.permits(alice, Item::Prompt(Prompt::Briefing)));
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
            p.headers.insert("host", "localhost".parse().unwrap());
            p.headers.insert("origin", "null".parse().unwrap());
        };
        assert_eq!(head(all), Err(Refusal::Origin));
        let host = |p: &mut request::Parts| {
            all(p);
            p.headers.insert("host", "example.org".parse().unwrap());
        };
        assert_eq!(head(host), Err(Refusal::Host));
    }
}
