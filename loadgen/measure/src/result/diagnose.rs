use super::findings::{Finding, FindingCode};
use super::fleet::{Matrix, MatrixCell};

/// Names the cause of refused states from who minted them and who refused them.
///
/// A cell *refuses* when at least half of its answered rounds were refused, and *accepts* when
/// fewer were. With that:
/// - a replica that refuses its own states and everybody else's is itself at fault, and so is one
///   whose states nobody accepts, itself included;
/// - pairs that refuse each other while their own states are accepted do not share a key or an
///   audience;
/// - pairs that refuse in one direction only have clocks that disagree;
/// - refusals without a refusing cell (states that expired, for instance) are only counted.
///
/// The same matrix always gives the same findings, in the same order.
pub fn diagnose(matrix: &Matrix) -> Vec<Finding> {
    let mut findings = Vec::new();
    let n = matrix.replicas;
    let faulty: Vec<usize> = (0..n).filter(|r| is_faulty(matrix, *r)).collect();
    for &replica in &faulty {
        findings.push(Finding::about(
            FindingCode::ReplicaRefusesOwnState,
            vec![replica],
            format!(
                "replica {replica} refuses the very states that it minted itself: \
                 its key, clock or binding is wrong"
            ),
        ));
    }

    let (mut mutual, mut one_sided) = (Vec::new(), Vec::new());
    for a in (0..n).filter(|r| !faulty.contains(r)) {
        for b in (a + 1..n).filter(|r| !faulty.contains(r)) {
            match (answers(matrix, a, b), answers(matrix, b, a)) {
                (Some(Answer::Refuses), Some(Answer::Accepts)) => one_sided.push((a, b)),
                (Some(Answer::Accepts), Some(Answer::Refuses)) => one_sided.push((b, a)),
                (Some(Answer::Refuses), _) | (_, Some(Answer::Refuses)) => mutual.push((a, b)),
                _ => {}
            }
        }
    }
    if !mutual.is_empty() {
        findings.push(not_shared(matrix, &mutual));
    }
    if !one_sided.is_empty() {
        findings.push(skewed(&one_sided));
    }

    let rejected: u64 = matrix.cells.iter().map(|cell| cell.state_rejected).sum();
    if rejected > 0 && findings.is_empty() {
        let refusing = matrix.cells.iter().filter(|cell| cell.state_rejected > 0);
        let mut by: Vec<usize> = refusing.map(|cell| cell.opened_by).collect();
        by.sort_unstable();
        by.dedup();
        let total = matrix.total();
        let (by, sentence) = match by[..] {
            [one] if n > 1 => (
                by,
                format!(
                    "{rejected} of {total} returned states were refused, all of them by replica \
                     {one}, which takes others: its limits, its clock or its load differ"
                ),
            ),
            _ => (
                Vec::new(),
                format!(
                    "{rejected} of {total} returned states were refused, by no replica in \
                     particular: expired or altered on the way"
                ),
            ),
        };
        findings.push(Finding::about(
            FindingCode::StatesRefusedInPart,
            by,
            sentence,
        ));
    }
    findings
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accepts,
    Refuses,
}

fn answers(matrix: &Matrix, minted_by: usize, opened_by: usize) -> Option<Answer> {
    let MatrixCell {
        ok, state_rejected, ..
    } = *matrix.cell(minted_by, opened_by)?;
    match (ok, state_rejected) {
        (0, 0) => None,
        (ok, rejected) if rejected >= ok => Some(Answer::Refuses),
        _ => Some(Answer::Accepts),
    }
}

/// Refuses its own states.
fn is_faulty(matrix: &Matrix, replica: usize) -> bool {
    answers(matrix, replica, replica) == Some(Answer::Refuses)
}

fn not_shared(matrix: &Matrix, pairs: &[(usize, usize)]) -> Finding {
    let involved = involved(pairs);
    let own = |replica: &usize| answers(matrix, *replica, *replica) == Some(Answer::Accepts);
    let both = |(a, b): &(usize, usize)| {
        let refuses = |m, o| answers(matrix, m, o) == Some(Answer::Refuses);
        refuses(*a, *b) && refuses(*b, *a)
    };
    let unseen = if involved.iter().all(own) && pairs.iter().all(both) {
        ""
    } else {
        ", as far as was seen: not every pair was tried both ways"
    };
    let every_pair = pairs.len() == involved.len() * (involved.len() - 1) / 2;
    let who = if every_pair && involved.len() > 2 {
        let all: Vec<String> = involved.iter().map(usize::to_string).collect();
        let (last, first) = all.split_last().expect("there are more than two");
        format!("{} and {last}", first.join(", "))
    } else {
        listed(pairs, " and ")
    };
    Finding::about(
        FindingCode::KeyOrAudienceNotShared,
        involved,
        format!(
            "key or audience not shared between replicas: {who} refuse each other's states and \
             accept their own{unseen}"
        ),
    )
}

fn skewed(pairs: &[(usize, usize)]) -> Finding {
    let involved = involved(pairs);
    let common: Vec<usize> = involved
        .iter()
        .copied()
        .filter(|r| pairs.iter().all(|(a, b)| a == r || b == r))
        .collect();
    let suspect = match common[..] {
        [replica] if pairs.len() > 1 => format!("; replica {replica} is in all of them"),
        _ => String::new(),
    };
    Finding::about(
        FindingCode::ClockSkewSuspected,
        involved,
        format!(
            "clock skew suspected: states are refused in one direction only ({}, minted by -> \
             refused by){suspect}",
            listed(pairs, " -> ")
        ),
    )
}

fn involved(pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut replicas: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    replicas.sort_unstable();
    replicas.dedup();
    replicas
}

fn listed(pairs: &[(usize, usize)], between: &str) -> String {
    const MOST: usize = 8;
    let mut texts: Vec<String> = pairs
        .iter()
        .take(MOST)
        .map(|(a, b)| format!("{a}{between}{b}"))
        .collect();
    if pairs.len() > MOST {
        texts.push(format!("{} more pairs", pairs.len() - MOST));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten rounds a cell; `refused` says how many of them were refused.
    fn matrix(replicas: usize, refused: impl Fn(usize, usize) -> u64) -> Matrix {
        let cells = (0..replicas * replicas)
            .map(|index| {
                let (minted_by, opened_by) = (index / replicas, index % replicas);
                let state_rejected = refused(minted_by, opened_by);
                MatrixCell {
                    minted_by,
                    opened_by,
                    ok: 10 - state_rejected,
                    state_rejected,
                    other: 0,
                    service: None,
                }
            })
            .collect();
        Matrix { replicas, cells }
    }

    fn codes(matrix: &Matrix) -> Vec<(FindingCode, Vec<usize>)> {
        let findings = diagnose(matrix);
        findings.into_iter().map(|f| (f.code, f.replicas)).collect()
    }

    #[test]
    fn a_clean_matrix_has_no_findings() {
        assert_eq!(codes(&matrix(3, |_, _| 0)), []);
        assert_eq!(codes(&matrix(0, |_, _| 0)), []);
    }

    #[test]
    fn refusals_off_the_diagonal_mean_an_unshared_key() {
        let found = codes(&matrix(
            3,
            |minted, opened| if minted == opened { 0 } else { 10 },
        ));
        assert_eq!(
            found,
            [(FindingCode::KeyOrAudienceNotShared, vec![0, 1, 2])]
        );
        let sentence = &diagnose(&matrix(2, |m, o| if m == o { 0 } else { 10 }))[0].sentence;
        assert_eq!(
            sentence,
            "key or audience not shared between replicas: 0 and 1 refuse each other's states and \
             accept their own"
        );
    }

    #[test]
    fn many_replicas_are_named_once_and_many_pairs_cut_off() {
        let all = diagnose(&matrix(4, |m, o| if m == o { 0 } else { 10 }));
        assert!(all[0].sentence.contains(": 0, 1, 2 and 3 refuse each"));
        let halves = diagnose(&matrix(8, |m, o| if m % 2 == o % 2 { 0 } else { 10 }));
        let sentence = &halves[0].sentence;
        assert!(
            sentence.contains("1 and 6, 2 and 3, 8 more pairs refuse"),
            "{sentence}"
        );
    }

    #[test]
    fn one_stranger_among_three_is_named_with_both_partners() {
        let found = codes(&matrix(3, |m, o| if (m == 2) == (o == 2) { 0 } else { 10 }));
        assert_eq!(
            found,
            [(FindingCode::KeyOrAudienceNotShared, vec![0, 1, 2])]
        );
        let sentence =
            &diagnose(&matrix(3, |m, o| if (m == 2) == (o == 2) { 0 } else { 10 }))[0].sentence;
        assert!(sentence.contains("0 and 2, 1 and 2"), "{sentence}");
    }

    #[test]
    fn one_sided_refusals_mean_clock_skew() {
        let ahead = matrix(
            3,
            |minted, opened| if minted == 1 && opened != 1 { 10 } else { 0 },
        );
        let findings = diagnose(&ahead);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].code, FindingCode::ClockSkewSuspected);
        assert!(findings[0].sentence.contains("replica 1 is in all"));
    }

    #[test]
    fn a_replica_that_refuses_everything_is_named_alone() {
        let found = codes(&matrix(3, |_, opened| if opened == 2 { 10 } else { 0 }));
        assert_eq!(found, [(FindingCode::ReplicaRefusesOwnState, vec![2])]);
        let found = codes(&matrix(3, |minted, _| if minted == 0 { 10 } else { 0 }));
        assert_eq!(found, [(FindingCode::ReplicaRefusesOwnState, vec![0])]);
    }

    #[test]
    fn scattered_refusals_blame_nobody() {
        let found = codes(&matrix(2, |minted, _| u64::from(minted == 0)));
        assert_eq!(found, [(FindingCode::StatesRefusedInPart, vec![])]);
    }

    #[test]
    fn unseen_cells_prove_nothing() {
        let mut one_way = matrix(2, |m, o| if m == o { 0 } else { 10 });
        one_way.cells[2].state_rejected = 0;
        assert_eq!(
            codes(&one_way),
            [(FindingCode::KeyOrAudienceNotShared, vec![0, 1])]
        );
        assert!(diagnose(&one_way)[0].sentence.contains("not every pair"));
    }

    #[test]
    fn a_few_refusals_of_one_replica_are_laid_at_its_door() {
        let few = matrix(3, |_, o| if o == 2 { 2 } else { 0 });
        let found = &diagnose(&few)[0];
        assert_eq!(found.code, FindingCode::StatesRefusedInPart);
        assert_eq!(found.replicas, [2]);
        assert!(
            found.sentence.contains("all of them by replica 2"),
            "{}",
            found.sentence
        );
    }
}
