use loadgen_protocol::LogLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::Version;
use super::typed::{Id, no_nulls, shape, typed};

shape! { Envelope { jsonrpc: Version, method: String, params: Value, } }

shape! { Progress { progress_token: Id, progress: Number, } may { total: Number, message: String, } }

shape! { Logged { level: LogLevel, data: Value, } may { logger: String, } }

shape! { Acknowledged { notifications: Wanted, } }

shape! {
    Wanted {} may {
        tools_list_changed: bool, prompts_list_changed: bool, resources_list_changed: bool,
        resource_subscriptions: Vec<String>,
    }
}

shape! { Updated { uri: String, } }

/// What tells a listener which of its streams a notification is for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OfSubscription {
    #[serde(rename = "_meta")]
    meta: SubscriptionMeta,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SubscriptionMeta {
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    id: Id,
}

/// Checks a message that is no reply.
pub(crate) fn notification(message: &Value) {
    assert!(message.get("id").is_none(), "{message}");
    no_nulls(message);
    let Envelope { method, params, .. } = typed(message);
    match method.as_str() {
        "notifications/progress" => {
            let Progress {
                progress, total, ..
            } = typed(&params);
            assert!(
                total.is_none_or(|total| progress.as_f64() <= total.as_f64()),
                "{params}"
            );
        }
        "notifications/message" => _ = typed::<Logged>(&params),
        "notifications/subscriptions/acknowledged" => {
            typed::<OfSubscription>(&params);
            typed::<Acknowledged>(&params);
        }
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => _ = typed::<OfSubscription>(&params),
        "notifications/resources/updated" => {
            typed::<OfSubscription>(&params);
            typed::<Updated>(&params);
        }
        other => panic!("a notification {other:?}"),
    }
}
