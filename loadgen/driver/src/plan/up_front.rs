use loadgen_protocol::{Action, ElicitAnswer};
use serde_json::{Map, Value};
use toml::Spanned;

use super::check::Check;
use super::json::json;
use crate::scenario::{AnswersTable, ScenarioError};

/// Answers that go with the first request, before anything was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct UpFront {
    /// Weight of a workflow that sends them, against the weights of the other answers.
    pub weight: f64,
    /// JSON text of the answers by the key of their question, each accepted with its fields.
    pub answers: String,
}

impl Check<'_> {
    pub(super) fn up_front(&self, table: &AnswersTable) -> Result<Option<UpFront>, ScenarioError> {
        let weight = self.weight_or_zero(&table.up_front)?;
        match (&table.up_front, &table.up_front_fields) {
            (None, None) => Ok(None),
            (None, Some(fields)) => Err(self.wrong(
                fields,
                "`up_front_fields` is sent by nobody without the weight `up_front`",
            )),
            (Some(weight), None) => Err(self.wrong(
                weight,
                "`up_front` needs `up_front_fields`: nobody can answer a question before it is \
                 asked without knowing its key",
            )),
            (Some(_), Some(fields)) => Ok(Some(UpFront {
                weight,
                answers: self.answers_text(fields)?,
            })),
        }
    }

    fn answers_text(&self, table: &Spanned<toml::Table>) -> Result<String, ScenarioError> {
        let mut answers = Map::new();
        for (key, fields) in table.get_ref() {
            let Some(content) = fields.as_table().and_then(form) else {
                return Err(self.wrong(
                    table,
                    &format!(
                        "`{key}` is the key of a question and holds the fields of its form, as in \
                         `{{ {key} = {{ name = \"Mara\" }} }}`"
                    ),
                ));
            };
            let answer = ElicitAnswer {
                action: Action::Accept,
                content: Some(content),
            };
            let answer = serde_json::to_value(answer).expect("an answer holds only JSON values");
            answers.insert(key.clone(), answer);
        }
        if answers.is_empty() {
            return Err(self.wrong(table, "`up_front_fields` answers no question"));
        }
        Ok(Value::Object(answers).to_string())
    }
}

/// The fields of a form; `None` where one is something that no form has.
fn form(fields: &toml::Table) -> Option<Map<String, Value>> {
    fields
        .iter()
        .map(|(name, value)| {
            let value = json(value).filter(|value| !value.is_object())?;
            Some((name.clone(), value))
        })
        .collect()
}
