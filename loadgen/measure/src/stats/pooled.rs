/// The values of all seconds together.
#[derive(Debug)]
pub(crate) struct Pooled {
    values: Vec<(u64, u64)>,
    count: u64,
}

impl Pooled {
    /// Of different values with their counts, rising.
    pub(crate) fn new(values: Vec<(u64, u64)>) -> Self {
        Self {
            count: values.iter().map(|(_, count)| count).sum(),
            values,
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value with at least a share `p` of all values at or below it; 0 if there is none.
    pub(crate) fn at(&self, p: f64) -> u64 {
        let wanted = (p * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.values.iter().find(|(_, count)| {
            seen += count;
            seen >= wanted
        });
        found.or(self.values.last()).map_or(0, |(value, _)| *value)
    }
}
