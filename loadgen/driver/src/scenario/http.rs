use serde::Deserialize;
use toml::Spanned;

/// `[http]`: how requests travel.
#[derive(Debug, Default, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HttpTable {
    /// `1.1` (default) or `2`: by ALPN over TLS, with prior knowledge otherwise.
    #[serde(default)]
    pub version: Option<Spanned<String>>,
    /// Whether connections are used for more than one request. Absent: true.
    #[serde(default)]
    pub reuse: Option<bool>,
    /// A connection that carried nothing for so many seconds is not used again. Absent: no limit.
    #[serde(default)]
    pub idle_timeout_s: Option<Spanned<f64>>,
    /// Whether a request is sent again, once, when its kept-alive connection was closed before
    /// anything was received. Absent: false.
    #[serde(default)]
    pub resend_stale: Option<Spanned<bool>>,
    /// The local addresses that connections come from, in turn. Absent: what the system chooses.
    #[serde(default)]
    pub source: Option<Spanned<Vec<Spanned<String>>>>,
    /// PEM file of the certificates that are trusted instead of the system's, from the folder of
    /// the scenario. Absent: the system's.
    #[serde(default)]
    pub ca: Option<Spanned<String>>,
    /// Whether any certificate is believed. Absent: false.
    #[serde(default)]
    pub insecure: Option<Spanned<bool>>,
}
