use loadgen_measure::{MatrixCell, Outcome, ReplicaResult, RunResult, SlotLimit};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{or_nothing, percent, size_bytes, three_digits, time_ns};

/// Above this many replicas the matrix is too wide for a terminal; the result file has it.
const WIDEST_MATRIX: usize = 8;

/// Replicas, the matrix of who minted and who opened, connections.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    replicas(text, result);
    matrix(text, result);
    connections(text, result);
}

fn replicas(text: &mut Text, result: &RunResult) {
    text.heading("Replicas");
    let head = [
        "",
        "address",
        "ok",
        "state rejected",
        "other",
        "service p50",
        "p99",
        "CPU",
        "RSS",
    ];
    let mut table = Table::new(2, &head);
    for replica in &result.replicas {
        let count = |outcome| replica.rounds.get(&outcome).copied().unwrap_or(0);
        let (ok, rejected) = (count(Outcome::Ok), count(Outcome::StateRejected));
        let all: u64 = replica.rounds.values().sum();
        let service = replica.service.as_ref();
        table.row(vec![
            replica.index.to_string(),
            replica.facts.url.clone(),
            ok.to_string(),
            rejected.to_string(),
            (all - ok - rejected).to_string(),
            or_nothing(service, |f| time_ns(f.p50_ns as f64)),
            or_nothing(service, |f| time_ns(f.p99_ns as f64)),
            or_nothing(replica.facts.cpu_s, |s| format!("{} s", three_digits(s))),
            or_nothing(replica.facts.rss_bytes, |bytes| size_bytes(bytes as f64)),
        ]);
    }
    text.table(&table);
    let state_only: u64 = result.replicas.iter().map(|r| r.state_only_rounds).sum();
    if state_only > 0 {
        text.line(&format!(
            "  {state_only} rounds were answered with a state alone, to be asked again later"
        ));
    }
    for replica in &result.replicas {
        death(text, replica);
    }
}

fn death(text: &mut Text, replica: &ReplicaResult) {
    let Some(death) = &replica.facts.died else {
        return;
    };
    let line = format!("replica {} died: {}", replica.index, death.status);
    text.sentence("!", Role::Bad, &line);
    text.quoted(&death.stderr_tail);
}

fn matrix(text: &mut Text, result: &RunResult) {
    let matrix = &result.matrix;
    if matrix.total() == 0 {
        text.heading("Returned states: none");
        return;
    }
    text.heading("Returned states: ok / rejected / other, service p50 (row minted, column opened)");
    if matrix.replicas > WIDEST_MATRIX {
        let same = |cell: &&MatrixCell| cell.minted_by == cell.opened_by;
        let own: u64 = matrix.cells.iter().filter(same).map(|c| c.total()).sum();
        let rejected: u64 = matrix.cells.iter().map(|cell| cell.state_rejected).sum();
        text.line(&format!(
            "  {} replicas: {} returned, {own} to their own replica, {rejected} rejected",
            matrix.replicas,
            matrix.total()
        ));
        return;
    }
    let head: Vec<String> = (0..matrix.replicas).map(|r| format!("by {r}")).collect();
    let mut columns = vec!["minted"];
    columns.extend(head.iter().map(String::as_str));
    let mut table = Table::new(1, &columns);
    for minted_by in 0..matrix.replicas {
        let mut counts = vec![format!("by {minted_by}")];
        let mut times = vec![String::new()];
        for opened_by in 0..matrix.replicas {
            let cell = matrix.cell(minted_by, opened_by);
            counts.push(or_nothing(cell, |cell| {
                format!("{} / {} / {}", cell.ok, cell.state_rejected, cell.other)
            }));
            let service = cell.and_then(|cell| cell.service.as_ref());
            times.push(or_nothing(service, |f| time_ns(f.p50_ns as f64)));
        }
        table.row(counts);
        table.row(times);
    }
    text.table(&table);
}

fn connections(text: &mut Text, result: &RunResult) {
    let connections = &result.connections;
    text.heading("Connections");
    let asked = or_nothing(connections.facts.asked, |n| n.to_string());
    let connect = connections.connect.as_ref();
    text.line(&format!(
        "  asked {asked}, open at most {}, established {}; connect p50 {}, p99 {}, max {}",
        connections.facts.open_max,
        connections.established,
        or_nothing(connect, |f| time_ns(f.p50_ns as f64)),
        or_nothing(connect, |f| time_ns(f.p99_ns as f64)),
        or_nothing(connect, |f| time_ns(f.max_ns as f64)),
    ));
    if let Some(max) = connections.facts.answering_max {
        let min = connections.facts.answering_min;
        let min = min.map_or_else(String::new, |min| format!(", at least {min} after that"));
        text.line(&format!(
            "  answered on at most {max} of them at one time{min}"
        ));
    }
    let rounds = result.load.rounds_sent;
    let share = (rounds > 0).then(|| connections.reused_rounds as f64 / rounds as f64);
    text.line(&format!(
        "  {} of {rounds} sent rounds over a kept-alive connection ({})",
        connections.reused_rounds,
        or_nothing(share, percent)
    ));
    for (limit, waits) in &connections.slot_waits {
        let what = match limit {
            SlotLimit::Connections => "a connection",
            SlotLimit::Streams => "an HTTP/2 stream",
        };
        text.line(&format!(
            "  {} requests waited for {what}: p50 {}, p99 {}, max {}",
            waits.count,
            time_ns(waits.p50_ns as f64),
            time_ns(waits.p99_ns as f64),
            time_ns(waits.max_ns as f64)
        ));
    }
    if connections.resent + connections.moved > 0 {
        text.line(&format!(
            "  {} requests sent again after a stale connection, {} moved to another connection as the \
             server asked",
            connections.resent, connections.moved
        ));
    }
}
