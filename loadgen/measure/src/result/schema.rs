use schemars::schema_for;

use super::run::RunResult;

/// The JSON Schema (2020-12) of a result file, as text that ends in a newline. The committed
/// copy is `schema/result-v1.schema.json`.
pub fn result_schema() -> String {
    let schema = schema_for!(RunResult);
    let mut text =
        serde_json::to_string_pretty(&schema).expect("a schema is made of plain JSON values");
    text.push('\n');
    text
}
