use std::borrow::Cow;
use std::collections::BTreeMap;

use loadgen_protocol::Params;
use loadgen_protocol::raw_json::object;
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::surface::{Prompt, Resource, Surface};

/// Most values that one completion may carry, by the revision.
const VALUES_MAX: usize = 100;

/// What `completion/complete` suggests: for each argument of a prompt, and each variable of a
/// resource template, a fixed list.
pub(crate) struct Completions {
    prompts: BTreeMap<String, Arguments>,
    templates: BTreeMap<String, Arguments>,
}

type Arguments = BTreeMap<String, &'static [&'static str]>;

/// The `completion` member of a result.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completion {
    values: Vec<&'static str>,
    total: usize,
    has_more: bool,
}

/// What is asked about.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference<'a> {
    #[serde(rename = "ref/prompt")]
    Prompt {
        #[serde(borrow)]
        name: Cow<'a, str>,
    },
    #[serde(rename = "ref/resource")]
    Resource {
        #[serde(borrow)]
        uri: Cow<'a, str>,
    },
}

/// The argument that is being typed.
#[derive(Deserialize)]
struct Argument<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

impl Completions {
    pub(crate) fn new(surface: Surface) -> Self {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let of_prompt = |prompt: Prompt| {
            let listing = prompt.listing();
            let arguments = listing["arguments"].as_array().into_iter().flatten();
            let arguments = arguments.map(|argument| {
                let name = text(&argument["name"]);
                let suggestions = prompt.suggestions(&name);
                (name, suggestions)
            });
            (text(&listing["name"]), arguments.collect())
        };
        let of_template = |template: serde_json::Value| {
            let template = text(&template["uriTemplate"]);
            let variables = variables(&template)
                .map(|name| (name.to_owned(), Resource::suggestions(&template, name)))
                .collect();
            (template, variables)
        };
        Self {
            prompts: surface.prompts().map(of_prompt).collect(),
            templates: Resource::templates(surface.fixtures)
                .into_iter()
                .map(of_template)
                .collect(),
        }
    }

    /// What the argument that is being typed may become.
    ///
    /// # Errors
    /// When `ref` or `argument` is missing or malformed, or refers to nothing here.
    pub(crate) fn complete(&self, params: &Params<'_>) -> Result<Completion, Refusal> {
        let reference = params.reference.and_then(|raw| object(raw.get()).ok());
        let arguments = match reference {
            None => {
                return Err(Refusal::Params(
                    "params.ref must be a ref/prompt with a name or a ref/resource with a uri"
                        .into(),
                ));
            }
            Some(Reference::Prompt { name }) => self
                .prompts
                .get(&*name)
                .ok_or_else(|| Refusal::Target(name.into_owned()))?,
            Some(Reference::Resource { uri }) => self
                .templates
                .get(&*uri)
                .ok_or_else(|| Refusal::Resource(uri.into_owned()))?,
        };
        let argument = params.argument.and_then(|raw| object(raw.get()).ok());
        let Some(Argument { name, value }) = argument else {
            return Err(Refusal::Params(
                "params.argument must have a name and a value, both strings".into(),
            ));
        };
        let suggestions = arguments
            .get(&*name)
            .ok_or_else(|| Refusal::Params(format!("There is no argument {name:?}").into()))?;
        Ok(Completion::of(suggestions, &value))
    }
}

impl Completion {
    /// The suggestions that begin with what was typed, in their own order.
    fn of(suggestions: &[&'static str], typed: &str) -> Self {
        let mut values = suggestions.to_vec();
        values.retain(|suggestion| suggestion.starts_with(typed));
        let total = values.len();
        values.truncate(VALUES_MAX);
        Self {
            has_more: total > values.len(),
            values,
            total,
        }
    }
}

/// The names between braces in a URI template of simple variables (RFC 6570, level 1).
fn variables(template: &str) -> impl Iterator<Item = &str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::raw;

    fn complete(params: &str) -> Result<Completion, Refusal> {
        let raw = raw(params);
        let params = Params::parse(Some(&raw)).unwrap();
        Completions::new(Surface { fixtures: true }).complete(&params)
    }

    fn typed(reference: &str, name: &str, value: &str) -> Vec<&'static str> {
        let argument = format!(r#"{{"name":{name:?},"value":{value:?}}}"#);
        complete(&format!(r#"{{"ref":{reference},"argument":{argument}}}"#))
            .unwrap()
            .values
    }

    #[test]
    fn suggestions_begin_with_what_was_typed() {
        let briefing = r#"{"type":"ref/prompt","name":"briefing"}"#;
        assert_eq!(typed(briefing, "topic", "").len(), 5);
        assert_eq!(typed(briefing, "topic", "la"), ["latency"]);
        assert_eq!(typed(briefing, "topic", "LA"), [""; 0]);
        let memo = r#"{"type":"ref/resource","uri":"memo://{name}"}"#;
        assert_eq!(typed(memo, "name", "to"), ["today", "tomorrow"]);
        let none = r#"{"type":"ref/prompt","name":"test_prompt_with_arguments"}"#;
        assert_eq!(typed(none, "arg1", ""), [""; 0]);
    }

    #[test]
    fn what_refers_to_nothing_is_refused_by_its_own_reason() {
        let with = |reference: &str, argument: &str| {
            complete(&format!(r#"{{"ref":{reference},"argument":{argument}}}"#)).unwrap_err()
        };
        let argument = r#"{"name":"topic","value":""}"#;
        let briefing = r#"{"type":"ref/prompt","name":"briefing"}"#;
        assert_eq!(
            with(r#"{"type":"ref/prompt","name":"no"}"#, argument),
            Refusal::Target("no".into())
        );
        assert_eq!(
            with(r#"{"type":"ref/resource","uri":"memo://today"}"#, argument),
            Refusal::Resource("memo://today".into())
        );
        for reference in [
            "null",
            "[]",
            "{}",
            r#"{"type":"ref/tool","name":"echo"}"#,
            r#"{"type":"ref/prompt"}"#,
            r#"{"type":"ref/prompt","name":5}"#,
            r#"{"type":"ref/resource","name":"briefing"}"#,
        ] {
            let refused = with(reference, argument);
            assert!(
                matches!(&refused, Refusal::Params(why) if why.contains("params.ref")),
                "{reference}: {refused:?}"
            );
        }
        for argument in [
            "null",
            "{}",
            r#"{"name":"topic"}"#,
            r#"{"name":"topic","value":5}"#,
            r#"["topic",""]"#,
            r#"{"name":"other","value":""}"#,
        ] {
            let refused = with(briefing, argument);
            assert!(
                matches!(&refused, Refusal::Params(why) if why.contains("argument")),
                "{argument}: {refused:?}"
            );
        }
        assert!(matches!(complete("{}"), Err(Refusal::Params(_))));
    }

    #[test]
    fn more_than_a_hundred_are_cut_and_said_to_be_more() {
        let cut = Completion::of(&["a"; 101], "a");
        assert_eq!(
            (cut.values.len(), cut.total, cut.has_more),
            (100, 101, true)
        );
        let whole = Completion::of(&["a"; 100], "a");
        assert_eq!(
            (whole.values.len(), whole.total, whole.has_more),
            (100, 100, false)
        );
    }

    #[test]
    fn a_template_has_the_variables_between_its_braces() {
        let names = |template| variables(template).collect::<Vec<_>>();
        assert_eq!(names("a://{x}/b/{y}"), ["x", "y"]);
        assert_eq!(names("a://b"), [""; 0]);
        assert_eq!(names("a://{x"), [""; 0]);
    }
}
