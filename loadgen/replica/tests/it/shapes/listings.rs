use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::forms::Object;
use super::typed::{Anything, shape};

shape! {
    Discovery { supported_versions: Vec<String>, capabilities: Capabilities, }
    may { instructions: String, }
}

shape! {
    Capabilities {} may {
        tools: Changing, prompts: Changing, resources: Resources,
        completions: Anything, logging: Anything,
        extensions: Map<String, Value>, experimental: Map<String, Value>,
    }
}

shape! { Changing {} may { list_changed: bool, } }

shape! { Resources {} may { list_changed: bool, subscribe: bool, } }

shape! { Tools { tools: Vec<Tool>, } may { next_cursor: String, } }

shape! { Prompts { prompts: Vec<Prompt>, } may { next_cursor: String, } }

shape! { ListedResources { resources: Vec<Resource>, } may { next_cursor: String, } }

shape! { Templates { resource_templates: Vec<Template>, } may { next_cursor: String, } }

shape! {
    Tool { name: String, input_schema: InputSchema, }
    may { title: String, description: String, output_schema: Map<String, Value>, }
}

/// Any JSON schema of an object.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InputSchema {
    r#type: Object,
    #[serde(flatten)]
    more: Map<String, Value>,
}

shape! {
    Prompt { name: String, } may { title: String, description: String, arguments: Vec<Argument>, }
}

shape! { Argument { name: String, } may { description: String, required: bool, } }

shape! {
    Resource { uri: String, name: String, }
    may { title: String, description: String, mime_type: String, size: u64, }
}

shape! {
    Template { uri_template: String, name: String, }
    may { title: String, description: String, mime_type: String, }
}

impl Discovery {
    pub(crate) fn check(&self) {
        assert!(!self.supported_versions.is_empty());
    }
}

impl Tools {
    /// Names are those that the revision permits, and each tool has a description, as the official
    /// suite wants it.
    pub(crate) fn check(&self) {
        for tool in &self.tools {
            let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            assert!((1..=128).contains(&tool.name.len()) && tool.name.chars().all(known));
            assert!(
                tool.description.as_ref().is_some_and(|d| !d.is_empty()),
                "{tool:?}"
            );
        }
        distinct(self.tools.iter().map(|tool| &tool.name));
    }
}

impl Prompts {
    pub(crate) fn check(&self) {
        for prompt in &self.prompts {
            assert!(
                prompt.description.as_ref().is_some_and(|d| !d.is_empty()),
                "{prompt:?}"
            );
            distinct(
                prompt
                    .arguments
                    .iter()
                    .flatten()
                    .map(|argument| &argument.name),
            );
        }
        distinct(self.prompts.iter().map(|prompt| &prompt.name));
    }
}

impl ListedResources {
    pub(crate) fn check(&self) {
        distinct(self.resources.iter().map(|resource| &resource.uri));
    }
}

impl Templates {
    pub(crate) fn check(&self) {
        for template in &self.resource_templates {
            assert!(template.uri_template.contains('{'), "{template:?}");
        }
        distinct(
            self.resource_templates
                .iter()
                .map(|template| &template.uri_template),
        );
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a String> + Clone) {
    let count = names.clone().count();
    assert_eq!(names.collect::<BTreeSet<_>>().len(), count);
}
