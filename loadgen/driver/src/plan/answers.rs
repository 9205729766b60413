use toml::Spanned;

use super::UpFront;
use super::check::Check;
use super::fixed::FixedFields;
use super::json::json;
use crate::scenario::{AnswersTable, ScenarioError};

/// How questions are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerPlan {
    /// Weight of accepting an elicitation.
    pub accept: f64,
    /// Weight of declining it.
    pub decline: f64,
    /// Weight of cancelling it.
    pub cancel: f64,
    /// Answers that some workflows send before they are asked; `None`: none does.
    pub up_front: Option<UpFront>,
    /// Share of the optional fields that are filled.
    pub optional: f64,
    /// Fixed values of fields.
    pub fields: FixedFields,
    /// Text that answers a sampling question.
    pub sampling: String,
    /// Addresses that answer a roots question.
    pub roots: Vec<String>,
}

impl Default for AnswerPlan {
    fn default() -> Self {
        Self {
            accept: 1.0,
            decline: 0.0,
            cancel: 0.0,
            up_front: None,
            optional: 1.0,
            fields: FixedFields::default(),
            sampling: "A canned answer.".to_owned(),
            roots: vec!["file:///loadgen".to_owned()],
        }
    }
}

impl Check<'_> {
    pub(super) fn answers(&self, table: &AnswersTable) -> Result<AnswerPlan, ScenarioError> {
        let usual = AnswerPlan::default();
        let up_front = self.up_front(table)?;
        let weights = [
            &table.accept,
            &table.decline,
            &table.cancel,
            &table.up_front,
        ];
        let before = up_front.as_ref().map_or(0.0, |up_front| up_front.weight);
        let [mut accept, decline, cancel] = [
            self.weight_or_zero(&table.accept)?,
            self.weight_or_zero(&table.decline)?,
            self.weight_or_zero(&table.cancel)?,
        ];
        match weights.into_iter().flatten().next() {
            None => accept = usual.accept,
            Some(first) if accept + decline + cancel + before == 0.0 => {
                return Err(self.wrong(
                    first,
                    "one of the weights `accept`, `decline`, `cancel` and `up_front` must be above 0",
                ));
            }
            Some(_) => {}
        }
        let optional = match &table.optional {
            None => usual.optional,
            Some(share) => self.share("optional", share)?,
        };
        let fields = match &table.fields {
            None => usual.fields,
            Some(fields) => self.fields(fields)?,
        };
        Ok(AnswerPlan {
            accept,
            decline,
            cancel,
            up_front,
            optional,
            fields,
            sampling: table.sampling.clone().unwrap_or(usual.sampling),
            roots: match &table.roots {
                None => usual.roots,
                Some(roots) => roots
                    .iter()
                    .map(|root| self.root(root))
                    .collect::<Result<_, _>>()?,
            },
        })
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self, key: &str, value: &Spanned<f64>) -> Result<f64, ScenarioError> {
        let share = *value.get_ref();
        if (0.0..=1.0).contains(&share) {
            return Ok(share);
        }
        Err(self.wrong(value, &format!("{key} is a share: 0 to 1")))
    }

    pub(super) fn weight_or_zero(
        &self,
        value: &Option<Spanned<f64>>,
    ) -> Result<f64, ScenarioError> {
        match value {
            None => Ok(0.0),
            Some(weight) if (0.0..=1e9).contains(weight.get_ref()) => Ok(*weight.get_ref()),
            Some(weight) => Err(self.wrong(weight, "a weight must be 0 to 1000000000")),
        }
    }

    fn fields(&self, table: &Spanned<toml::Table>) -> Result<FixedFields, ScenarioError> {
        let mut fields = Vec::new();
        for (name, value) in table.get_ref() {
            // A bare `key.name = value` is a table to TOML.
            let nested = match value {
                toml::Value::Table(inner) => inner
                    .iter()
                    .map(|(field, value)| (format!("{name}.{field}"), value))
                    .collect(),
                value => vec![(name.clone(), value)],
            };
            for (name, value) in nested {
                let value = json(value)
                    .filter(|value| !value.is_object())
                    .ok_or_else(|| {
                        self.wrong(
                            table,
                            &format!(
                                "`{name}` must be a string, number, boolean or list: a form has no \
                                 other fields"
                            ),
                        )
                    })?;
                fields.push((name, value));
            }
        }
        Ok(fields.into_iter().collect())
    }

    fn root(&self, root: &Spanned<String>) -> Result<String, ScenarioError> {
        if root.get_ref().starts_with("file://") {
            return Ok(root.get_ref().clone());
        }
        Err(self.wrong(root, "a root begins with file://"))
    }
}
