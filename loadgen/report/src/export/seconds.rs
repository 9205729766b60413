use std::io::{self, Write};

use loadgen_measure::{RunResult, SecondResult};

use super::ExportError;

const HEAD: [&str; 5] = ["second", "round", "figure", "unit", "value"];

/// Every figure of every second in a row of its own, by RFC 4180. Counts are of all rounds and have no
/// round; times are response times of the successful rounds of one position.
pub(super) fn write(result: &RunResult, out: &mut impl Write) -> Result<(), ExportError> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record(HEAD).map_err(io::Error::from)?;
    for second in &result.seconds {
        for (round, figure, unit, value) in rows(second) {
            let round = round.map_or_else(String::new, |round| round.to_string());
            let (second, value) = (second.second.to_string(), value.to_string());
            let row = [&*second, &*round, figure, unit, &*value];
            csv.write_record(row).map_err(io::Error::from)?;
        }
    }
    Ok(csv.flush()?)
}

type Row = (Option<u16>, &'static str, &'static str, u64);

fn rows(second: &SecondResult) -> impl Iterator<Item = Row> + '_ {
    let counts = [
        ("sent", second.sent),
        ("done", second.done),
        ("ok", second.ok),
        ("failed", second.failed),
        ("not_started", second.not_started),
        ("refused", second.refused),
    ];
    let counts = counts.map(|(figure, count)| (None, figure, "count", count));
    let rounds = second.rounds.iter().flat_map(|round| {
        let of = Some(round.round);
        [
            (of, "response.count", "count", round.count),
            (of, "response.p50", "ns", round.p50_ns),
            (of, "response.p99", "ns", round.p99_ns),
            (of, "response.max", "ns", round.max_ns),
        ]
    });
    counts.into_iter().chain(rounds)
}
