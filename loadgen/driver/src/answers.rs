//! Answers made from the questions: seeded, valid by the question's own schema.

use loadgen_protocol::{
    Action, ElicitAnswer, InputAnswer, InputRequest, Property, RequestedSchema, Root, RootsAnswer,
    SamplingAnswer,
};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::{Map, Number, Value, json};

/// Longest text that is made, in characters: a question that wants more gets less than it wants
/// instead of all memory.
const LONGEST_TEXT: u64 = 1 << 20;

/// The answer to one question. Forms are accepted and filled, URL visits consented to (the page is
/// never opened), sampling and roots questions get a canned answer.
pub(crate) fn answer(question: &InputRequest, rng: &mut Xoshiro256PlusPlus) -> InputAnswer {
    match question {
        InputRequest::Form(form) => InputAnswer::Elicit(ElicitAnswer {
            action: Action::Accept,
            content: Some(fill(&form.requested_schema, rng)),
        }),
        InputRequest::Url(_) => InputAnswer::Elicit(ElicitAnswer {
            action: Action::Accept,
            content: None,
        }),
        InputRequest::Sampling(_) => InputAnswer::Sampling(SamplingAnswer {
            role: "assistant".to_owned(),
            content: json!({"type": "text", "text": "A canned answer."}),
            model: "loadgen".to_owned(),
            stop_reason: Some("endTurn".to_owned()),
        }),
        InputRequest::Roots => InputAnswer::Roots(RootsAnswer {
            roots: vec![Root {
                uri: "file:///loadgen".to_owned(),
                name: Some("loadgen".to_owned()),
            }],
        }),
    }
}

/// Every field of the form, the optional ones too.
fn fill(schema: &RequestedSchema, rng: &mut Xoshiro256PlusPlus) -> Map<String, Value> {
    schema
        .properties
        .iter()
        .map(|(name, property)| (name.to_owned(), value(property, rng)))
        .collect()
}

fn value(property: &Property, rng: &mut Xoshiro256PlusPlus) -> Value {
    let titled = |choices: &Option<Vec<loadgen_protocol::TitledConst>>| {
        choices
            .as_ref()
            .map(|list| list.iter().map(|c| c.value.clone()).collect::<Vec<_>>())
    };
    if let Some(choices) = property
        .choices
        .clone()
        .or_else(|| titled(&property.one_of))
        && !choices.is_empty()
    {
        return Value::String(choices[rng.random_range(0..choices.len())].clone());
    }
    match property.kind.as_deref() {
        Some("boolean") => Value::Bool(rng.random()),
        Some("integer" | "number") => number(property, rng),
        Some("array") => {
            let items = property.items.clone().unwrap_or_default();
            let choices = items.choices.or_else(|| titled(&items.any_of));
            array(property, choices.unwrap_or_default(), rng)
        }
        _ => Value::String(text(property, rng)),
    }
}

/// A whole number inside the bounds: legal for `integer` and `number` alike, and the shipped JSON
/// schema of the revision accepts only whole numbers in an answer.
fn number(property: &Property, rng: &mut Xoshiro256PlusPlus) -> Value {
    let bound = |n: &Option<Number>, round: fn(f64) -> f64| {
        n.as_ref()
            .and_then(Number::as_f64)
            .map(|f| round(f).clamp(-9e15, 9e15) as i64)
    };
    let low = bound(&property.minimum, f64::ceil);
    let high = bound(&property.maximum, f64::floor);
    let (low, high) = match (low, high) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low + 99),
        (None, Some(high)) => (high - 99, high),
        (None, None) => (1, 100),
    };
    if low > high {
        // No whole number fits (0.2 to 0.8, say): the lower bound itself is the nearest value.
        return property.minimum.clone().map_or(Value::Null, Value::Number);
    }
    json!(rng.random_range(low..=high))
}

fn array(property: &Property, mut choices: Vec<String>, rng: &mut Xoshiro256PlusPlus) -> Value {
    let at_most = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let high = property
        .max_items
        .map_or(choices.len(), at_most)
        .min(choices.len());
    let low = property.min_items.map_or(1, at_most).min(high);
    let length = if high == 0 {
        0
    } else {
        rng.random_range(low..=high)
    };
    let mut picked = Vec::with_capacity(length);
    for _ in 0..length {
        picked.push(Value::String(
            choices.swap_remove(rng.random_range(0..choices.len())),
        ));
    }
    Value::Array(picked)
}

fn text(property: &Property, rng: &mut Xoshiro256PlusPlus) -> String {
    let tag: u32 = rng.random_range(0..1_000_000);
    let made = match property.format.as_deref() {
        Some("email") => return format!("user{tag}@load.example"),
        Some("uri") => return format!("https://load.example/{tag}"),
        Some("date") => return format!("2026-07-{:02}", 1 + tag % 28),
        Some("date-time") => return format!("2026-07-28T12:00:{:02}Z", tag % 60),
        _ => format!("answer {tag:06}"),
    };
    let high = property.max_length.unwrap_or(u64::MAX);
    let low = property.min_length.unwrap_or(0).min(high);
    let at_most = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    // All characters are ASCII: bytes are characters.
    let low = low.min(LONGEST_TEXT);
    let mut made: String = made.chars().take(at_most(high)).collect();
    made.extend(std::iter::repeat_n(
        'x',
        at_most(low).saturating_sub(made.len()),
    ));
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;
    use loadgen_protocol::{ElicitForm, ElicitUrl};

    fn filled(schema: &str, seed: u64) -> Map<String, Value> {
        let form = InputRequest::Form(ElicitForm {
            message: "?".into(),
            requested_schema: serde_json::from_str(schema).unwrap(),
        });
        match answer(&form, &mut workflow_rng(seed, 0)) {
            InputAnswer::Elicit(ElicitAnswer {
                action: Action::Accept,
                content: Some(content),
            }) => content,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_property_kind_gets_a_value_that_its_schema_allows() {
        let schema = r#"{"type":"object","required":["name"],"properties":{
            "name":{"type":"string","minLength":2,"maxLength":5},
            "long":{"type":"string","minLength":40},
            "mail":{"type":"string","format":"email"}, "day":{"type":"string","format":"date"},
            "at":{"type":"string","format":"date-time"}, "link":{"type":"string","format":"uri"},
            "crew":{"type":"integer","minimum":1,"maximum":12},
            "low":{"type":"number","maximum":-5.5}, "half":{"type":"number","minimum":0.2,"maximum":0.8},
            "yes":{"type":"boolean"}, "one":{"type":"string","enum":["a","b"]},
            "side":{"type":"string","oneOf":[{"const":"p","title":"Port"},{"const":"s"}]},
            "some":{"type":"array","items":{"type":"string","enum":["w","p","q"]},"minItems":2,"maxItems":2},
            "any":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}}}"#;
        for seed in 0..200 {
            let content = filled(schema, seed);
            assert_eq!(content.len(), 14);
            let length = |name: &str| content[name].as_str().unwrap().len();
            assert!((2..=5).contains(&length("name")));
            assert!(length("long") >= 40);
            assert!(content["mail"].as_str().unwrap().contains('@'));
            assert!((1..=12).contains(&content["crew"].as_i64().unwrap()));
            assert!(content["low"].as_i64().unwrap() <= -6);
            assert_eq!(content["half"], 0.2);
            assert!(["a", "b"].contains(&content["one"].as_str().unwrap()));
            assert!(["p", "s"].contains(&content["side"].as_str().unwrap()));
            let some = content["some"].as_array().unwrap();
            assert!(some.len() == 2 && some[0] != some[1], "{some:?}");
            assert_eq!(content["any"], json!(["x"]));
        }
    }

    #[test]
    fn bounds_that_nobody_can_keep_do_no_harm() {
        let schema = r#"{"type":"object","properties":{
            "huge":{"type":"string","minLength":18446744073709551615},
            "none":{"type":"string","minLength":9,"maxLength":0},
            "far":{"type":"integer","minimum":1e300},
            "wide":{"type":"integer","minimum":-1e300,"maximum":1e300},
            "turned":{"type":"integer","minimum":5,"maximum":1},
            "many":{"type":"array","items":{"enum":["a"]},"minItems":18446744073709551615},
            "few":{"type":"array","items":{"enum":["a","b"]},"maxItems":0},
            "bare":{"type":"array"}, "empty":{"enum":[]}, "odd":{"type":"null"}, "nothing":{}}}"#;
        let content = filled(schema, 1);
        assert_eq!(content["huge"].as_str().unwrap().len() as u64, LONGEST_TEXT);
        assert_eq!(content["none"], "");
        assert_eq!(content["many"], json!(["a"]));
        assert_eq!(content["few"], json!([]));
        assert_eq!(content["bare"], json!([]));
        assert!(content["far"].is_number() && content["wide"].is_number());
        assert_eq!(content.len(), 11);
    }

    #[test]
    fn the_same_workflow_answers_the_same() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
        assert_eq!(filled(schema, 3), filled(schema, 3));
        assert_ne!(filled(schema, 3), filled(schema, 4));
    }

    #[test]
    fn a_url_is_consented_to_without_content() {
        let url = InputRequest::Url(ElicitUrl {
            message: "?".into(),
            url: "https://load.example".into(),
        });
        let made = answer(&url, &mut workflow_rng(1, 1));
        assert_eq!(
            serde_json::to_value(made).unwrap(),
            json!({"action": "accept"})
        );
    }
}
