use std::io::{self, Write};

use loadgen_measure::RunResult;

use super::ExportError;
use super::figures::{Figure, figures};

const HEAD: [&str; 11] = [
    "figure",
    "statistic",
    "unit",
    "value",
    "low_95",
    "high_95",
    "kind",
    "phase",
    "round",
    "outcome",
    "replica",
];

/// Every figure in a row of its own, by RFC 4180; what does not apply is an empty field.
pub(super) fn write(result: &RunResult, out: &mut impl Write) -> Result<(), ExportError> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record(HEAD).map_err(io::Error::from)?;
    for figure in figures(result) {
        csv.write_record(row(&figure)).map_err(io::Error::from)?;
    }
    Ok(csv.flush()?)
}

fn row(figure: &Figure<'_>) -> [String; 11] {
    let of = &figure.of;
    let (low, high) = figure.interval_95.unzip();
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    [
        figure.name.to_owned(),
        figure.statistic.to_owned(),
        figure.unit.to_owned(),
        figure.value.to_string(),
        number(low),
        number(high),
        of.kind.unwrap_or_default().to_owned(),
        of.phase.unwrap_or_default().to_owned(),
        number(of.round.map(u64::from)),
        of.outcome.map_or("", |outcome| outcome.name()).to_owned(),
        number(of.replica.map(|replica| replica as u64)),
    ]
}
