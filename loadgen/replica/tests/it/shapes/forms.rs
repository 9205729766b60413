use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::typed::shape;

/// `requestedSchema`: a flat object. Properties have no other members than these, so no nesting, no
/// pattern and no reference.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schema {
    r#type: Object,
    properties: BTreeMap<String, Property>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    required: Option<Vec<String>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Object {
    Object,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Property {
    String(Text),
    Number(Amount),
    Integer(Amount),
    Boolean(Choice),
    Array(Several),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

shape! {
    #[serde(deny_unknown_fields)]
    Text {} may {
        title: String, description: String, default: String,
        min_length: u64, max_length: u64, format: Format,
        r#enum: Vec<String>, enum_names: Vec<String>, one_of: Vec<Titled>,
    }
}

shape! {
    #[serde(deny_unknown_fields)]
    Amount {} may {
        title: String, description: String, default: Number, minimum: Number, maximum: Number,
    }
}

shape! {
    #[serde(deny_unknown_fields)]
    Choice {} may { title: String, description: String, default: bool, }
}

shape! {
    #[serde(deny_unknown_fields)]
    Several { items: Items, } may {
        title: String, description: String, default: Vec<String>, min_items: u64, max_items: u64,
    }
}

/// What the elements of an array are chosen from.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Items {
    Plain(Plain),
    Titled(AnyOf),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StringType {
    String,
}

shape! {
    #[serde(deny_unknown_fields)]
    Plain { r#type: StringType, r#enum: Vec<String>, }
}

shape! {
    #[serde(deny_unknown_fields)]
    AnyOf { any_of: Vec<Titled>, }
}

shape! {
    #[serde(deny_unknown_fields)]
    Titled { r#const: String, title: String, }
}

impl Schema {
    /// What serde alone does not see.
    pub(crate) fn check(&self) {
        assert!(!self.properties.is_empty(), "{self:?}");
        for name in self.required.iter().flatten() {
            assert!(self.properties.contains_key(name), "{name} in {self:?}");
        }
        self.properties.values().for_each(Property::check);
    }
}

impl Property {
    fn check(&self) {
        match self {
            Self::String(text) => text.check(),
            Self::Number(amount) | Self::Integer(amount) => {
                let limits = amount.minimum.as_ref().zip(amount.maximum.as_ref());
                assert!(limits.is_none_or(|(least, most)| least.as_f64() <= most.as_f64()));
                if let Self::Integer(amount) = self {
                    let all = [&amount.default, &amount.minimum, &amount.maximum];
                    assert!(all.into_iter().flatten().all(|n| !n.is_f64()), "{self:?}");
                }
            }
            Self::Boolean(_) => {}
            Self::Array(several) => several.check(),
        }
    }
}

impl Text {
    fn check(&self) {
        let titled = self.one_of.as_ref();
        let choices = self.r#enum.as_ref();
        let kinds = [self.format.is_some(), choices.is_some(), titled.is_some()];
        assert!(
            kinds.into_iter().filter(|kind| *kind).count() <= 1,
            "{self:?}"
        );
        let limits = self.min_length.zip(self.max_length);
        assert!(limits.is_none_or(|(least, most)| least <= most), "{self:?}");
        if let Some(names) = &self.enum_names {
            assert_eq!(choices.map(Vec::len), Some(names.len()), "{self:?}");
        }
        let values: Option<Vec<&str>> = choices
            .map(|choices| choices.iter().map(String::as_str).collect())
            .or_else(|| titled.map(|titled| values_of(titled)));
        if let Some(values) = values {
            distinct(&values);
            let default = self.default.as_deref();
            assert!(
                default.is_none_or(|default| values.contains(&default)),
                "{self:?}"
            );
        }
    }
}

impl Several {
    fn check(&self) {
        let values: Vec<&str> = match &self.items {
            Items::Plain(plain) => plain.r#enum.iter().map(String::as_str).collect(),
            Items::Titled(titled) => values_of(&titled.any_of),
        };
        distinct(&values);
        let most = self.max_items.unwrap_or(values.len() as u64);
        let least = self.min_items.unwrap_or(0);
        assert!(least <= most && least <= values.len() as u64, "{self:?}");
        let default = self.default.iter().flatten();
        assert!(
            default.into_iter().all(|d| values.contains(&d.as_str())),
            "{self:?}"
        );
    }
}

fn values_of(titled: &[Titled]) -> Vec<&str> {
    titled
        .iter()
        .map(|choice| choice.r#const.as_str())
        .collect()
}

fn distinct(values: &[&str]) {
    assert!(!values.is_empty());
    let set: BTreeSet<_> = values.iter().collect();
    assert_eq!(set.len(), values.len(), "{values:?}");
}
