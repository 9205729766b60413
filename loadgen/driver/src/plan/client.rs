use std::path::{Path, PathBuf};

use hyper::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use loadgen_protocol::names::header;
use loadgen_protocol::{ClientCapabilities, ElicitationCapability, Marker};
use toml::Spanned;

use super::check::Check;
use super::principals::Principals;
use crate::scenario::{ClientTable, ScenarioError};

/// Who the generator says it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientPlan {
    /// Name in `clientInfo`.
    pub name: String,
    /// Version in `clientInfo`.
    pub version: String,
    /// What it declares that it can answer.
    pub capabilities: ClientCapabilities,
    /// Further headers of every request, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Whose tokens it shows.
    pub principals: Principals,
    /// Whether requests carry a W3C trace context.
    pub trace_context: bool,
}

impl Default for ClientPlan {
    fn default() -> Self {
        Self {
            name: "loadgen".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: ClientCapabilities::all(),
            headers: Vec::new(),
            principals: Principals::default(),
            trace_context: false,
        }
    }
}

impl Check<'_> {
    pub(super) fn client(&self, table: &ClientTable) -> Result<ClientPlan, ScenarioError> {
        let usual = ClientPlan::default();
        let text = |value: &Option<Spanned<String>>, usual: String| {
            value.as_ref().map_or(usual, |text| text.get_ref().clone())
        };
        let headers = self.headers(table)?;
        Ok(ClientPlan {
            name: text(&table.name, usual.name),
            version: text(&table.version, usual.version),
            capabilities: match &table.capabilities {
                None => usual.capabilities,
                Some(list) => self.capabilities(list.get_ref())?,
            },
            headers,
            principals: self.principals(table)?,
            trace_context: table.trace_context.unwrap_or(false),
        })
    }

    fn capabilities(&self, names: &[Spanned<String>]) -> Result<ClientCapabilities, ScenarioError> {
        let mut declared = ClientCapabilities::default();
        let mark = || Some(Marker::new());
        for name in names {
            match name.get_ref().as_str() {
                "elicitation" => {
                    declared.elicitation.get_or_insert_default();
                }
                "form" => elicitation(&mut declared).form = mark(),
                "url" => elicitation(&mut declared).url = mark(),
                "sampling" => {
                    declared.sampling.get_or_insert_default();
                }
                "sampling.tools" => {
                    let sampling = declared.sampling.get_or_insert_default();
                    sampling.insert("tools".to_owned(), Marker::new().into());
                }
                "roots" => declared.roots = mark(),
                _ => {
                    return Err(self.wrong(
                        name,
                        "a capability is `elicitation` (an empty object, which means form), `form`, \
                         `url`, `sampling`, `sampling.tools` or `roots`",
                    ));
                }
            }
        }
        Ok(declared)
    }

    fn headers(&self, table: &ClientTable) -> Result<Vec<(String, String)>, ScenarioError> {
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in table.headers.iter().flatten() {
            let Ok(parsed) = HeaderName::try_from(name.get_ref().as_str()) else {
                return Err(self.wrong(name, "a header's name is letters, digits and `-`"));
            };
            if is_taken(&parsed, table) {
                return Err(self.wrong(
                    name,
                    "this header is made by the generator and cannot be given",
                ));
            }
            if headers.iter().any(|(other, _)| other == parsed.as_str()) {
                return Err(self.wrong(name, "this header is given twice"));
            }
            if HeaderValue::from_str(value.get_ref()).is_err() || !value.get_ref().is_ascii() {
                return Err(self.wrong(
                    value,
                    "a header's value is visible ASCII characters and spaces",
                ));
            }
            headers.push((parsed.as_str().to_owned(), value.get_ref().clone()));
        }
        Ok(headers)
    }

    fn principals(&self, table: &ClientTable) -> Result<Principals, ScenarioError> {
        match (&table.tokens_file, &table.tokens_command) {
            (None, None) => Ok(Principals::default()),
            (Some(file), None) => Principals::from_file(&self.beside(file.get_ref()))
                .map_err(|why| self.wrong(file, &why)),
            (None, Some(command)) => {
                let Some((program, arguments)) = command.get_ref().split_first() else {
                    return Err(self.wrong(
                        command,
                        "tokens_command is a program and its arguments, as in [\"./tokens\", \"10\"]",
                    ));
                };
                Ok(Principals::from_command(
                    program,
                    arguments,
                    self.folder().to_owned(),
                ))
            }
            (Some(_), Some(command)) => {
                Err(self.wrong(command, "give `tokens_file` or `tokens_command`, not both"))
            }
        }
    }

    /// The folder that holds the scenario.
    pub(super) fn folder(&self) -> &Path {
        Path::new(self.source.file())
            .parent()
            .unwrap_or(Path::new(""))
    }

    /// A file that the scenario names, from its own folder on.
    pub(super) fn beside(&self, file: &str) -> PathBuf {
        self.folder().join(file)
    }
}

fn elicitation(declared: &mut ClientCapabilities) -> &mut ElicitationCapability {
    declared.elicitation.get_or_insert_default()
}

/// Headers whose value the request itself decides. `Accept` is not among them: what a server makes of
/// another one may be what a scenario is about.
fn is_taken(name: &HeaderName, table: &ClientTable) -> bool {
    let transport = [
        &HOST,
        &CONTENT_LENGTH,
        &CONTENT_TYPE,
        &CONNECTION,
        &TE,
        &TRAILER,
        &TRANSFER_ENCODING,
        &UPGRADE,
    ];
    let tokens = table.tokens_file.is_some() || table.tokens_command.is_some();
    debug_assert!(!transport.contains(&&ACCEPT));
    transport.contains(&name)
        || [
            header::PROTOCOL_VERSION,
            header::METHOD,
            header::NAME,
            header::SESSION_ID,
        ]
        .iter()
        .any(|taken| name.as_str().eq_ignore_ascii_case(taken))
        || name.as_str().starts_with("mcp-param-")
        || (name == AUTHORIZATION && tokens)
        || (name.as_str() == "traceparent" && table.trace_context == Some(true))
}
