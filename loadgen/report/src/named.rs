use loadgen_measure::RunResult;

/// A result and what it is called where several stand side by side.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Its name, such as that of its folder.
    pub name: &'a str,
    /// The result.
    pub result: &'a RunResult,
}

/// The letter of a result in tables and charts of several: `A` is the first.
pub(crate) fn letter(index: usize) -> String {
    let letter = u8::try_from(index % 26).unwrap_or(0);
    char::from(b'A' + letter).to_string()
}
