use std::borrow::Cow;

use loadgen_protocol::names::{header, meta, method};
use loadgen_protocol::{PROTOCOL_VERSION, header_value};
use serde_json::{Value, json};

use crate::plan::{ClientPlan, Kind};

/// The parts of a kind's requests that never change: made once, spliced into every round.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// From after the id up to the end of `_meta`, without its closing brace.
    pub(super) head: String,
    /// From there up to the arguments, those included that are the same in every workflow.
    pub(super) tail: String,
    /// Headers beside the transport's own, as names and values.
    pub(crate) headers: Vec<(Cow<'static, str>, String)>,
}

impl Template {
    pub(crate) fn new(client: &ClientPlan, kind: &Kind) -> Self {
        let meta = request_meta(client).to_string();
        let name = if kind.method == method::RESOURCES_READ {
            "uri"
        } else {
            "name"
        };
        let mut tail = format!(r#"}},"{name}":{}"#, json!(kind.target));
        if let Some(arguments) = kind.arguments.as_ref().and_then(|given| given.fixed()) {
            tail.push_str(r#","arguments":"#);
            tail.push_str(arguments);
        }
        let mut headers = request_headers(client, kind.method);
        headers.push((
            header::NAME.into(),
            header_value::encode(&kind.target).into_owned(),
        ));
        if let Some(arguments) = kind.arguments.as_ref().and_then(|given| given.fixed()) {
            headers.extend(mirrored(kind, arguments).map(|(name, value)| (name.into(), value)));
        }
        Self {
            head: format!(
                r#","method":"{}","params":{{"_meta":{}"#,
                kind.method,
                &meta[..meta.len() - 1]
            ),
            tail,
            headers,
        }
    }
}

/// The headers that repeat arguments, given as JSON text.
pub(super) fn mirrored(kind: &Kind, arguments: &str) -> impl Iterator<Item = (String, String)> {
    let parsed = if kind.mirrored.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(arguments).expect("arguments are made as JSON")
    };
    kind.mirrored.iter().filter_map(move |mark| {
        let (name, value) = mark.header(&parsed)?;
        Some((name.to_owned(), value))
    })
}

/// `_meta` of a request.
pub(crate) fn request_meta(client: &ClientPlan) -> Value {
    json!({
        meta::PROTOCOL_VERSION: PROTOCOL_VERSION,
        meta::CLIENT_INFO: {"name": client.name, "version": client.version},
        meta::CLIENT_CAPABILITIES: client.capabilities,
    })
}

/// The headers of a request of this method that are the same for whatever it names.
pub(crate) fn request_headers(
    client: &ClientPlan,
    method: &'static str,
) -> Vec<(Cow<'static, str>, String)> {
    let own = [
        (header::PROTOCOL_VERSION.into(), PROTOCOL_VERSION.to_owned()),
        (header::METHOD.into(), method.to_owned()),
    ];
    let further = client.headers.iter();
    own.into_iter()
        .chain(further.map(|(name, value)| (name.clone().into(), value.clone())))
        .collect()
}
