//! The bytes of a trace context.

use loadgen_measure::Outcome;

use super::{Answer, Play};

#[tokio::test(start_paused = true)]
async fn a_trace_context_is_counted_apart_from_the_sizes_of_requests() {
    let sized = |client| async move {
        let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
        play.client = client;
        play.throttle = "on = \"honour\"\njitter_s = 0";
        let played = play
            .with(|asked| match asked.attempt {
                0 => Answer::throttled(1, "1"),
                _ => Answer::complete(1),
            })
            .await;
        played.assert_accounts();
        assert_eq!(played.outcome(Outcome::Ok), 10);
        let bytes = played.result.all.rounds[0].request.as_ref().unwrap();
        (bytes.sum_bytes, played.result.trace_context)
    };
    let (plain, none) = sized("").await;
    let (traced, cost) = sized("trace_context = true").await;
    assert_eq!((plain, none), (traced, None));
    let cost = cost.unwrap();
    assert_eq!(cost.attempts, 20, "each attempt has one");
    let body = r#","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#;
    assert_eq!(cost.body_bytes, 20 * body.len() as u64);
    assert_eq!(cost.header_bytes, 20 * (body.len() as u64 - 6));
}
