use serde::Deserialize;
use toml::Spanned;

/// `[throttle]`: what a workflow does when a rate limit refuses it, and whether failed rounds are
/// sent again.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ThrottleTable {
    /// `ignore` (default), `honour` or `probe`.
    #[serde(default)]
    pub on: Option<Spanned<String>>,
    /// Other endings after which a round is attempted again: `5xx`, `timeout`, `connect`. Absent:
    /// none.
    #[serde(default)]
    pub retry_on: Option<Vec<Spanned<String>>>,
    /// Most attempts of one round, the first included; 2 to 1000. Absent: 3.
    #[serde(default)]
    pub max_attempts: Option<Spanned<u16>>,
    /// Longest wait that is taken, in seconds. Absent: 60.
    #[serde(default)]
    pub max_wait_s: Option<Spanned<f64>>,
    /// Up to so much is added to a wait that was told, in seconds. Absent: 1.
    #[serde(default)]
    pub jitter_s: Option<Spanned<f64>>,
    /// Waits where none was told.
    #[serde(default)]
    pub back_off: Option<Spanned<BackOffTable>>,
    /// What new attempts may cost. Absent: nothing limits them but `max_attempts`.
    #[serde(default)]
    pub budget: Option<Spanned<BudgetTable>>,
    /// The rate that the target is meant to admit to this run, in requests per second. Absent:
    /// the admitted rate is compared with none.
    #[serde(default)]
    pub limit_per_s: Option<Spanned<f64>>,
    /// Texts that mark a success as a refusal. Absent: none.
    #[serde(default)]
    pub result_text: Option<Vec<Spanned<String>>>,
}

/// `back_off` of `[throttle]`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct BackOffTable {
    /// The first wait is at most this, in seconds. Absent: 1.
    #[serde(default)]
    pub base_s: Option<Spanned<f64>>,
    /// No wait is longer than this, in seconds. Absent: 20.
    #[serde(default)]
    pub cap_s: Option<Spanned<f64>>,
}

/// `budget` of `[throttle]`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct BudgetTable {
    /// Tokens at the start, and the most there ever are. Absent: 500.
    #[serde(default)]
    pub tokens: Option<Spanned<f64>>,
    /// Tokens that a new attempt costs. Absent: 5.
    #[serde(default)]
    pub cost: Option<Spanned<f64>>,
    /// Tokens that a round that ends well gives back. Absent: 1.
    #[serde(default)]
    pub refund: Option<Spanned<f64>>,
}
