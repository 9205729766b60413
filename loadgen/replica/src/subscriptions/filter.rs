use std::borrow::Cow;

use loadgen_protocol::raw_json::object;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::refusal::Refusal;
use crate::subscriptions::Change;

/// What a listener wants to be told of.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Filter<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resources_list_changed: bool,
    #[serde(borrow, skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<Uri<'a>>,
}

/// Borrows where the JSON text has no escapes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Uri<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Filter<'a> {
    /// Reads `params.notifications`. Members that are not known are ignored.
    ///
    /// # Errors
    /// When it is missing or something in it has another type.
    pub(crate) fn parse(raw: Option<&'a RawValue>) -> Result<Self, Refusal> {
        raw.and_then(|raw| object(raw.get()).ok())
            .ok_or(Refusal::Params(
                "params.notifications must be an object of booleans and one list of URIs".into(),
            ))
    }

    /// Leaves out the resources that there are not.
    pub(crate) fn only_resources(mut self, exists: impl Fn(&str) -> bool) -> Self {
        self.resource_subscriptions.retain(|uri| exists(&uri.0));
        self
    }

    pub(super) fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools_list_changed,
            Change::Prompts => self.prompts_list_changed,
            Change::Resources => self.resources_list_changed,
            Change::Resource(uri) => self
                .resource_subscriptions
                .iter()
                .any(|wanted| wanted.0 == **uri),
        }
    }

    /// Every change that it wants to be told of.
    pub(super) fn all(&self) -> impl Iterator<Item = Change> {
        let lists = [Change::Tools, Change::Prompts, Change::Resources];
        let resources = self.resource_subscriptions.iter();
        lists
            .into_iter()
            .filter(|list| self.wants(list))
            .chain(resources.map(|uri| Change::Resource((*uri.0).into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::raw;

    fn wanted(filter: &Filter<'_>) -> Vec<Change> {
        filter.all().collect()
    }

    #[test]
    fn what_was_not_asked_for_is_not_wanted() {
        for (json, want) in [
            ("{}", vec![]),
            (r#"{"toolsListChanged":true,"more":1}"#, vec![Change::Tools]),
            (
                r#"{"toolsListChanged":false,"promptsListChanged":true}"#,
                vec![Change::Prompts],
            ),
            (
                r#"{"resourceSubscriptions":["a:\u0062"],"resourcesListChanged":true}"#,
                vec![Change::Resources, Change::Resource("a:b".into())],
            ),
        ] {
            let raw = raw(json);
            let filter = Filter::parse(Some(&raw)).unwrap();
            assert_eq!(wanted(&filter), want, "{json}");
            for change in [
                Change::Tools,
                Change::Prompts,
                Change::Resources,
                Change::Resource("a:b".into()),
                Change::Resource("a".into()),
            ] {
                assert_eq!(filter.wants(&change), want.contains(&change), "{json}");
            }
        }
    }

    #[test]
    fn resources_that_there_are_not_are_left_out_of_what_is_agreed_to() {
        let raw = raw(r#"{"toolsListChanged":true,"resourceSubscriptions":["a:b","c:d"]}"#);
        let filter = Filter::parse(Some(&raw)).unwrap();
        let agreed = filter.only_resources(|uri| uri == "c:d");
        let want = r#"{"toolsListChanged":true,"resourceSubscriptions":["c:d"]}"#;
        assert_eq!(serde_json::to_string(&agreed).unwrap(), want);
    }

    #[test]
    fn other_types_are_refused() {
        assert!(Filter::parse(None).is_err());
        for bad in [
            "null",
            "[]",
            "true",
            r#"{"toolsListChanged":1}"#,
            r#"{"toolsListChanged":null}"#,
            r#"{"resourceSubscriptions":"a:b"}"#,
            r#"{"resourceSubscriptions":[7]}"#,
        ] {
            assert!(Filter::parse(Some(&raw(bad))).is_err(), "{bad}");
        }
    }
}
