//! The flat schema of a form: what each answer may be.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Entries;

/// `requestedSchema` of a form: an object with flat properties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedSchema {
    /// Always `object`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The fields, in the order of the form.
    pub properties: Entries<Property>,
    /// Names of the fields that an accepted form must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
}

impl RequestedSchema {
    /// A form with one required field of the given JSON type (`string`, `boolean`, …).
    #[must_use]
    pub fn single(field: &str, kind: &str) -> Self {
        let property = Property {
            kind: Some(kind.to_owned()),
            ..Property::default()
        };
        Self {
            kind: "object".to_owned(),
            properties: Entries::from_iter([(field.to_owned(), property)]),
            required: vec![field.to_owned()],
        }
    }
}

/// One field of a form. Which members are present decides its kind: `string` (with lengths, a
/// format, an `enum` or titled choices), `number`, `integer`, `boolean`, or an `array` of choices.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// JSON type; absent only in sloppy schemas.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Shortest string, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// Longest string, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// `email`, `uri`, `date` or `date-time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Smallest number, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<serde_json::Number>,
    /// Largest number, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<serde_json::Number>,
    /// Plain choices.
    #[serde(default, rename = "enum", skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// Titled choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<TitledConst>>,
    /// Choices of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// Fewest array elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// Most array elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// The value that a form starts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// A choice with a title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TitledConst {
    /// The value that an answer holds.
    #[serde(rename = "const")]
    pub value: String,
    /// What people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Element choices of an array field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Items {
    /// JSON type of plain choices: `string`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Plain choices.
    #[serde(default, rename = "enum", skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// Titled choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_of: Option<Vec<TitledConst>>,
}
