use serde::Deserialize;
use toml::Spanned;

/// `[data]`: rows for `{{row.NAME}}` in the arguments of workflows.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct DataTable {
    /// A `.csv` or `.jsonl` file, from the folder of the scenario on.
    pub file: Spanned<String>,
    /// Which row a workflow gets: `next` (default) or `random`.
    #[serde(default)]
    pub order: Option<Spanned<String>>,
}
