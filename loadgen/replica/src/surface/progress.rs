use serde_json::{Value, json};

use crate::mrtr::Step;
use crate::surface::{Call, Entry, Turned};

/// Says that it is at 0, 50 and 100 of 100 before it completes.
pub(super) struct Progress;

impl Entry for Progress {
    const SPEAKS: bool = true;

    fn listing() -> Value {
        json!({
            "description": "Reports its progress three times before it completes.",
            "inputSchema": { "type": "object" },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        for at in [0, 50, 100] {
            let token = call.meta.progress_token;
            call.notifier.progress(token, at, 100).await;
        }
        Ok(Step::done("100 of 100"))
    }
}
