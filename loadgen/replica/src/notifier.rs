use bytes::Bytes;
use loadgen_protocol::LogLevel;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// How many notifications wait for a slow client before the work waits with them.
const WAITING_MAX: usize = 16;

/// Where an item sends what it has to say before its result. A request that is answered with one
/// JSON object has nowhere to send it, and what is said then is dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notifier(Option<mpsc::Sender<Bytes>>);

impl Notifier {
    /// Nobody listens.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// A notifier and the end where its messages come out.
    pub(crate) fn channel() -> (Self, mpsc::Receiver<Bytes>) {
        let (to, from) = mpsc::channel(WAITING_MAX);
        (Self(Some(to)), from)
    }

    /// Sends one JSON-RPC notification.
    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) {
        #[derive(Serialize)]
        struct Notification<'a, P> {
            jsonrpc: &'static str,
            method: &'a str,
            params: &'a P,
        }
        let Some(to) = &self.0 else { return };
        let message = serde_json::to_vec(&Notification {
            jsonrpc: "2.0",
            method,
            params,
        })
        .expect("notifications are maps with string keys");
        // Nobody is left to hear it when this fails.
        let _ = to.send(message.into()).await;
    }

    /// Sends `notifications/progress` under the token that the request gave for it, if it gave one.
    pub(crate) async fn progress(&self, token: Option<&RawValue>, progress: u32, total: u32) {
        #[derive(Serialize)]
        struct Progress<'a> {
            #[serde(rename = "progressToken")]
            token: &'a RawValue,
            progress: u32,
            total: u32,
        }
        if let Some(token) = token {
            let params = Progress {
                token,
                progress,
                total,
            };
            self.notify("notifications/progress", &params).await;
        }
    }

    /// Sends `notifications/message` if it is at least as grave as what the request `wanted`, if it
    /// wanted any.
    pub(crate) async fn log(
        &self,
        wanted: Option<LogLevel>,
        level: LogLevel,
        logger: &str,
        data: &str,
    ) {
        #[derive(Serialize)]
        struct Logged<'a> {
            level: LogLevel,
            logger: &'a str,
            data: &'a str,
        }
        if wanted.is_some_and(|least| level >= least) {
            let params = Logged {
                level,
                logger,
                data,
            };
            self.notify("notifications/message", &params).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::raw;

    #[tokio::test]
    async fn progress_goes_out_under_its_token_and_without_one_not_at_all() {
        let (notifier, mut said) = Notifier::channel();
        notifier.progress(None, 1, 2).await;
        notifier
            .progress(Some(&raw("18446744073709551616")), 1, 2)
            .await;
        drop(notifier);
        let want = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":18446744073709551616,"progress":1,"total":2}}"#;
        assert_eq!(said.recv().await.unwrap(), want);
        assert_eq!(said.recv().await, None);
    }

    #[tokio::test]
    async fn only_what_is_grave_enough_is_logged_and_nothing_unasked() {
        let (notifier, mut said) = Notifier::channel();
        for wanted in [None, Some(LogLevel::Error), Some(LogLevel::Warning)] {
            notifier.log(wanted, LogLevel::Warning, "l", "d").await;
        }
        drop(notifier);
        let want = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"l","data":"d"}}"#;
        assert_eq!(said.recv().await.unwrap(), want);
        assert_eq!(said.recv().await, None);
    }

    #[tokio::test]
    async fn without_a_listener_nothing_waits() {
        for _ in 0..=WAITING_MAX {
            Notifier::none().notify("x", &()).await;
        }
    }
}
