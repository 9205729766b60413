use std::collections::HashSet;

use loadgen_protocol::{Property, RequestedSchema, TitledConst};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::{Map, Number, Value, json};

use super::bounds::{Budget, Excess, MOST_FIELDS};
use super::text::{LONGEST_TEXT, text};
use crate::plan::AnswerPlan;

/// Most elements of an array that is made: a question that wants more gets fewer.
const MOST_ITEMS: u64 = 1000;

/// The fields of the form: those that the plan fixes, every required one, and of the others as many
/// as the plan says. A default that its own schema allows is kept in half of the cases.
///
/// # Errors
/// When there are too many fields, or what they hold is more than what is left.
pub(super) fn fill(
    key: &str,
    schema: &RequestedSchema,
    plan: &AnswerPlan,
    rng: &mut Xoshiro256PlusPlus,
    budget: &mut Budget,
) -> Result<Map<String, Value>, Excess> {
    if schema.properties.len() > MOST_FIELDS {
        return Err(Excess::Fields);
    }
    // All of them are required where all are filled anyway: nothing has to be looked up.
    let required: HashSet<&str> = match plan.optional < 1.0 {
        true => schema.required.iter().map(String::as_str).collect(),
        false => HashSet::new(),
    };
    let mut content = Map::new();
    for (name, property) in schema.properties.iter() {
        let made = if let Some(fixed) = plan.fields.get(key, name) {
            budget.value(fixed)?;
            fixed.clone()
        } else if plan.optional < 1.0
            && !required.contains(name)
            && rng.random::<f64>() >= plan.optional
        {
            continue;
        } else {
            value(property, rng, budget)?
        };
        budget.text(name)?;
        content.insert(name.to_owned(), made);
    }
    Ok(content)
}

fn value(
    property: &Property,
    rng: &mut Xoshiro256PlusPlus,
    budget: &mut Budget,
) -> Result<Value, Excess> {
    if let Some(default) = &property.default
        && allows(property, default)
        && rng.random()
    {
        budget.value(default)?;
        return Ok(default.clone());
    }
    if let Some(choices) = choices(property)
        && !choices.is_empty()
    {
        let choice = choices[rng.random_range(0..choices.len())];
        budget.text(choice)?;
        return Ok(Value::from(choice));
    }
    Ok(match property.kind.as_deref() {
        Some("boolean") => Value::Bool(rng.random()),
        Some("integer" | "number") => number(property, rng),
        Some("array") => return array(property, rng, budget),
        _ => {
            let text = text(property, rng);
            budget.text(&text)?;
            Value::String(text)
        }
    })
}

fn choices(property: &Property) -> Option<Vec<&str>> {
    listed(&property.choices).or_else(|| titled(&property.one_of))
}

fn listed(choices: &Option<Vec<String>>) -> Option<Vec<&str>> {
    choices
        .as_ref()
        .map(|list| list.iter().map(String::as_str).collect())
}

fn titled(choices: &Option<Vec<TitledConst>>) -> Option<Vec<&str>> {
    choices
        .as_ref()
        .map(|list| list.iter().map(|choice| choice.value.as_str()).collect())
}

fn items(property: &Property) -> Vec<&str> {
    let Some(items) = &property.items else {
        return Vec::new();
    };
    listed(&items.choices)
        .or_else(|| titled(&items.any_of))
        .unwrap_or_default()
}

/// A whole number inside the bounds where one fits: legal for `integer` and `number` alike, and the
/// shipped JSON schema of the revision accepts only whole numbers in an answer. Where none fits (0.2
/// to 0.8, say) a bound itself.
fn number(property: &Property, rng: &mut Xoshiro256PlusPlus) -> Value {
    let low = property.minimum.as_ref().map(|n| whole(n, f64::ceil));
    let high = property.maximum.as_ref().map(|n| whole(n, f64::floor));
    let range = match (low, high) {
        (Some(low), Some(high)) => low.zip(high),
        (Some(low), None) => low.map(|low| (low, low.saturating_add(99))),
        (None, Some(high)) => high.map(|high| (high.saturating_sub(99), high)),
        (None, None) => Some((1, 100)),
    };
    match range {
        Some((low, high)) if low <= high => json!(rng.random_range(low..=high)),
        _ => property
            .minimum
            .clone()
            .or_else(|| property.maximum.clone())
            .map_or(Value::Null, Value::Number),
    }
}

/// A bound rounded inwards; `None` when it is beyond 64 bits.
fn whole(bound: &Number, round: fn(f64) -> f64) -> Option<i64> {
    bound.as_i64().or_else(|| {
        let rounded = round(bound.as_f64()?);
        // 2^63, the first number beyond.
        (rounded.abs() < 9_223_372_036_854_775_808.0).then_some(rounded as i64)
    })
}

fn array(
    property: &Property,
    rng: &mut Xoshiro256PlusPlus,
    budget: &mut Budget,
) -> Result<Value, Excess> {
    let choices = items(property);
    if choices.is_empty() {
        return Ok(json!([]));
    }
    let different = choices.len() as u64;
    let most = property.max_items.unwrap_or(u64::MAX).min(MOST_ITEMS);
    let low = property.min_items.unwrap_or(1).min(most);
    let length = rng.random_range(low..=different.clamp(low, most.max(low)));
    let mut left = Vec::new();
    let picked = (0..length).map(|_| {
        // Each choice once before any comes again.
        if left.is_empty() {
            left.clone_from(&choices);
        }
        let choice = left.swap_remove(rng.random_range(0..left.len()));
        budget.text(choice)?;
        Ok(Value::from(choice))
    });
    picked.collect::<Result<_, _>>().map(Value::Array)
}

/// Whether a property's own schema allows this value. Formats are not judged: with one, nothing is
/// taken for allowed.
fn allows(property: &Property, value: &Value) -> bool {
    if let Some(choices) = choices(property) {
        return value.as_str().is_some_and(|text| choices.contains(&text));
    }
    let within = |n: u64, low: Option<u64>, high: Option<u64>| {
        low.is_none_or(|low| n >= low) && high.is_none_or(|high| n <= high)
    };
    match (property.kind.as_deref(), value) {
        (Some("boolean"), Value::Bool(_)) => true,
        (Some("string"), Value::String(text)) => {
            let length = text.chars().count() as u64;
            property.format.is_none()
                && length <= LONGEST_TEXT
                && within(length, property.min_length, property.max_length)
        }
        (Some(kind @ ("integer" | "number")), Value::Number(number)) => {
            let Some(number) = number.as_f64() else {
                return false;
            };
            let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
            (kind == "number" || number.fract() == 0.0)
                && bound(&property.minimum).is_none_or(|low| number >= low)
                && bound(&property.maximum).is_none_or(|high| number <= high)
        }
        (Some("array"), Value::Array(list)) => {
            let choices: HashSet<&str> = items(property).into_iter().collect();
            within(list.len() as u64, property.min_items, property.max_items)
                && list
                    .iter()
                    .all(|item| item.as_str().is_some_and(|text| choices.contains(text)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;
    use proptest::prelude::*;

    fn filled_by(plan: &AnswerPlan, schema: &Value, seed: u64) -> Map<String, Value> {
        let schema = serde_json::from_value(schema.clone()).unwrap();
        let mut budget = Budget::default();
        fill(
            "form",
            &schema,
            plan,
            &mut workflow_rng(seed, 0),
            &mut budget,
        )
        .unwrap()
    }

    fn filled(schema: &Value, seed: u64) -> Map<String, Value> {
        filled_by(&AnswerPlan::default(), schema, seed)
    }

    /// A property of any kind that some value satisfies.
    fn property() -> impl Strategy<Value = Value> {
        // Choices differ: `oneOf` allows no value that two of them name.
        let words = || {
            prop::collection::btree_set("[a-zé]{1,6}", 1..5)
                .prop_map(|words| words.into_iter().collect::<Vec<String>>())
        };
        prop_oneof![
            (0_u64..60, 0_u64..60).prop_map(|(low, more)| {
                json!({"type": "string", "minLength": low, "maxLength": low + more})
            }),
            (0_u64..300).prop_map(|low| json!({"type": "string", "minLength": low})),
            // Shortest and longest that both formats have room for.
            (prop::sample::select(vec!["email", "uri"]), 6_u64..120, 0_u64..20).prop_map(
                |(format, low, more)| {
                    json!({"type": "string", "format": format, "minLength": low, "maxLength": low + more})
                }
            ),
            prop::sample::select(vec!["email", "uri", "date", "date-time"])
                .prop_map(|format| json!({"type": "string", "format": format})),
            (20_u64..60).prop_map(|low| {
                json!({"type": "string", "format": "date-time", "minLength": low})
            }),
            (any::<i64>(), any::<u32>()).prop_map(|(low, more)| {
                json!({"type": "integer", "minimum": low, "maximum": low.saturating_add(more.into())})
            }),
            (-1e300..1e300_f64, 0.0..10.0_f64).prop_map(|(low, more)| {
                json!({"type": "number", "minimum": low, "maximum": low + more})
            }),
            (-5.0..5.0_f64, 0.0..0.5_f64).prop_map(|(low, more)| {
                json!({"type": "number", "minimum": low, "maximum": low + more})
            }),
            any::<i64>().prop_map(|low| json!({"type": "integer", "minimum": low})),
            (-1e18..1e18_f64).prop_map(|high| json!({"type": "number", "maximum": high})),
            any::<bool>().prop_map(|default| json!({"type": "boolean", "default": default})),
            words().prop_map(|words| json!({"type": "string", "enum": words, "default": words[0]})),
            words().prop_map(|words| {
                let one_of: Vec<Value> =
                    words.iter().map(|w| json!({"const": w, "title": "T"})).collect();
                json!({"type": "string", "oneOf": one_of, "default": "no such"})
            }),
            (words(), 0_u64..9, 0_u64..9).prop_map(|(words, low, more)| {
                json!({"type": "array", "items": {"type": "string", "enum": words},
                       "minItems": low, "maxItems": low + more, "default": [words[0]]})
            }),
            words().prop_map(|words| {
                let any_of: Vec<Value> =
                    words.iter().map(|w| json!({"const": w, "title": "T"})).collect();
                json!({"type": "array", "items": {"anyOf": any_of}})
            }),
            (0_i64..9).prop_map(|default| json!({"type": "integer", "minimum": 3, "default": default})),
        ]
    }

    proptest! {
        #[test]
        fn an_answer_is_always_valid_by_the_question_s_own_schema(
            properties in prop::collection::vec(property(), 1..6),
            required in 0_usize..6,
            seed: u64,
        ) {
            let named: Map<String, Value> = properties
                .into_iter()
                .enumerate()
                .map(|(at, property)| (format!("p{at}"), property))
                .collect();
            let required: Vec<&String> = named.keys().take(required).collect();
            let schema = json!({"type": "object", "required": required, "properties": named});
            let validator = jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&schema)
                .unwrap();
            for optional in [1.0, 0.5] {
                let plan = AnswerPlan { optional, ..AnswerPlan::default() };
                let content = Value::Object(filled_by(&plan, &schema, seed));
                let error = validator.validate(&content).err().map(|e| e.to_string());
                prop_assert!(error.is_none(), "{content} by {schema}: {error:?}");
            }
        }
    }

    #[test]
    fn every_field_is_filled_and_choices_and_bounds_are_met() {
        let schema = json!({"type":"object","required":["name"],"properties":{
            "name":{"type":"string","minLength":2,"maxLength":5},
            "crew":{"type":"integer","minimum":1,"maximum":3},
            "half":{"type":"number","minimum":0.2,"maximum":0.8},
            "side":{"type":"string","oneOf":[{"const":"p","title":"Port"},{"const":"s"}]},
            "some":{"type":"array","items":{"type":"string","enum":["w","p","q"]},"minItems":2,"maxItems":2}}});
        let (mut crews, mut sides) = ([0; 3], [0; 2]);
        for seed in 0..200 {
            let content = filled(&schema, seed);
            assert_eq!(content.len(), 5);
            crews[usize::try_from(content["crew"].as_u64().unwrap() - 1).unwrap()] += 1;
            sides[usize::from(content["side"] == "s")] += 1;
            assert_eq!(content["half"], 0.2, "no whole number fits");
            let some = content["some"].as_array().unwrap();
            assert!(some.len() == 2 && some[0] != some[1], "{some:?}");
        }
        assert!(
            !crews.contains(&0) && !sides.contains(&0),
            "{crews:?} {sides:?}"
        );
    }

    #[test]
    fn optional_fields_can_be_left_out_and_required_ones_cannot() {
        let schema = json!({"type":"object","required":["a"],"properties":{
            "a":{"type":"boolean"},"b":{"type":"boolean"}}});
        let plan = AnswerPlan {
            optional: 0.0,
            ..AnswerPlan::default()
        };
        let content = filled_by(&plan, &schema, 1);
        assert_eq!(content.keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn fixed_fields_are_sent_as_they_are_and_those_of_one_question_come_first() {
        let schema = json!({"type":"object","properties":{
            "a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"}}});
        let fields = [
            ("a", json!("everywhere")),
            ("form.a", json!("here")),
            ("other.b", json!(0)),
            ("c", json!("not even legal")),
        ];
        let plan = AnswerPlan {
            fields: fields
                .map(|(name, v)| (name.to_owned(), v))
                .into_iter()
                .collect(),
            ..AnswerPlan::default()
        };
        let content = filled_by(&plan, &schema, 1);
        assert_eq!(content["a"], "here");
        assert_ne!(content["b"], 0);
        assert_eq!(content["c"], "not even legal");
    }

    #[test]
    fn a_default_is_kept_in_half_of_the_cases_where_it_is_legal() {
        let kept = |property: Value| {
            let schema = json!({"type":"object","properties":{"a":property}});
            (0..400)
                .filter(|seed| filled(&schema, *seed)["a"] == json!("mine"))
                .count()
        };
        let count = kept(json!({"type":"string","default":"mine"}));
        // Three sigma of a binomial with n = 400, p = 1/2 is 30.
        assert!(count.abs_diff(200) < 31, "{count}");
        assert_eq!(
            kept(json!({"type":"string","default":"mine","maxLength":3})),
            0
        );
        assert_eq!(
            kept(json!({"type":"string","default":"mine","enum":["a","b"]})),
            0
        );
        assert_eq!(
            kept(json!({"type":"string","default":"mine","format":"email"})),
            0
        );
    }

    #[test]
    fn bounds_that_nobody_can_keep_do_no_harm() {
        let schema = json!({"type":"object","properties":{
            "huge":{"type":"string","minLength":u64::MAX},
            "none":{"type":"string","minLength":9,"maxLength":0},
            "mail":{"type":"string","format":"email","maxLength":1},
            "link":{"type":"string","format":"uri","minLength":u64::MAX},
            "late":{"type":"string","format":"date-time","minLength":u64::MAX},
            "turned":{"type":"integer","minimum":5,"maximum":1},
            "many":{"type":"array","items":{"enum":["a"]},"minItems":u64::MAX},
            "few":{"type":"array","items":{"enum":["a","b"]},"maxItems":0},
            "crossed":{"type":"array","items":{"enum":["a","b"]},"minItems":3,"maxItems":1},
            "bare":{"type":"array"}, "empty":{"enum":[]}, "odd":{"type":"null"}, "nothing":{}}});
        let content = filled(&schema, 1);
        let length = |name: &str| content[name].as_str().unwrap().len() as u64;
        assert_eq!(length("huge"), LONGEST_TEXT);
        assert!(length("link") <= LONGEST_TEXT && length("late") <= LONGEST_TEXT);
        assert_eq!(content["none"], "");
        assert_eq!(content["many"].as_array().unwrap().len(), 1000);
        assert_eq!(content["few"], json!([]));
        assert_eq!(content["bare"], json!([]));
        assert_eq!(content.len(), 13);
    }

    #[test]
    fn the_same_workflow_answers_the_same() {
        let schema = json!({"type":"object","properties":{"a":{"type":"string"}}});
        assert_eq!(filled(&schema, 3), filled(&schema, 3));
        assert_ne!(filled(&schema, 3), filled(&schema, 4));
    }
}
