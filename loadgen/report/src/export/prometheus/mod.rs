//! A result in Prometheus' text format 0.0.4.

mod page;
mod run;
mod work;

use std::io::{self, Write};

use loadgen_measure::RunResult;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::registry::Registry;

use super::ExportError;
use page::Page;

/// Writes it for a text-file collector or a push gateway: base units in the names, histograms in
/// seconds.
pub(super) fn write(result: &RunResult, out: &mut impl Write) -> Result<(), ExportError> {
    let mut page = Page::default();
    run::add(&mut page, result);
    work::add(&mut page, result)?;
    let mut registry = Registry::default();
    registry.register_collector(Box::new(page));
    let mut text = String::new();
    prometheus_text::encode(&mut text, &registry).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    Ok(())
}
