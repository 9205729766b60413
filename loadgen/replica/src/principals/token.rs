use crate::http::fields::Field;

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenFault {
    /// There is no bearer token.
    Missing,
    /// The field is not written as one.
    Malformed,
    /// Nobody has this token.
    Unknown,
}

/// The token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1).
pub(crate) fn bearer(authorization: Field<'_>) -> Result<&str, TokenFault> {
    if authorization == Field::Missing {
        return Err(TokenFault::Missing);
    }
    let field = authorization.text().ok_or(TokenFault::Malformed)?;
    let (scheme, token) = field.split_once(' ').unwrap_or((field, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(TokenFault::Missing);
    }
    let token = token.trim_matches(' ');
    if is_token(token) {
        Ok(token)
    } else {
        Err(TokenFault::Malformed)
    }
}

/// `b64token` of RFC 6750: letters, digits and `-._~+/`, then any number of `=`.
pub(super) fn is_token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let known = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/".contains(&b);
    !body.is_empty() && body.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use http::header::AUTHORIZATION;

    use super::*;
    use crate::http::fields::Fields;

    fn token(fields: &[&str]) -> Result<String, TokenFault> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(AUTHORIZATION, field.parse().unwrap());
        }
        bearer(Fields::of(&headers).authorization).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_read_in_any_case() {
        for field in [
            "Bearer a-1._~+/==",
            "bearer a-1._~+/==",
            "BEARER  a-1._~+/==",
        ] {
            assert_eq!(token(&[field]).as_deref(), Ok("a-1._~+/=="), "{field}");
        }
    }

    #[test]
    fn what_is_no_bearer_token_is_told_from_a_bad_one() {
        assert_eq!(token(&[]), Err(TokenFault::Missing));
        assert_eq!(token(&["Basic YTpi"]), Err(TokenFault::Missing));
        assert_eq!(token(&["Bearera"]), Err(TokenFault::Missing));
        for bad in [
            "Bearer",
            "Bearer ",
            "Bearer a b",
            "Bearer ==",
            "Bearer a=b",
            "Bearer \"a\"",
        ] {
            assert_eq!(token(&[bad]), Err(TokenFault::Malformed), "{bad}");
        }
        let twice = ["Bearer a", "Bearer a"];
        assert_eq!(token(&twice), Err(TokenFault::Malformed));
    }
}
