use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::notifier::Notifier;
use crate::refusal::Refusal;
use crate::subscriptions::{Change, Filter, Subscriptions};

impl Subscriptions {
    /// Tells the client which asked under `id` of what it wants to know, until the replica stops.
    /// A client that leaves has this future dropped, and its seat is free.
    ///
    /// # Errors
    /// When too many listen already.
    pub(crate) async fn listen(
        &self,
        id: &RawValue,
        wanted: &Filter<'_>,
        notifier: &Notifier,
    ) -> Result<(), Refusal> {
        let Ok(_seat) = self.seats.try_acquire() else {
            return Err(Refusal::Listeners);
        };
        // First, so that nothing is missed between the acknowledgement and the first change.
        let changes = self.changes.subscribe();
        let mut ended = self.ended.subscribe();
        let ended = async {
            // It fails only without a sender, which is part of `self`.
            let _ = ended.wait_for(|ended| *ended).await;
        };
        let about = About { id };
        let acknowledged = Acknowledged {
            about,
            notifications: wanted,
        };
        notifier
            .notify("notifications/subscriptions/acknowledged", &acknowledged)
            .await;
        tokio::select! {
            biased;
            () = ended => {}
            () = tell_all(changes, about, wanted, notifier) => {}
        }
        Ok(())
    }
}

async fn tell_all(
    mut changes: broadcast::Receiver<Change>,
    about: About<'_>,
    wanted: &Filter<'_>,
    notifier: &Notifier,
) {
    loop {
        match changes.recv().await {
            Ok(change) if wanted.wants(&change) => tell(about, &change, notifier).await,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                for change in wanted.all() {
                    tell(about, &change, notifier).await;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// `_meta` of all that one subscription says.
#[derive(Clone, Copy, Serialize)]
struct About<'a> {
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    id: &'a RawValue,
}

#[derive(Serialize)]
struct Acknowledged<'a> {
    #[serde(rename = "_meta")]
    about: About<'a>,
    notifications: &'a Filter<'a>,
}

async fn tell(about: About<'_>, change: &Change, notifier: &Notifier) {
    #[derive(Serialize)]
    struct Changed<'a> {
        #[serde(rename = "_meta")]
        about: About<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        uri: Option<&'a str>,
    }
    let uri = change.uri();
    notifier
        .notify(change.method(), &Changed { about, uri })
        .await;
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use bytes::Bytes;
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::*;
    use crate::mrtr::testing::raw;
    use crate::subscriptions::{CHANGES_KEPT, LISTENERS_MAX};

    async fn next(said: &mut mpsc::Receiver<Bytes>) -> Value {
        serde_json::from_slice(&said.recv().await.unwrap()).unwrap()
    }

    /// Listens for tools and one resource under id 7 while `run` goes on.
    async fn listening<F: Future<Output = ()>>(
        hub: &Subscriptions,
        run: impl FnOnce(mpsc::Receiver<Bytes>) -> F,
    ) {
        let filter = raw(r#"{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}"#);
        let filter = Filter::parse(Some(&filter)).unwrap();
        let (notifier, said) = Notifier::channel();
        let id = raw("7");
        let listening = async {
            hub.listen(&id, &filter, &notifier).await.unwrap();
            drop(notifier);
        };
        tokio::join!(listening, run(said));
    }

    #[tokio::test]
    async fn the_acknowledgement_comes_first_and_says_what_was_agreed_to() {
        let hub = Subscriptions::new();
        let ending = &hub;
        listening(&hub, |mut said| async move {
            let first = next(&mut said).await;
            assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
            let want = json!({
                "_meta": { "io.modelcontextprotocol/subscriptionId": 7 },
                "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["a:b"] },
            });
            assert_eq!(first["params"], want);
            ending.end();
        })
        .await;
    }

    #[tokio::test]
    async fn changes_are_told_under_the_subscriptions_id() {
        let hub = Subscriptions::new();
        let announcing = &hub;
        listening(&hub, |mut said| async move {
            next(&mut said).await;
            announcing.announce(Change::Prompts);
            announcing.announce(Change::Resource("c:d".into()));
            announcing.announce(Change::Tools);
            announcing.announce(Change::Resource("a:b".into()));
            let id = json!({ "io.modelcontextprotocol/subscriptionId": 7 });
            let tools = next(&mut said).await;
            assert_eq!(tools["method"], "notifications/tools/list_changed");
            assert_eq!(tools["params"], json!({ "_meta": id }));
            let resource = next(&mut said).await;
            assert_eq!(resource["method"], "notifications/resources/updated");
            assert_eq!(resource["params"], json!({ "_meta": id, "uri": "a:b" }));
            announcing.end();
            assert_eq!(said.recv().await, None);
        })
        .await;
    }

    #[tokio::test]
    async fn whoever_falls_behind_is_told_of_everything_it_wants() {
        let hub = Subscriptions::new();
        let announcing = &hub;
        listening(&hub, |mut said| async move {
            next(&mut said).await;
            for _ in 0..=CHANGES_KEPT {
                announcing.announce(Change::Prompts);
            }
            let tools = next(&mut said).await;
            assert_eq!(tools["method"], "notifications/tools/list_changed");
            assert_eq!(next(&mut said).await["params"]["uri"], "a:b");
            announcing.end();
            assert_eq!(said.recv().await, None);
        })
        .await;
    }

    #[tokio::test]
    async fn seats_are_few_and_free_again_when_their_listener_leaves() {
        let hub = Subscriptions::new();
        let (id, filter, quiet) = (raw("1"), Filter::default(), Notifier::none());
        let mut listeners: Vec<_> = (0..LISTENERS_MAX)
            .map(|_| Box::pin(hub.listen(&id, &filter, &quiet)))
            .collect();
        for listener in &mut listeners {
            let polled = std::future::poll_fn(|cx| Poll::Ready(listener.as_mut().poll(cx))).await;
            assert!(polled.is_pending());
        }
        let refused = hub.listen(&id, &filter, &quiet).await;
        assert_eq!(refused, Err(Refusal::Listeners));
        listeners.pop();
        hub.end();
        assert_eq!(hub.listen(&id, &filter, &quiet).await, Ok(()));
    }
}
