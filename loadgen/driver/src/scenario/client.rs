use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// `[client]`: who the generator says it is.
#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ClientTable {
    /// Name in `clientInfo`. Absent: `loadgen`.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// Version in `clientInfo`. Absent: that of the program.
    #[serde(default)]
    pub version: Option<Spanned<String>>,
    /// What it declares that it can answer: any of `elicitation`, `form`, `url`, `sampling`,
    /// `sampling.tools` and `roots`. Absent: `form`, `url`, `sampling` and `roots`.
    #[serde(default)]
    pub capabilities: Option<Spanned<Vec<Spanned<String>>>>,
    /// Further headers of every request.
    #[serde(default)]
    pub headers: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
    /// A file of bearer tokens, one a line, from the folder of the scenario on. Each workflow keeps
    /// one of them.
    #[serde(default)]
    pub tokens_file: Option<Spanned<String>>,
    /// A program and its arguments that prints the tokens instead, run once before the load.
    #[serde(default)]
    pub tokens_command: Option<Spanned<Vec<String>>>,
    /// Whether requests carry a W3C trace context. Absent: no.
    #[serde(default)]
    pub trace_context: Option<bool>,
}
