use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::Value;

use super::Rows;
use crate::schedule::workflow_rng;

/// Mixed into the seed, so that what a workflow sends does not come from the stream that decides
/// where it goes and what it answers.
const STREAM: u64 = 0x6172_6775_6d65_6e74;

/// What one workflow's templates are filled from: a pure function of seed and workflow number.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    id: u64,
    rng: Xoshiro256PlusPlus,
    row: Option<&'a [Option<Value>]>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(seed: u64, id: u64, rows: Option<&'a Rows>) -> Self {
        let mut rng = workflow_rng(seed ^ STREAM, id);
        let first: u64 = rng.random();
        Self {
            id,
            rng,
            row: rows.map(|rows| rows.row(id, first)),
        }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn rng(&mut self) -> &mut Xoshiro256PlusPlus {
        &mut self.rng
    }

    /// The cell of this column in the workflow's row.
    pub(super) fn cell(&self, column: usize) -> Value {
        self.row
            .and_then(|row| row.get(column)?.clone())
            .unwrap_or(Value::Null)
    }
}
