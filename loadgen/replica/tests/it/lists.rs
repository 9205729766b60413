//! Lists page by page, and completions.

use std::num::NonZeroUsize;

use serde_json::{Value, json};

use crate::client::Post;
use crate::running::Running;

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

async fn paged(size: usize) -> Running {
    Running::with(7, |config| {
        config.conformance = true;
        config.page_size = NonZeroUsize::new(size);
    })
    .await
}

async fn page(replica: &Running, method: &str, cursor: Option<&Value>) -> Value {
    let params = match cursor {
        None => json!({}),
        Some(cursor) => json!({ "cursor": cursor }),
    };
    Post::rpc(method, params).send(replica).await.result()
}

/// STL-05: the same order on every replica and in every cut, and one cacheScope on all pages.
#[tokio::test]
async fn pages_put_together_are_the_list_whichever_replica_gives_them() {
    let whole = paged(0).await;
    for size in [1, 2, 3] {
        let fleet = [paged(size).await, paged(size).await];
        for (method, list) in LISTS {
            let all = page(&whole, method, None).await;
            assert_eq!(all.get("nextCursor"), None, "{method}");
            let mut entries = Vec::new();
            let mut next = None;
            for turn in 0.. {
                let one = page(&fleet[turn % 2], method, next.as_ref()).await;
                assert_eq!(one["cacheScope"], all["cacheScope"]);
                assert_eq!(one["resultType"], "complete");
                let part = one[list].as_array().unwrap();
                assert!(part.len() <= size);
                entries.extend(part.iter().cloned());
                match one.get("nextCursor") {
                    Some(cursor) => next = Some(cursor.clone()),
                    None => break,
                }
            }
            assert_eq!(Value::from(entries), all[list], "{method} by {size}");
        }
    }
}

#[tokio::test]
async fn a_cursor_that_nobody_gave_out_is_invalid() {
    let replica = paged(1).await;
    let given = page(&replica, "tools/list", None).await["nextCursor"].clone();
    let refused = async |method: &str, cursor: Value| {
        let post = Post::rpc(method, json!({ "cursor": cursor }));
        assert_eq!(post.send(&replica).await.error(), (400, -32602), "{cursor}");
    };
    for (method, _) in LISTS {
        // An empty one is a cursor as any other, and not the first page.
        for bad in [json!(""), json!("x"), json!("1"), json!(1), Value::Null] {
            refused(method, bad).await;
        }
    }
    refused("prompts/list", given.clone()).await;
    let longer = format!("{}A", given.as_str().unwrap());
    refused("tools/list", longer.into()).await;
    page(&replica, "tools/list", Some(&given)).await;
}

#[tokio::test]
async fn what_is_not_a_list_minds_no_cursor() {
    let replica = paged(1).await;
    page(&replica, "server/discover", Some(&json!(""))).await;
}

fn complete(reference: Value, name: &str, value: &str) -> Post {
    let argument = json!({ "name": name, "value": value });
    Post::rpc(
        "completion/complete",
        json!({ "ref": reference, "argument": argument }),
    )
}

#[tokio::test]
async fn arguments_and_variables_are_completed() {
    let replica = paged(0).await;
    let offered = page(&replica, "server/discover", None).await;
    assert!(offered["capabilities"]["completions"].is_object());
    let prompt = |name: &str| json!({ "type": "ref/prompt", "name": name });
    let values = async |post: Post| post.send(&replica).await.result()["completion"].clone();
    assert_eq!(
        values(complete(prompt("briefing"), "topic", "l")).await,
        json!({ "values": ["latency", "load"], "total": 2, "hasMore": false })
    );
    let nothing = json!({ "values": [], "total": 0, "hasMore": false });
    let none = complete(prompt("test_prompt_with_arguments"), "arg1", "test");
    assert_eq!(values(none).await, nothing);
    let memo = json!({ "type": "ref/resource", "uri": "memo://{name}" });
    assert_eq!(
        values(complete(memo, "name", "y")).await["values"],
        json!(["yesterday"])
    );
    for refused in [
        complete(prompt("nothing"), "topic", ""),
        complete(prompt("briefing"), "other", ""),
        complete(
            json!({ "type": "ref/resource", "uri": "memo://today" }),
            "name",
            "",
        ),
        complete(json!({ "type": "ref/tool", "name": "echo" }), "text", ""),
        Post::rpc("completion/complete", json!({ "ref": prompt("briefing") })),
        Post::rpc("completion/complete", json!({})),
    ] {
        assert_eq!(refused.send(&replica).await.error(), (400, -32602));
    }
}
