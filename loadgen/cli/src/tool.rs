use loadgen_measure::Tool;

/// This program.
pub(crate) fn tool() -> Tool {
    Tool {
        name: "loadgen".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
