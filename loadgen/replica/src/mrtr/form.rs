//! Checks what was filled in against the schema that was asked with.

use loadgen_protocol::{Property, RequestedSchema, TitledConst};
use serde_json::{Map, Number, Value};

/// Whether these fields fit the form. Fields that the form does not have are not looked at.
///
/// # Errors
/// Names the first field that is missing or does not fit, and what it should be.
pub(super) fn check(form: &RequestedSchema, content: &Map<String, Value>) -> Result<(), String> {
    if let Some(missing) = form
        .required
        .iter()
        .find(|&name| !content.contains_key(name))
    {
        return Err(format!("{missing} is required"));
    }
    for (name, property) in form.properties.iter() {
        if let Some(value) = content.get(name) {
            field(property, value).map_err(|want| format!("{name} must be {want}"))?;
        }
    }
    Ok(())
}

/// What the field should have been, if it is something else.
fn field(property: &Property, value: &Value) -> Result<(), String> {
    match (property.kind.as_deref(), value) {
        (Some("string"), Value::String(text)) => string(property, text),
        (Some("number"), Value::Number(number)) => bounds(property, number),
        (Some("integer"), Value::Number(number)) if is_whole(number) => bounds(property, number),
        (Some("boolean"), Value::Bool(_)) | (None, _) => Ok(()),
        (Some("array"), Value::Array(items)) => array(property, items),
        (Some(kind), _) => Err(format!("of type {kind}")),
    }
}

fn string(property: &Property, text: &str) -> Result<(), String> {
    let length = text.chars().count() as u64;
    within(
        length,
        property.min_length,
        property.max_length,
        "characters",
    )?;
    if !is_choice(
        text,
        property.choices.as_deref(),
        property.one_of.as_deref(),
    ) {
        return Err("one of the choices".to_owned());
    }
    let fits = match property.format.as_deref() {
        Some("email") => is_email(text),
        Some("uri") => is_uri(text),
        Some("date") => is_date(text),
        Some("date-time") => text.parse::<jiff::Timestamp>().is_ok(),
        _ => true,
    };
    fits.then_some(())
        .ok_or_else(|| format!("in the format {}", property.format.as_deref().unwrap_or("")))
}

fn array(property: &Property, items: &[Value]) -> Result<(), String> {
    let length = items.len() as u64;
    within(length, property.min_items, property.max_items, "items")?;
    let of = property.items.as_ref();
    let plain = of.and_then(|items| items.choices.as_deref());
    let titled = of.and_then(|items| items.any_of.as_deref());
    let fit = items.iter().all(|item| {
        item.as_str()
            .is_some_and(|text| is_choice(text, plain, titled))
    });
    fit.then_some(())
        .ok_or_else(|| "an array of the choices".to_owned())
}

/// Whether the text is one of each list that there is.
fn is_choice(text: &str, plain: Option<&[String]>, titled: Option<&[TitledConst]>) -> bool {
    plain.is_none_or(|choices| choices.iter().any(|choice| choice == text))
        && titled.is_none_or(|choices| choices.iter().any(|choice| choice.value == text))
}

fn bounds(property: &Property, number: &Number) -> Result<(), String> {
    // Beyond 2^53 the comparison is as exact as a JSON number is to most of its readers.
    let value = number.as_f64().unwrap_or(f64::NAN);
    let float = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    let (least, most) = (float(&property.minimum), float(&property.maximum));
    if least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most) {
        return Ok(());
    }
    Err(match (&property.minimum, &property.maximum) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (_, most) => format!("{} or less", most.as_ref().unwrap_or(number)),
    })
}

fn within(length: u64, least: Option<u64>, most: Option<u64>, of: &str) -> Result<(), String> {
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(u64::MAX));
    if (least..=most).contains(&length) {
        Ok(())
    } else if most == u64::MAX {
        Err(format!("of {least} {of} or more"))
    } else {
        Err(format!("of {least} to {most} {of}"))
    }
}

/// `3.0` and `3e0` are integers to JSON Schema (2020-12, section 6.1.1 of validation).
fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
}

/// Something, one `@`, and something: what can be said without asking a mail server.
fn is_email(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !part.contains(['@', ' ', '\t', '\r', '\n']);
    text.split_once('@')
        .is_some_and(|(user, host)| plain(user) && plain(host))
}

/// A scheme and something behind its colon, in the characters of RFC 3986 (section 2).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let in_rest = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(in_scheme)
        && !rest.is_empty()
        && rest.chars().all(in_rest)
}

/// A calendar day in the long form of RFC 3339; the parser alone would take other forms too.
fn is_date(text: &str) -> bool {
    text.len() == "2026-07-28".len() && text.parse::<jiff::civil::Date>().is_ok()
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "json! literals read best when passed as they are"
)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Whether a form of this one field takes the value.
    fn takes(property: &Value, value: &Value) -> bool {
        let schema = json!({ "type": "object", "properties": { "x": property } });
        let schema: RequestedSchema = serde_json::from_value(schema).unwrap();
        let content = json!({ "x": value });
        check(&schema, content.as_object().unwrap()).is_ok()
    }

    fn table(property: Value, good: Value, bad: Value) {
        for value in good.as_array().unwrap() {
            assert!(takes(&property, value), "{property} {value}");
        }
        for value in bad.as_array().unwrap() {
            assert!(!takes(&property, value), "{property} {value}");
        }
    }

    #[test]
    fn each_type_takes_its_own_values_and_null_is_none_of_them() {
        table(
            json!({ "type": "string" }),
            json!(["", "x"]),
            json!([null, 1, true, ["x"]]),
        );
        table(
            json!({ "type": "boolean" }),
            json!([true, false]),
            json!([null, 0, "true"]),
        );
        table(
            json!({ "type": "number" }),
            json!([0, -1.5, 1e300]),
            json!([null, "1", true]),
        );
        table(
            json!({ "type": "integer" }),
            json!([0, -7, 3.0, 2e3]),
            json!([1.5, "1", null]),
        );
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        let two = json!({ "type": "string", "minLength": 2, "maxLength": 2 });
        table(two, json!(["ab", "世界"]), json!(["a", "abc", ""]));
    }

    #[test]
    fn bounds_are_inclusive() {
        let bounded = json!({ "type": "integer", "minimum": 1, "maximum": 12 });
        table(bounded, json!([1, 12, 6.0]), json!([0, 13, -1]));
        table(
            json!({ "type": "number", "minimum": 0.5 }),
            json!([0.5, 9]),
            json!([0.4]),
        );
        table(
            json!({ "type": "number", "maximum": 0.5 }),
            json!([0.5, -9]),
            json!([0.6]),
        );
    }

    #[test]
    fn choices_are_the_listed_ones() {
        let plain = json!({ "type": "string", "enum": ["a", "b"] });
        table(plain, json!(["a", "b"]), json!(["c", "A", ""]));
        let titled = json!({ "type": "string", "oneOf": [{ "const": "a", "title": "An A" }] });
        table(titled, json!(["a"]), json!(["An A", "b"]));
        let several = json!({ "type": "array", "minItems": 1, "maxItems": 2,
            "items": { "type": "string", "enum": ["a", "b"] } });
        table(
            several,
            json!([["a"], ["b", "a"]]),
            json!([[], ["c"], ["a", "b", "a"], [1], "a"]),
        );
        let titled = json!({ "type": "array",
            "items": { "anyOf": [{ "const": "a", "title": "An A" }] } });
        table(titled, json!([[], ["a"]]), json!([["An A"], ["b"]]));
    }

    #[test]
    fn formats_are_checked_as_far_as_they_can_be() {
        let format = |name: &str| json!({ "type": "string", "format": name });
        table(
            format("email"),
            json!(["a@b", "mara.quill@harbour.example"]),
            json!(["", "a", "@b", "a@", "a@b@c", "a b@c"]),
        );
        table(
            format("uri"),
            json!(["https://harbour.example/a?b#c", "mailto:a@b", "urn:x:y"]),
            json!([
                "",
                "harbour.example",
                "//x",
                "1a:b",
                "a:",
                "https://a b",
                "https://世界"
            ]),
        );
        table(
            format("date"),
            json!(["2026-07-28", "2024-02-29"]),
            json!([
                "2026-02-29",
                "2026-7-28",
                "20260728",
                "28.07.2026",
                "2026-07-28T10:00:00Z"
            ]),
        );
        table(
            format("date-time"),
            json!(["2026-07-28T10:00:00Z", "2026-07-28T10:00:00.5+02:00"]),
            json!([
                "2026-07-28",
                "2026-07-28T10:00:00",
                "2026-07-28T25:00:00Z",
                "noon"
            ]),
        );
        table(format("of nobody"), json!(["anything"]), json!([1]));
    }

    #[test]
    fn required_fields_are_required_and_foreign_ones_ignored() {
        let schema = json!({ "type": "object", "required": ["a"],
            "properties": { "a": { "type": "string" }, "b": { "type": "integer" } } });
        let schema: RequestedSchema = serde_json::from_value(schema).unwrap();
        let fits = |content: Value| check(&schema, content.as_object().unwrap());
        assert_eq!(fits(json!({ "a": "x" })), Ok(()));
        assert_eq!(fits(json!({ "a": "x", "c": [1] })), Ok(()));
        assert_eq!(fits(json!({ "b": 1 })), Err("a is required".to_owned()));
        let wrong = fits(json!({ "a": "x", "b": "1" }));
        assert_eq!(wrong, Err("b must be of type integer".to_owned()));
    }
}
