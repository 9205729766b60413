use schemars::{JsonSchema, schema_for};
use serde::Serialize;

/// Indented JSON text that ends in a newline.
///
/// # Panics
/// When the value holds what JSON has no form for: of this crate's types none does.
pub(crate) fn text(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value)
        .expect("it holds only strings, numbers and string-keyed maps");
    text.push('\n');
    text
}

/// The JSON Schema (2020-12) of a type, in that form.
pub(crate) fn schema<T: JsonSchema>() -> String {
    text(&schema_for!(T))
}
