use crate::arguments::ArgumentsDigest;
use crate::sha256;

/// What a token is for. It opens only for a request that gives the same fields.
#[derive(Clone, Copy, Debug)]
pub struct BindingFields<'a> {
    /// The fleet or service that minted the token: two services that share keys stay apart.
    pub audience: &'a str,
    /// The request's method, such as `tools/call`.
    pub method: &'a str,
    /// The tool's or prompt's name, or the resource's URI.
    pub target: &'a str,
    /// The digest of the request's arguments.
    pub arguments: ArgumentsDigest,
    /// Who asks. `None` (nobody logged in) is not the same as the empty name.
    pub principal: Option<&'a str>,
}

/// The 32-byte digest of [`BindingFields`]: authenticated with every token, never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding([u8; Self::BYTES]);

impl Binding {
    /// Bytes of a binding.
    pub const BYTES: usize = 32;

    /// SHA-256 over the label `lg-bind1` and the fields, each behind its length in bytes (u32, big
    /// endian), the principal behind a presence byte, so that no two different sets of fields give
    /// one input. The digest of the arguments has a fixed length and no prefix.
    ///
    /// # Panics
    /// When a field is 4 GiB or longer.
    pub fn new(fields: &BindingFields<'_>) -> Self {
        let named = [fields.audience, fields.method, fields.target].map(Prefixed::new);
        let principal = fields.principal.map(Prefixed::new);
        let mut parts: [&[u8]; 11] = [b""; 11];
        parts[0] = b"lg-bind1";
        for (i, field) in named.iter().enumerate() {
            (parts[1 + 2 * i], parts[2 + 2 * i]) = (&field.len, field.text);
        }
        parts[7] = fields.arguments.as_bytes();
        parts[8] = &[0];
        if let Some(principal) = &principal {
            parts[8] = &[1];
            (parts[9], parts[10]) = (&principal.len, principal.text);
        }
        Self(sha256::of(&parts))
    }

    /// The digest itself.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// A field and the length that goes before it.
struct Prefixed<'a> {
    len: [u8; 4],
    text: &'a [u8],
}

impl<'a> Prefixed<'a> {
    fn new(text: &'a str) -> Self {
        let len = u32::try_from(text.len()).expect("no field of a request is 4 GiB long");
        Self {
            len: len.to_be_bytes(),
            text: text.as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> BindingFields<'static> {
        BindingFields {
            audience: "harbour",
            method: "tools/call",
            target: "book_berth",
            arguments: ArgumentsDigest::exact(b"{}"),
            principal: Some("mara"),
        }
    }

    #[test]
    fn every_field_changes_the_binding() {
        let f = fields();
        let all = [
            f,
            BindingFields {
                audience: "harbou",
                ..f
            },
            BindingFields {
                method: "prompts/get",
                ..f
            },
            BindingFields {
                target: "book_berth ",
                ..f
            },
            BindingFields {
                arguments: ArgumentsDigest::exact(b"{ }"),
                ..f
            },
            BindingFields {
                arguments: ArgumentsDigest::none(),
                ..f
            },
            BindingFields {
                principal: Some("mar"),
                ..f
            },
            BindingFields {
                principal: Some(""),
                ..f
            },
            BindingFields {
                principal: None,
                ..f
            },
        ];
        let bindings: std::collections::HashSet<_> = all.iter().map(Binding::new).collect();
        assert_eq!(bindings.len(), all.len());
    }

    #[test]
    fn text_moved_between_neighbouring_fields_changes_the_binding() {
        let a = BindingFields {
            audience: "ab",
            method: "c",
            ..fields()
        };
        let b = BindingFields {
            audience: "a",
            method: "bc",
            ..fields()
        };
        assert_ne!(Binding::new(&a), Binding::new(&b));
    }
}
