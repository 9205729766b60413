use sha2::{Digest, Sha256};

use crate::arguments::ArgumentsDigest;

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

    /// SHA-256 over a label and the fields, each behind its length in bytes (u64, big endian), the
    /// principal behind a presence byte, so that no two different sets of fields give one input.
    pub fn new(fields: &BindingFields<'_>) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"loadgen requestState binding 1\0");
        for field in [fields.audience, fields.method, fields.target] {
            feed(&mut hash, field.as_bytes());
        }
        hash.update(fields.arguments.as_bytes());
        match fields.principal {
            None => hash.update([0]),
            Some(principal) => {
                hash.update([1]);
                feed(&mut hash, principal.as_bytes());
            }
        }
        Self(hash.finalize().into())
    }

    /// The digest itself.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

fn feed(hash: &mut Sha256, field: &[u8]) {
    hash.update((field.len() as u64).to_be_bytes());
    hash.update(field);
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
