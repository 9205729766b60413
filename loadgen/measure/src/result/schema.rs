use super::run::RunResult;
use crate::json;

/// The JSON Schema (2020-12) of a result file, as text that ends in a newline. The committed
/// copy is `schema/result-v1.schema.json`.
pub fn result_schema() -> String {
    json::schema::<RunResult>()
}
