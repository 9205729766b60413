use loadgen_measure::{FindingCode, Outcome, StatusDeviation};

use super::{Answer, Play};

#[tokio::test(start_paused = true)]
async fn another_status_of_an_error_is_counted_apart_and_changes_nothing_else() {
    let deviations = async |status: u16| {
        let play = Play::new("rate_per_s = 10\nduration_s = 1");
        let played = play.with(move |_| Answer::coded(7, -32021, status)).await;
        played.assert_accounts();
        assert_eq!(played.outcome(Outcome::ProtocolError), 10);
        let figures = &played.result.all.rounds[0].outcomes[&Outcome::ProtocolError];
        let response = figures.response.as_ref().unwrap();
        assert_eq!(
            (response.count, response.min_ns, response.max_ns),
            (10, 7_000_000, 7_000_000)
        );
        let findings = played.result.findings.into_iter();
        let said = findings.filter(|finding| finding.code == FindingCode::StatusDeviates);
        let said: Vec<String> = said.map(|finding| finding.sentence).collect();
        (played.result.replicas[0].status_deviations.clone(), said)
    };
    assert_eq!(deviations(400).await, (vec![], vec![]));
    let (counts, said) = deviations(200).await;
    assert_eq!(counts.len(), 1);
    assert_eq!(counts[0].count, 10);
    assert_eq!(
        counts[0].seen,
        StatusDeviation {
            code: -32021,
            status: 200,
            expected: 400
        }
    );
    assert_eq!(
        said,
        [
            "10 errors came with another HTTP status than the protocol gives to their code: \
            -32021 with HTTP 200, not 400 (10)"
        ]
    );
}
