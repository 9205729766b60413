use serde::Deserialize;
use toml::{Spanned, Table};

/// One `[[workflow]]` of the mix: exactly one of `tool`, `prompt` and `resource`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct WorkflowTable {
    /// Name in results. Absent: the tool, prompt or resource.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// Share of the mix against the other weights. Absent: 1.
    #[serde(default)]
    pub weight: Option<Spanned<f64>>,
    /// Tool to call.
    #[serde(default)]
    pub tool: Option<Spanned<String>>,
    /// Prompt to render.
    #[serde(default)]
    pub prompt: Option<Spanned<String>>,
    /// Resource to read, by address.
    #[serde(default)]
    pub resource: Option<Spanned<String>>,
    /// Arguments of the tool or prompt; strings may hold templates. Absent: none are sent.
    #[serde(default)]
    pub arguments: Option<Spanned<Table>>,
    /// Text that a whole result has to hold, or it is no success. Absent: none is looked for.
    #[serde(default)]
    pub expect_text: Option<Spanned<String>>,
    /// Time a user takes to answer a question, in seconds. Absent: 0.
    #[serde(default)]
    pub think_s: Option<Spanned<f64>>,
    /// The same by a distribution, instead of `think_s`.
    #[serde(default)]
    pub think: Option<Spanned<ThinkTable>>,
    /// Probability, 0 to 1, that a user who is asked something leaves instead of answering. Absent: 0.
    #[serde(default)]
    pub abandon: Option<Spanned<f64>>,
    /// Closes the connection of a request that has no reply after this time, in seconds. Absent: never.
    #[serde(default)]
    pub disconnect_after_s: Option<Spanned<f64>>,
    /// Share of the requests that do so, 0 to 1. Absent: 1, with `disconnect_after_s`.
    #[serde(default)]
    pub disconnect: Option<Spanned<f64>>,
    /// Breaks every state before it is sent back, as faulty clients do: `cut`, `newline`,
    /// `percent-encoded`, `base64`, `omitted` or `invented`. Absent: states are sent back as they came.
    #[serde(default)]
    pub break_state: Option<Spanned<String>>,
    /// Which replica gets a round of this kind. Absent: as `spread` of `[load]` says.
    #[serde(default)]
    pub spread: Option<Spanned<String>>,
    /// How many requests carry each state back at once, to different replicas where there are as many; 2
    /// to 16. Absent: one.
    #[serde(default)]
    pub replay: Option<Spanned<u16>>,
    /// How questions are answered. Absent: every one is accepted, with values made from its schema.
    #[serde(default)]
    pub answers: Option<AnswersTable>,
}

/// `think`: a distribution of times. What a draw gives below 0 is taken as 0.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ThinkTable {
    /// `fixed`, `uniform`, `normal`, `exponential` or `lognormal`.
    pub kind: Spanned<String>,
    /// The time of `fixed`, in seconds.
    #[serde(default)]
    pub time_s: Option<f64>,
    /// The lower end of `uniform`, in seconds.
    #[serde(default)]
    pub low_s: Option<f64>,
    /// The upper end of `uniform`, in seconds.
    #[serde(default)]
    pub high_s: Option<f64>,
    /// The mean of `normal` and `exponential`, in seconds.
    #[serde(default)]
    pub mean_s: Option<f64>,
    /// The standard deviation of `normal`, in seconds.
    #[serde(default)]
    pub deviation_s: Option<f64>,
    /// The median of `lognormal`, in seconds.
    #[serde(default)]
    pub median_s: Option<f64>,
    /// The standard deviation of the natural logarithm, of `lognormal`.
    #[serde(default)]
    pub sigma: Option<f64>,
    /// Longer times are taken as this one, in seconds. Absent: a week.
    #[serde(default)]
    pub most_s: Option<Spanned<f64>>,
}

/// `[workflow.answers]`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AnswersTable {
    /// Weight of accepting a question. Absent: 1, or 0 when another weight is given.
    #[serde(default)]
    pub accept: Option<Spanned<f64>>,
    /// Weight of declining it. Absent: 0.
    #[serde(default)]
    pub decline: Option<Spanned<f64>>,
    /// Weight of cancelling it. Absent: 0.
    #[serde(default)]
    pub cancel: Option<Spanned<f64>>,
    /// Weight of a workflow that sends its answers with the first request, before it is asked. Absent: 0.
    #[serde(default)]
    pub up_front: Option<Spanned<f64>>,
    /// What it sends: the fields of forms, by the key of the question.
    #[serde(default)]
    pub up_front_fields: Option<Spanned<Table>>,
    /// Share of the optional fields that are filled, 0 to 1. Absent: 1.
    #[serde(default)]
    pub optional: Option<Spanned<f64>>,
    /// Fixed values of fields, by name, or by `key.name` for one question only.
    #[serde(default)]
    pub fields: Option<Spanned<Table>>,
    /// What a sampling question is answered with. Absent: `A canned answer.`
    #[serde(default)]
    pub sampling: Option<String>,
    /// What a roots question is answered with. Absent: `file:///loadgen`.
    #[serde(default)]
    pub roots: Option<Vec<Spanned<String>>>,
}
