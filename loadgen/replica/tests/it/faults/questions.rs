//! What a misled replica asks.

use std::collections::BTreeSet;

use loadgen_replica::Fault;
use serde_json::json;

use crate::client::{CAPABILITIES_KEY, Post, VERSION, VERSION_KEY};
use crate::faults::{confirm, count, delete, delete_params, misled, tell};
use crate::running::Running;

#[tokio::test]
async fn ignored_answers_are_asked_for_again_for_ever() {
    let replica = misled(json!({ "ignore_answers": true })).await;
    let (keys, mut state) = delete().send(&replica).await.asked();
    for _ in 0..20 {
        let (again, next) = confirm(&state).send(&replica).await.asked();
        assert_eq!(again, keys);
        state = next;
    }
    assert_eq!(count(&replica, Fault::IgnoreAnswers), 20);
    tell(&replica, json!({ "clear": true }));
    assert_eq!(confirm(&state).send(&replica).await.text(), "deleted p");
}

#[tokio::test]
async fn questions_are_asked_that_were_never_declared() {
    let replica = misled(json!({ "undeclared_questions": true })).await;
    delete().send(&replica).await.asked();
    assert_eq!(count(&replica, Fault::UndeclaredQuestions), 0, "declared");
    let mut params = delete_params();
    params["_meta"] = json!({ VERSION_KEY: VERSION, CAPABILITIES_KEY: {} });
    let asked = Post::rpc("tools/call", params).send(&replica).await.asked();
    assert_eq!(asked.0, ["confirm"]);
    assert_eq!(count(&replica, Fault::UndeclaredQuestions), 1);
}

/// A rolling deploy: the new build asks the same key in other words.
#[tokio::test]
async fn an_answer_to_other_words_is_asked_for_again() {
    let old = Running::start().await;
    let new = misled(json!({ "question_suffix": " And all its backups?" })).await;
    let (_, state) = delete().send(&old).await.asked();
    let again = confirm(&state).send(&new).await;
    let message = again.result()["inputRequests"]["confirm"]["params"]["message"].take();
    assert_eq!(message, "Delete p? And all its backups?");
    let (_, state) = again.asked();
    // The old build does not take the answer to the new words either.
    confirm(&state).send(&old).await.asked();
    assert_eq!(confirm(&state).send(&new).await.text(), "deleted p");
    assert_eq!(count(&new, Fault::QuestionSuffix), 1);
}

/// Answers are matched by name, so an honest client does not care about the order.
#[tokio::test]
async fn several_questions_come_in_another_order_on_another_replica() {
    let params = json!({ "name": "interview", "_meta": {
        VERSION_KEY: VERSION,
        CAPABILITIES_KEY: {
            "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {},
        },
    } });
    let ask = Post::rpc("tools/call", params.clone());
    let mut orders = BTreeSet::new();
    for instance in 0..6 {
        let replica = Running::with(7, |config| config.instance = instance).await;
        tell(&replica, json!({ "set": { "shuffle_questions": true } }));
        let body = ask.send(&replica).await.body;
        let body = String::from_utf8(body).unwrap();
        let at = |key: &str| body.find(&format!(r#""{key}":{{"method""#)).unwrap();
        let mut keys = ["form", "url", "sampling", "roots"];
        keys.sort_by_key(|key| at(key));
        orders.insert(keys);
        assert_eq!(count(&replica, Fault::ShuffleQuestions), 1);

        let (_, state) = ask.send(&replica).await.asked();
        let mut retry = params.clone();
        retry["requestState"] = state.into();
        retry["inputResponses"] = json!({
            "form": { "action": "accept", "content": { "vessel": "Mara" } },
            "url": { "action": "accept" },
            "sampling": { "role": "assistant", "model": "m", "content": { "type": "text", "text": "Ahoy" } },
            "roots": { "roots": [] },
        });
        let done = Post::rpc("tools/call", retry).send(&replica).await.result();
        assert_eq!(done["resultType"], "complete", "{done}");
    }
    assert!(orders.len() > 1, "{orders:?}");
}
