//! A result in the forms that other programs read: one file a form.

mod bencher;
mod csv;
mod figures;
mod github;
mod headline;
mod junit;
mod k6;
mod prometheus;
mod seconds;

use std::io::{self, Write};

use loadgen_measure::{HistogramError, RunResult};

/// A form that another program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// JUnit XML: a test for each threshold and check, and one for the verdict.
    Junit,
    /// Bencher Metric Format, JSON.
    Bencher,
    /// JSON for github-action-benchmark's `customSmallerIsBetter`: times and sizes.
    GithubSmallerIsBetter,
    /// JSON for github-action-benchmark's `customBiggerIsBetter`: rates.
    GithubBiggerIsBetter,
    /// JSON of the shape that k6 gives to `handleSummary`.
    K6Summary,
    /// CSV: every figure in a row of its own.
    Csv,
    /// CSV: every figure of every second in a row of its own.
    CsvSeconds,
    /// Prometheus' text format 0.0.4.
    Prometheus,
}

/// Why a result could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A stored histogram is damaged.
    #[error("a histogram of the result is damaged: {0}")]
    Histogram(#[from] HistogramError),
    /// The output takes no more.
    #[error("the export cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes a result in this form. A figure that does not exist is left out: no form gets a NaN, an
/// infinity, or a zero that stands for none.
///
/// # Errors
/// When a stored histogram is damaged, or `out` takes no more.
pub fn export(
    result: &RunResult,
    format: ExportFormat,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    match format {
        ExportFormat::Junit => junit::write(result, out),
        ExportFormat::Bencher => json(&bencher::of(result), out),
        ExportFormat::GithubSmallerIsBetter => json(&github::smaller_is_better(result), out),
        ExportFormat::GithubBiggerIsBetter => json(&github::bigger_is_better(result), out),
        ExportFormat::K6Summary => json(&k6::of(result)?, out),
        ExportFormat::Csv => csv::write(result, out),
        ExportFormat::CsvSeconds => seconds::write(result, out),
        ExportFormat::Prometheus => prometheus::write(result, out),
    }
}

fn json(value: &serde_json::Value, out: &mut impl Write) -> Result<(), ExportError> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
