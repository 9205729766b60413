use serde::Deserialize;
use toml::Spanned;

/// `[[load.stage]]`: a stretch of a partly open workload with a rate of its own, or a ramp.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct StageTable {
    /// Name in results. Absent: `stage 1`, `stage 2` and so on.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// Whether it only warms up, and is kept apart from headline figures. Absent: no.
    #[serde(default)]
    pub warmup: Option<bool>,
    /// Workflows that arrive per second, at the end of the stage; 0 is a pause.
    pub rate_per_s: Spanned<f64>,
    /// The same at its start, from where the rate runs in a straight line. Absent: `rate_per_s`,
    /// a step.
    #[serde(default)]
    pub from_rate_per_s: Option<Spanned<f64>>,
    /// How long it lasts, in seconds.
    pub duration_s: Spanned<f64>,
}
