use serde_json::Value;

/// A TOML value as JSON; `None` where JSON has no such value.
pub(super) fn json(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::Number(serde_json::Number::from_f64(*number)?),
        toml::Value::Boolean(truth) => Value::Bool(*truth),
        toml::Value::Datetime(_) => return None,
        toml::Value::Array(list) => Value::Array(list.iter().map(json).collect::<Option<_>>()?),
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| Some((key.clone(), json(value)?)))
                .collect::<Option<_>>()?,
        ),
    })
}
