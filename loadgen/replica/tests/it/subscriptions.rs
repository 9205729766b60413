//! `subscriptions/listen`: streams that tell of changes until either side ends them.

use std::num::NonZeroUsize;

use loadgen_replica::{Cause, ReplyForm, Stopped, Transport};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::Post;
use crate::h2_client::{Client, finish};
use crate::running::Running;
use crate::shapes;

const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

async fn conforming() -> Running {
    Running::with(7, |config| config.conformance = true).await
}

fn listen(id: &str, wanted: Value) -> Post {
    Post::rpc_with_id(
        id,
        "subscriptions/listen",
        json!({ "notifications": wanted }),
    )
}

async fn trigger(replica: &Running, what: &str, arguments: Value) {
    let tool = format!("test_trigger_{what}_change");
    let told = Post::call(&tool, arguments).send(replica).await;
    assert_eq!(told.text(), "told");
}

/// The client's end of an open subscription.
struct Listener(TcpStream);

impl Listener {
    /// Opens one and reads its head and its acknowledgement.
    async fn open(replica: &Running, post: &Post) -> (Self, Value) {
        let mut stream = TcpStream::connect(replica.address).await.unwrap();
        stream.write_all(&post.bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        for field in ["content-type: text/event-stream", "x-accel-buffering: no"] {
            assert!(head.contains(field), "{head}");
        }
        let mut listener = Self(stream);
        let first = listener.message().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        (listener, first)
    }

    /// The next message, which comes in a chunk of its own.
    async fn message(&mut self) -> Value {
        let mut size = Vec::new();
        while !size.ends_with(b"\r\n") {
            size.push(self.0.read_u8().await.expect("a chunk"));
        }
        let size = std::str::from_utf8(&size).unwrap().trim_end();
        let mut chunk = vec![0; usize::from_str_radix(size, 16).unwrap() + 2];
        self.0.read_exact(&mut chunk).await.unwrap();
        let event = std::str::from_utf8(&chunk).unwrap();
        let data = event.strip_prefix("event: message\ndata: ").unwrap();
        let message = serde_json::from_str(data).unwrap();
        if Value::get(&message, "method").is_some() {
            shapes::notification(&message);
        }
        message
    }
}

#[tokio::test]
async fn what_was_asked_for_is_told_under_the_requests_id() {
    let replica = conforming().await;
    let uri = "test://static-text";
    let wanted = json!({ "toolsListChanged": true, "promptsListChanged": true,
                         "resourcesListChanged": true, "resourceSubscriptions": [uri] });
    let (mut listener, first) = Listener::open(&replica, &listen("\"s\"", wanted.clone())).await;
    assert_eq!(
        first["params"],
        json!({ "_meta": { ID_KEY: "s" }, "notifications": wanted })
    );
    for (what, arguments, method) in [
        ("tool", json!({}), "notifications/tools/list_changed"),
        ("prompt", json!({}), "notifications/prompts/list_changed"),
        (
            "resource",
            json!({}),
            "notifications/resources/list_changed",
        ),
        (
            "resource",
            json!({ "uri": uri }),
            "notifications/resources/updated",
        ),
    ] {
        trigger(&replica, what, arguments.clone()).await;
        let told = listener.message().await;
        assert_eq!(told["method"], method);
        let mut want = arguments;
        want["_meta"] = json!({ ID_KEY: "s" });
        assert_eq!(told["params"], want);
    }
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_told() {
    let replica = conforming().await;
    let (mut prompts, _) = Listener::open(
        &replica,
        &listen("1", json!({ "promptsListChanged": true })),
    )
    .await;
    let (mut tools, _) =
        Listener::open(&replica, &listen("2", json!({ "toolsListChanged": true }))).await;
    trigger(&replica, "tool", json!({})).await;
    trigger(&replica, "resource", json!({ "uri": "test://static-text" })).await;
    trigger(&replica, "prompt", json!({})).await;
    let first = prompts.message().await;
    assert_eq!(first["method"], "notifications/prompts/list_changed");
    assert_eq!(first["params"]["_meta"][ID_KEY], 1);
    let first = tools.message().await;
    assert_eq!(first["method"], "notifications/tools/list_changed");
    assert_eq!(first["params"]["_meta"][ID_KEY], 2);
}

#[tokio::test]
async fn only_resources_that_there_are_can_be_subscribed_to() {
    let replica = Running::start().await;
    let wanted = json!({ "resourceSubscriptions": ["memo://a", "memo://", "test://static-text"] });
    let (_, first) = Listener::open(&replica, &listen("1", wanted)).await;
    let agreed = json!({ "resourceSubscriptions": ["memo://a"] });
    assert_eq!(first["params"]["notifications"], agreed);
}

#[tokio::test]
async fn a_stop_ends_subscriptions_with_a_result_and_waits_for_nothing_else() {
    let replica = Running::start().await;
    let (mut listener, _) = Listener::open(
        &replica,
        &listen("160", json!({ "toolsListChanged": true })),
    )
    .await;
    let counted = std::sync::Arc::clone(&replica.replica);
    let stopped = replica.begin_stop();
    let last = listener.message().await;
    assert_eq!(last["id"], 160);
    assert_eq!(last["result"]["resultType"], "complete");
    assert_eq!(last["result"]["_meta"][ID_KEY], 160);
    assert_eq!(stopped.await.unwrap(), Stopped::Drained);
    let counters = counted.counters();
    assert_eq!((counters.listened, counters.in_flight()), (1, 0));
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_subscription() {
    let replica = Running::start().await;
    let (listener, _) =
        Listener::open(&replica, &listen("1", json!({ "toolsListChanged": true }))).await;
    assert_eq!(replica.replica.counters().in_flight(), 1);
    drop(listener);
    while replica.replica.counters().cancelled == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(replica.replica.counters().in_flight(), 0);
}

#[tokio::test]
async fn filters_that_cannot_be_read_are_invalid_params() {
    let replica = Running::start().await;
    for bad in [
        json!(null),
        json!([]),
        json!({ "toolsListChanged": "yes" }),
        json!({ "resourceSubscriptions": "memo://a" }),
    ] {
        let refused = listen("1", bad.clone()).send(&replica).await;
        assert_eq!(refused.error(), (400, -32602), "{bad}");
    }
    let missing = Post::rpc("subscriptions/listen", json!({}))
        .send(&replica)
        .await;
    assert_eq!(missing.error(), (400, -32602));
    // What stays in memory while somebody listens is little.
    let long = listen(
        "1",
        json!({ "resourceSubscriptions": ["memo://a".repeat(3000)] }),
    );
    assert_eq!(long.send(&replica).await.error(), (400, -32602));
    assert_eq!(replica.replica.counters().refused_for(Cause::Params), 6);
}

#[tokio::test]
async fn the_json_form_offers_no_subscriptions() {
    for (form, offered) in [
        (ReplyForm::Json, false),
        (ReplyForm::Sse, true),
        (ReplyForm::Auto, true),
    ] {
        let replica = Running::with(7, |config| config.replies = form).await;
        let found = Post::rpc("server/discover", json!({})).send(&replica).await;
        let found = if form == ReplyForm::Sse {
            found.events()[0]["result"].clone()
        } else {
            found.result()
        };
        let capabilities = &found["capabilities"];
        for list in ["tools", "prompts", "resources"] {
            assert_eq!(capabilities[list]["listChanged"] == true, offered, "{form}");
        }
        assert_eq!(capabilities["resources"]["subscribe"] == true, offered);
        let post = listen("1", json!({ "toolsListChanged": true }));
        if offered {
            Listener::open(&replica, &post).await;
        } else {
            assert_eq!(post.send(&replica).await.error(), (404, -32601));
        }
    }
}

#[tokio::test]
async fn over_http2_a_stop_ends_subscriptions_too() {
    let replica = Running::start().await;
    let mut client = Client::connect(&replica).await;
    let wanted = json!({ "promptsListChanged": true });
    let reply = client.begin(&listen("\"a\"", wanted)).await.unwrap();
    while replica.replica.counters().in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    let stopped = replica.begin_stop();
    let messages = finish(reply).await.unwrap().events();
    let [acknowledged, closed] = &messages[..] else {
        panic!("{messages:?}");
    };
    shapes::notification(acknowledged);
    assert_eq!(closed["id"], "a");
    assert_eq!(closed["result"]["_meta"][ID_KEY], "a");
    assert_eq!(stopped.await.unwrap(), Stopped::Drained);
}

#[tokio::test]
async fn a_change_reaches_listeners_on_other_threads() {
    let transport = Transport {
        threads: NonZeroUsize::new(2).unwrap(),
        ..Transport::default()
    };
    let replica = Running::serving(7, |config| config.conformance = true, transport).await;
    let mut listeners = Vec::new();
    // Connections are dealt to the thread with the fewest, so two are on both.
    for id in ["1", "2"] {
        let post = listen(id, json!({ "toolsListChanged": true }));
        listeners.push(Listener::open(&replica, &post).await.0);
    }
    trigger(&replica, "tool", json!({})).await;
    for listener in &mut listeners {
        let told = listener.message().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
    }
}
