use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep_until};

use crate::mrtr::Step;
use crate::surface::whole::whole;
use crate::surface::{Call, Entry, Turned};

/// The most processor time of one call, one second.
const CPU_MAX_US: u32 = 1_000_000;
/// The longest sleep of one call, one minute.
const SLEEP_MAX_MS: u32 = 60_000;
/// The longest text of one result, 8 MiB.
const RESPONSE_MAX_BYTES: u32 = 8 << 20;
/// How often a sleep tells how far it is, to a client that wants to hear it.
const REPORTS: u32 = 10;

/// Spends `cpu_us` of processor time, then sleeps `sleep_ms`, then answers with `response_bytes`
/// bytes of text.
///
/// The processor time is the thread's own, so a crowded machine makes it last longer, never less
/// work. It is spent without a pause, as a handler spends it that computes: a replica of one thread
/// does nothing else meanwhile. The sleep holds up nobody, and ends with the client's connection.
pub(super) struct Work;

#[derive(Deserialize)]
struct Arguments {
    #[serde(default, deserialize_with = "whole")]
    cpu_us: u32,
    #[serde(default, deserialize_with = "whole")]
    sleep_ms: u32,
    #[serde(default, deserialize_with = "whole")]
    response_bytes: u32,
}

impl Entry for Work {
    const SPEAKS: bool = true;

    fn listing() -> Value {
        let up_to = |maximum: u32| json!({ "type": "integer", "default": 0, "minimum": 0, "maximum": maximum });
        json!({
            "description": "Spends processor time, sleeps, and answers with that many bytes of text.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "cpu_us": up_to(CPU_MAX_US),
                    "sleep_ms": up_to(SLEEP_MAX_MS),
                    "response_bytes": up_to(RESPONSE_MAX_BYTES),
                },
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        let arguments: Arguments = match serde_json::from_str(call.arguments) {
            Ok(arguments) => arguments,
            Err(e) => return Ok(Step::failed(super::bad_arguments("work", &e))),
        };
        let Arguments {
            cpu_us,
            sleep_ms,
            response_bytes,
        } = arguments;
        if cpu_us > CPU_MAX_US || sleep_ms > SLEEP_MAX_MS || response_bytes > RESPONSE_MAX_BYTES {
            return Ok(Step::failed(format!(
                "work: cpu_us goes up to {CPU_MAX_US}, sleep_ms up to {SLEEP_MAX_MS} and \
                 response_bytes up to {RESPONSE_MAX_BYTES}"
            )));
        }
        burn(Duration::from_micros(cpu_us.into()));
        if sleep_ms > 0 {
            // In a box, since every request's future has room for that of every tool.
            Box::pin(sleep(call, sleep_ms)).await;
        }
        Ok(Step::done("x".repeat(response_bytes as usize)))
    }
}

/// Computes for this much of the thread's processor time; late by one hash and one look at the
/// clock, below a microsecond each.
fn burn(time: Duration) {
    if time.is_zero() {
        return;
    }
    let end = thread_time() + time;
    let mut block = [0_u8; 32];
    while thread_time() < end {
        block = Sha256::digest(block).into();
    }
    std::hint::black_box(block);
}

/// Processor time of this thread so far.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// Sleeps, and says from time to time how much of it is done. The parts end on a schedule, so that
/// a slow listener does not make the whole longer.
async fn sleep(call: &Call<'_, '_>, sleep_ms: u32) {
    let start = Instant::now();
    let token = call.meta.progress_token;
    let parts = match token {
        Some(_) => REPORTS.min(sleep_ms),
        None => 1,
    };
    for part in 1..=parts {
        let done_ms = u64::from(sleep_ms) * u64::from(part) / u64::from(parts);
        sleep_until(start + Duration::from_millis(done_ms)).await;
        let done_ms = u32::try_from(done_ms).expect("at most the whole sleep");
        call.notifier.progress(token, done_ms, sleep_ms).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{done, no_meta, turn_of};
    use crate::notifier::Notifier;
    use crate::subscriptions::Subscriptions;

    async fn work(arguments: &str) -> Step<'_> {
        let call = Call {
            arguments,
            turn: turn_of(None, "{}"),
            notifier: &Notifier::none(),
            subscriptions: &Subscriptions::new(),
            meta: &no_meta(),
            now_ms: 0,
        };
        Work::turn(&call).await.unwrap()
    }

    #[tokio::test]
    async fn processor_time_is_spent_in_full() {
        let before = thread_time();
        assert_eq!(done(work(r#"{"cpu_us":3000}"#).await), "");
        assert!(thread_time() - before >= Duration::from_micros(3000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_sleep_lasts_its_time() {
        let start = Instant::now();
        assert_eq!(done(work(r#"{"sleep_ms":60000}"#).await), "");
        assert_eq!(start.elapsed(), Duration::from_secs(60));
        let start = Instant::now();
        assert_eq!(done(work("{}").await), "");
        assert!(start.elapsed().is_zero());
    }

    #[tokio::test]
    async fn the_text_has_the_bytes_that_were_asked_for() {
        for bytes in [0, 1, 4095, RESPONSE_MAX_BYTES] {
            let arguments = format!(r#"{{"response_bytes":{bytes}}}"#);
            assert_eq!(done(work(&arguments).await).len(), bytes as usize);
        }
    }

    #[tokio::test]
    async fn what_is_above_its_bound_fails_at_once() {
        for bad in [
            r#"{"cpu_us":1000001}"#,
            r#"{"sleep_ms":60001}"#,
            r#"{"response_bytes":8388609}"#,
            r#"{"sleep_ms":-1}"#,
            r#"{"cpu_us":"1"}"#,
        ] {
            assert!(matches!(work(bad).await, Step::Failed(_)), "{bad}");
        }
    }
}
