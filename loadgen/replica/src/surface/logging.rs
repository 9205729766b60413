use loadgen_protocol::LogLevel;
use serde_json::{Value, json};

use crate::mrtr::Step;
use crate::surface::{Call, Entry, Turned};

/// Logs a line of little, of middling and of great weight before it completes, as far as the client
/// asked for them.
pub(super) struct Logging;

impl Entry for Logging {
    const SPEAKS: bool = true;

    fn listing() -> Value {
        json!({
            "description": "Logs three lines, from debug to error, before it completes.",
            "inputSchema": { "type": "object" },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        for (level, line) in [
            (LogLevel::Debug, "looking"),
            (LogLevel::Info, "found"),
            (LogLevel::Error, "lost again"),
        ] {
            call.notifier
                .log(call.meta.log_level, level, "test_logging_tool", line)
                .await;
        }
        Ok(Step::done("logged"))
    }
}
