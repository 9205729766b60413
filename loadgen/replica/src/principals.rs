//! Who may call, by bearer token.

mod file;
mod token;

use std::collections::HashMap;
use std::fmt;

use sha2::{Digest as _, Sha256};

pub use file::PrincipalsError;
pub(crate) use token::{TokenFault, bearer};

use crate::surface::Tool;

/// A table of access tokens: whose they are, and which tools they may call.
///
/// Tokens are kept and found by their SHA-256 alone, so how long a look-up takes says nothing about
/// a token that is nearly right.
#[derive(Clone, Default)]
pub struct Principals {
    all: Vec<Principal>,
    /// Index into `all`.
    by_token: HashMap<TokenHash, usize>,
}

type TokenHash = [u8; 32];

#[derive(Debug, Clone)]
struct Principal {
    name: String,
    /// `None` may call all.
    tools: Option<Vec<Tool>>,
}

/// A principal of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PrincipalId(usize);

impl Principals {
    /// Reads a table in TOML:
    ///
    /// ```toml
    /// [[principal]]
    /// name = "alice"
    /// tokens = ["a-token", "the-token-before-it"]
    /// tools = ["echo"] # may be left out: then all tools
    /// ```
    ///
    /// # Errors
    /// When it is no such table: a key is unknown, missing or of another type, a name or token is
    /// empty or given twice, a token has characters that no header can carry, or there is no such
    /// tool. The error names the line or the key, never a token.
    pub fn parse(text: &str) -> Result<Self, PrincipalsError> {
        file::parse(text)
    }

    /// How many principals there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether nobody may call.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn by_token(&self, token: &str) -> Option<PrincipalId> {
        self.by_token.get(&hash(token)).copied().map(PrincipalId)
    }

    pub(crate) fn name(&self, principal: PrincipalId) -> &str {
        &self.all[principal.0].name
    }

    pub(crate) fn may_call(&self, principal: PrincipalId, tool: Tool) -> bool {
        let tools = &self.all[principal.0].tools;
        tools.as_ref().is_none_or(|tools| tools.contains(&tool))
    }
}

/// Shows who is in the table, not their tokens.
impl fmt::Debug for Principals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

fn hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}
