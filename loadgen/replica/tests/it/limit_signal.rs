//! What a refusal by the limiter is on the wire, word by word.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadgen_replica::{Cause, LimitConfig, ReplyForm, Signal, Ticks};
use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::running::Running;

/// A replica that admits one request every 2 s, and its ticks in milliseconds.
async fn limited(words: &str, replies: ReplyForm) -> (Running, Arc<AtomicU64>) {
    let ticks_ms = Arc::new(AtomicU64::new(0));
    let read = Arc::clone(&ticks_ms);
    let running = Running::with(7, |config| {
        let mut limit = LimitConfig::new("30/min".parse().unwrap());
        limit.burst = 1.try_into().unwrap();
        limit.signal = words.parse().unwrap();
        limit.ticks = Some(Ticks::from_fn(move || {
            Duration::from_millis(read.load(Ordering::Relaxed))
        }));
        config.limit = Some(limit);
        config.replies = replies;
    })
    .await;
    (running, ticks_ms)
}

fn echo() -> Post {
    Post::call("echo", json!({ "text": "x" }))
}

/// The fields that tell about quotas, by name.
fn told(reply: &Reply) -> Vec<(&str, &str)> {
    let mut told: Vec<_> = reply
        .headers
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .filter(|(name, _)| name.contains("ratelimit") || *name == "retry-after")
        .collect();
    told.sort_unstable();
    told
}

/// What an admitted reply tells, and the refusal 0.5 s later, 1.5 s before the next admission.
async fn refused(words: &str, post: Post) -> (Vec<(String, String)>, Reply) {
    let (running, ticks_ms) = limited(words, ReplyForm::Json).await;
    let admitted = post.send(&running).await;
    assert_eq!(admitted.status, 200);
    ticks_ms.store(500, Ordering::Relaxed);
    let refused = post.send_unchecked(&running).await;
    let counters = running.replica.counters();
    assert_eq!(counters.refused_for(Cause::Limited), 1);
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    (told(&admitted).into_iter().map(owned).collect(), refused)
}

async fn check_fields(words: &str, fields: &[(&str, &str)]) {
    let (admitted, reply) = refused(words, echo()).await;
    assert_eq!(told(&reply), fields, "{words}");
    assert_eq!(admitted, [], "{words}");
}

async fn check_body(words: &str, status: u16, media_type: &str, body: Value) {
    let (_, reply) = refused(words, echo()).await;
    assert_eq!(reply.status, status, "{words}");
    assert_eq!(reply.header("content-type"), Some(media_type), "{words}");
    assert_eq!(reply.json(), body, "{words}");
    assert!(
        reply
            .header("server-timing")
            .unwrap()
            .contains("limit;dur=")
    );
}

async fn check_rpc(words: &str, status: u16, error: Value) {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "error": error });
    check_body(words, status, "application/json", body).await;
}

const TEXT: &str = "Rate limit exceeded. Try again in 2 s.";

#[tokio::test]
async fn retry_after_comes_as_seconds_date_or_any_text() {
    check_fields("rpc", &[]).await;
    check_fields("retry-after", &[("retry-after", "2")]).await;
    // 1 900 000 000 is 2030-03-17 17:46:40.
    let date = [("retry-after", "Sun, 17 Mar 2030 17:46:43 GMT")];
    check_fields("retry-after=date", &date).await;
    let huge = "18446744073709551616";
    check_fields(&format!("retry-after={huge}"), &[("retry-after", huge)]).await;
}

#[tokio::test]
async fn structured_fields_name_the_policy() {
    let expected = [
        ("ratelimit", r#""default";r=0;t=2"#),
        ("ratelimit-policy", r#""default";q=1;w=2;qu="requests""#),
    ];
    check_fields("ratelimit", &expected).await;
    let expected = [
        ("ratelimit", r#""per user";r=0;t=2"#),
        ("ratelimit-policy", r#""per user";q=1;w=2;qu="requests""#),
        ("retry-after", "2"),
    ];
    check_fields("ratelimit,policy=per user,retry-after", &expected).await;
}

#[tokio::test]
async fn the_older_trios_tell_the_reset_as_seconds_or_epoch() {
    let expected = [
        ("ratelimit-limit", "1"),
        ("ratelimit-remaining", "0"),
        ("ratelimit-reset", "2"),
    ];
    check_fields("ratelimit-trio", &expected).await;
    let expected = [
        ("x-ratelimit-limit", "1"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1900000003"),
    ];
    check_fields("x-ratelimit,reset=epoch", &expected).await;
    let expected = [
        ("ratelimit-limit", "1"),
        ("ratelimit-remaining", "0"),
        ("ratelimit-reset", "1900000003"),
        ("ratelimit-scope", "mcp"),
        ("x-ratelimit-limit", "1"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1900000003"),
    ];
    check_fields(
        "ratelimit-trio,x-ratelimit,reset=epoch,scope=mcp",
        &expected,
    )
    .await;
}

#[tokio::test]
async fn admitted_replies_tell_the_quota_where_they_shall() {
    let (admitted, reply) = refused("cloudflare", echo()).await;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let policy = r#""default";q=1;w=2;qu="requests""#;
    assert_eq!(
        admitted,
        [
            pair("ratelimit", r#""default";r=0;t=2"#),
            pair("ratelimit-policy", policy),
        ]
    );
    assert_eq!(reply.header("retry-after"), Some("2"));
    // What fails after the limiter admitted it tells the quota too.
    let (running, _) = limited("agentgateway", ReplyForm::Json).await;
    let mut params = json!({ "name": "echo", "arguments": {}, "requestState": "x" });
    let reply = Post::rpc("tools/call", params.take()).send(&running).await;
    assert_eq!(reply.error(), (400, -32602));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
}

#[tokio::test]
async fn a_json_rpc_error_has_any_code_status_and_name_for_the_wait() {
    let error = |code: i64, data: Value| json!({ "code": code, "message": TEXT, "data": data });
    check_rpc("rpc", 429, error(429, json!({ "retryAfterSeconds": 2 }))).await;
    for (member, value) in [
        ("retryAfter", 2),
        ("retryAfterMs", 1500),
        ("retryAfterSeconds", 2),
        ("retry_after", 2),
        ("retry_after_seconds", 2),
        ("reset_in", 2),
    ] {
        let words = format!("code=-32000,status=200,data={member}");
        check_rpc(&words, 200, error(-32000, json!({ member: value }))).await;
    }
    let details = json!({ "details": { "remaining": 0, "reset_in": 2 } });
    check_rpc("contextforge", 429, error(-32602, details)).await;
    let bare = json!({ "code": -32029, "message": TEXT });
    check_rpc("status=503,code=-32029,data=none", 503, bare).await;
    check_rpc("sep-3304", 429, error(-32023, json!({ "retryAfter": 2 }))).await;
    let data = json!({ "retryAfterSeconds": 2 });
    check_rpc("toolhive-core", 200, error(429, data)).await;
}

#[tokio::test]
async fn results_say_it_in_four_ways() {
    let content = json!([{ "type": "text", "text": TEXT }]);
    let about = json!({
        "io.modelcontextprotocol/serverInfo":
            { "name": "loadgen-replica", "version": env!("CARGO_PKG_VERSION") },
        "loadgen/instance": 0,
    });
    let result = |more: Value| {
        let mut result = json!({ "resultType": "complete", "content": content, "_meta": about });
        let members = more.as_object().unwrap().clone();
        result.as_object_mut().unwrap().extend(members);
        json!({ "jsonrpc": "2.0", "id": 1, "result": result })
    };
    let error = json!({ "type": "rate_limited", "retry_after_seconds": 2, "limit": 1 });
    for (words, more) in [
        (
            "is-error",
            json!({ "isError": true, "structuredContent": { "error": error } }),
        ),
        ("is-error-text", json!({ "isError": true })),
        ("result-text", json!({})),
        (
            "result-error",
            json!({
                "type": "error",
                "error": { "type": "rate_limited", "retry_after_seconds": 2 },
            }),
        ),
    ] {
        check_body(words, 200, "application/json", result(more)).await;
    }
}

#[tokio::test]
async fn prompts_and_resources_have_no_result_that_could_say_no() {
    for post in [
        Post::rpc("prompts/get", json!({ "name": "briefing" })),
        Post::rpc("resources/read", json!({ "uri": "memo://a" })),
    ] {
        let (_, reply) = refused("is-error", post).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["error"]["code"], 429);
        assert_eq!(reply.json()["error"]["data"]["retryAfterSeconds"], 2);
    }
}

#[tokio::test]
async fn a_problem_names_the_policy() {
    let problem = json!({
        "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
        "title": "Request cannot be satisfied as assigned quota has been exceeded",
        "detail": TEXT,
        "violated-policies": ["daily"],
    });
    check_body(
        "problem,policy=daily",
        429,
        "application/problem+json",
        problem,
    )
    .await;
}

#[tokio::test]
async fn pages_for_people_have_no_json() {
    let html = format!(
        "<!doctype html>\n<title>Too Many Requests</title>\n<h1>Too Many Requests</h1>\n<p>{TEXT}</p>\n"
    );
    for (words, status, media_type, body) in [
        (
            "text",
            429,
            "text/plain; charset=utf-8",
            format!("{TEXT}\n"),
        ),
        (
            "text,status=200",
            200,
            "text/plain; charset=utf-8",
            format!("{TEXT}\n"),
        ),
        ("cloudflare-edge", 429, "text/html; charset=utf-8", html),
    ] {
        for replies in [ReplyForm::Json, ReplyForm::Sse] {
            let (running, _) = limited(words, replies).await;
            echo().send(&running).await;
            let reply = echo().send_unchecked(&running).await;
            assert_eq!(reply.status, status);
            assert_eq!(reply.header("content-type"), Some(media_type));
            assert_eq!(String::from_utf8(reply.body).unwrap(), body);
        }
    }
}

#[tokio::test]
async fn a_refusal_with_http_200_is_an_event_where_replies_are() {
    for words in ["is-error", "toolhive-core,ratelimit"] {
        let (running, _) = limited(words, ReplyForm::Sse).await;
        echo().send(&running).await;
        let reply = echo().send_unchecked(&running).await;
        assert_eq!(reply.header("content-type"), Some("text/event-stream"));
        let [event] = &reply.events()[..] else {
            panic!("more than one event");
        };
        let error = [&event["result"]["isError"], &event["error"]["code"]];
        assert!(*error[0] == true || *error[1] == 429, "{event}");
        assert_eq!(
            reply.header("ratelimit").is_some(),
            words.contains("ratelimit")
        );
    }
}

#[test]
fn the_document_has_every_preset() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/rate-limit-signals.md"
    );
    let document = std::fs::read_to_string(path).unwrap();
    let (_, table) = document
        .split_once("| preset | words |\n|---|---|\n")
        .unwrap();
    let rows: Vec<_> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .collect();
    let row = |(name, words): &(&str, &str)| format!("| `{name}` | `{words}` |");
    let presets: Vec<_> = Signal::PRESETS.iter().map(row).collect();
    assert_eq!(rows, presets);
}
