use loadgen_protocol::names::method;
use serde_json::Value;
use toml::Spanned;

use super::check::Check;
use super::json::json;
use super::{AnswerPlan, Departure, Mirrored, Spread, StateFault};
use crate::content::{Arguments, Order, Rows};
use crate::draw::Draw;
use crate::scenario::{DataTable, ScenarioError, WorkflowTable};

/// One kind of workflow in the mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Name in results.
    pub name: String,
    /// Share of the mix against the other weights.
    pub weight: f64,
    /// JSON-RPC method.
    pub method: &'static str,
    /// Name of the tool or prompt, or address of the resource.
    pub target: String,
    /// The arguments; `None` when there are none.
    pub arguments: Option<Arguments>,
    /// Text that a whole result has to hold; `None`: none is looked for.
    pub expect_text: Option<String>,
    /// Time a user takes to answer a question, in seconds.
    pub think: Draw,
    /// How questions are answered.
    pub answers: AnswerPlan,
    /// When users go before they have their answer.
    pub departure: Departure,
    /// Which replica gets a round.
    pub spread: Spread,
    /// How every state is broken before it is sent back; `None`: not at all.
    pub break_state: Option<StateFault>,
    /// How many requests carry each state back at once: 1, unless it is replayed.
    pub replay: u16,
    /// Arguments that headers repeat. The scenario cannot know them: the probe finds them.
    pub mirrored: Vec<Mirrored>,
}

impl Check<'_> {
    pub(super) fn rows(&self, table: &DataTable) -> Result<Rows, ScenarioError> {
        let order = match &table.order {
            None => Order::Next,
            Some(order) => match order.get_ref().as_str() {
                "next" => Order::Next,
                "random" => Order::Random,
                _ => return Err(self.wrong(order, "order must be \"next\" or \"random\"")),
            },
        };
        Rows::read(&self.beside(table.file.get_ref()), order)
            .map_err(|why| self.wrong(&table.file, &why))
    }

    pub(super) fn kinds(
        &self,
        list: &Spanned<Vec<Spanned<WorkflowTable>>>,
        rows: Option<&Rows>,
        spread: Spread,
    ) -> Result<Vec<Kind>, ScenarioError> {
        if list.get_ref().is_empty() {
            return Err(self.wrong(list, "at least one [[workflow]] is needed"));
        }
        let mut kinds: Vec<Kind> = Vec::new();
        for table in list.get_ref() {
            let kind = self.kind(table, rows, spread)?;
            if kinds.iter().any(|other| other.name == kind.name) {
                return Err(self.wrong(
                    table,
                    &format!(
                        "two workflows are called `{}`; give one of them a `name`",
                        kind.name
                    ),
                ));
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }

    fn kind(
        &self,
        table: &Spanned<WorkflowTable>,
        rows: Option<&Rows>,
        spread: Spread,
    ) -> Result<Kind, ScenarioError> {
        let flow = table.get_ref();
        let given = [
            (method::TOOLS_CALL, &flow.tool),
            (method::PROMPTS_GET, &flow.prompt),
            (method::RESOURCES_READ, &flow.resource),
        ];
        let mut given = given
            .into_iter()
            .filter_map(|(method, target)| Some((method, target.as_ref()?)));
        let (Some((method, target)), None) = (given.next(), given.next()) else {
            return Err(self.wrong(
                table,
                "a [[workflow]] needs exactly one of `tool`, `prompt` and `resource`",
            ));
        };
        if target.get_ref().is_empty() {
            return Err(self.wrong(target, "an empty name calls nothing"));
        }
        let weight = match &flow.weight {
            None => 1.0,
            Some(weight) if *weight.get_ref() > 0.0 && *weight.get_ref() <= 1e9 => {
                *weight.get_ref()
            }
            Some(weight) => {
                return Err(self.wrong(weight, "weight must be above 0 and at most 1000000000"));
            }
        };
        let arguments = flow
            .arguments
            .as_ref()
            .map(|arguments| self.arguments(method, arguments, rows))
            .transpose()?;
        let target = target.get_ref().clone();
        let break_state = flow.break_state.as_ref();
        let break_state = break_state.map(|name| self.state_fault(name)).transpose()?;
        Ok(Kind {
            name: flow
                .name
                .as_ref()
                .map_or_else(|| target.clone(), |name| name.get_ref().clone()),
            weight,
            method,
            target,
            arguments,
            expect_text: self.expect_text(flow)?,
            think: self.think(flow)?,
            departure: self.departure(flow)?,
            spread: self.spread(flow.spread.as_ref(), spread)?,
            break_state,
            replay: self.replay(flow.replay.as_ref(), break_state)?,
            mirrored: Vec::new(),
            answers: flow
                .answers
                .as_ref()
                .map_or_else(|| Ok(AnswerPlan::default()), |table| self.answers(table))?,
        })
    }

    /// What every round of a workflow repeats byte for byte.
    fn arguments(
        &self,
        method: &str,
        arguments: &Spanned<toml::Table>,
        rows: Option<&Rows>,
    ) -> Result<Arguments, ScenarioError> {
        if method == method::RESOURCES_READ {
            return Err(self.wrong(arguments, "a resource takes no arguments"));
        }
        let value = json(&toml::Value::Table(arguments.get_ref().clone())).ok_or_else(|| {
            self.wrong(
                arguments,
                "arguments must be JSON values: no dates, no nan, no inf",
            )
        })?;
        let is_prompt = method == method::PROMPTS_GET;
        let strings_only = value
            .as_object()
            .is_some_and(|object| object.values().all(Value::is_string));
        if is_prompt && !strings_only {
            return Err(self.wrong(arguments, "arguments of a prompt must be strings"));
        }
        Arguments::new(&value, is_prompt, rows).map_err(|why| self.wrong(arguments, &why))
    }
}
