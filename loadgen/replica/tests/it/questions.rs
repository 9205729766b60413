//! Every kind of question, several at once, and what a client may be asked at all.

use loadgen_replica::Command;
use serde_json::{Value, json};

use crate::client::{CAPABILITIES_KEY, Post, Reply, meta};
use crate::running::Running;

const INTERVIEW: &str = "interview";

fn everything() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} })
}

fn interview(kinds: &[&str], declared: Value) -> Value {
    let mut about = meta();
    about[CAPABILITIES_KEY] = declared;
    json!({ "name": INTERVIEW, "arguments": { "kinds": kinds }, "_meta": about })
}

async fn call(replica: &Running, params: &Value) -> Reply {
    Post::rpc("tools/call", params.clone()).send(replica).await
}

async fn retry(replica: &Running, params: &Value, state: &str, answers: Value) -> Reply {
    let mut params = params.clone();
    params["requestState"] = state.into();
    params["inputResponses"] = answers;
    call(replica, &params).await
}

/// An answer of each kind.
fn answers() -> Value {
    let said = json!({ "type": "text", "text": "Ahoy" });
    json!({
        "form": { "action": "accept", "content": { "vessel": "Tern" } },
        "url": { "action": "accept" },
        "sampling": { "role": "assistant", "model": "m", "content": said },
        "roots": { "roots": [{ "uri": "file:///charts", "name": "Charts" }] },
    })
}

fn data() -> Value {
    let said = json!({ "type": "text", "text": "Ahoy" });
    json!({ "form": { "vessel": "Tern" }, "url": true, "sampling": said,
            "roots": ["file:///charts"] })
}

#[tokio::test]
async fn four_kinds_at_once_are_answered_at_once() {
    let replica = Running::start().await;
    let params = interview(&["form", "url", "sampling", "roots"], everything());
    let asked = call(&replica, &params).await;
    let requests = asked.result()["inputRequests"].take();
    for (key, method) in [
        ("form", "elicitation/create"),
        ("url", "elicitation/create"),
        ("sampling", "sampling/createMessage"),
        ("roots", "roots/list"),
    ] {
        assert_eq!(requests[key]["method"], method);
    }
    let done = retry(&replica, &params, &asked.asked().1, answers()).await;
    assert_eq!(done.result()["structuredContent"], data());
}

/// Kuadrant/mcp-gateway #1517: three of four answered, the fourth alone is asked for again.
#[tokio::test]
async fn answers_may_come_in_pieces_from_replica_to_replica() {
    let fleet = [Running::start().await, Running::start().await];
    let params = interview(&["form", "url", "sampling", "roots"], everything());
    let mut open = answers();
    let open = open.as_object_mut().unwrap();
    let (mut keys, mut state) = call(&fleet[0], &params).await.asked();
    for round in 1.. {
        let key = keys.pop().unwrap();
        let given = json!({ &key: open.remove(&key).unwrap(), "stranger": 1 });
        let reply = retry(&fleet[round % 2], &params, &state, given).await;
        if keys.is_empty() {
            assert_eq!(reply.result()["structuredContent"], data());
            assert_eq!(round, 4);
            break;
        }
        let (rest, newer) = reply.asked();
        assert_eq!(rest, keys);
        state = newer;
    }
}

/// A rolling deploy in the middle: what was answered in other words is asked again with the rest.
#[tokio::test]
async fn a_kept_answer_to_other_words_is_asked_for_again() {
    let (old, new) = (Running::start().await, Running::start().await);
    let suffix = json!({ "set": { "question_suffix": " Think twice." } }).to_string();
    new.replica.obey(Command::parse(&suffix).unwrap()).unwrap();
    let params = interview(&["form", "url", "roots"], everything());
    let (_, state) = call(&old, &params).await.asked();
    let given = answers();
    let form = json!({ "form": given["form"] });
    let (rest, state) = retry(&old, &params, &state, form).await.asked();
    assert_eq!(rest, ["roots", "url"]);
    let (rest, state) = retry(&new, &params, &state, given.clone()).await.asked();
    assert_eq!(
        rest,
        ["form", "roots", "url"],
        "the new words were never answered"
    );
    let done = retry(&new, &params, &state, given).await.result();
    assert_eq!(done["structuredContent"]["form"], data()["form"]);
}

#[tokio::test]
async fn an_unanswered_round_asks_the_same_again() {
    let replica = Running::start().await;
    let params = interview(&["form", "roots"], everything());
    let (keys, state) = call(&replica, &params).await.asked();
    for nothing in [json!({}), json!({ "stranger": { "action": "accept" } })] {
        let (again, _) = retry(&replica, &params, &state, nothing).await.asked();
        assert_eq!(again, keys);
    }
}

#[tokio::test]
async fn decline_and_cancel_are_answers_too() {
    let replica = Running::start().await;
    let params = interview(&["form", "url"], everything());
    let (_, state) = call(&replica, &params).await.asked();
    let no = json!({ "form": { "action": "decline" }, "url": { "action": "cancel" } });
    let done = retry(&replica, &params, &state, no).await.result();
    assert_eq!(
        done["structuredContent"],
        json!({ "form": null, "url": null })
    );
}

#[tokio::test]
async fn malformed_answers_of_each_kind_are_invalid_params() {
    let replica = Running::start().await;
    let params = interview(&["form", "url", "sampling", "roots"], everything());
    let (_, state) = call(&replica, &params).await.asked();
    for (key, bad) in [
        ("form", json!({ "vessel": "Tern" })),
        ("form", json!({ "action": "accept" })),
        (
            "form",
            json!({ "action": "accept", "content": { "vessel": 7 } }),
        ),
        ("form", json!({ "action": "accept", "content": {} })),
        ("url", json!({ "action": "open" })),
        ("url", json!(true)),
        ("sampling", json!({ "action": "accept" })),
        (
            "sampling",
            json!({ "role": "assistant", "model": "m", "content": "Ahoy" }),
        ),
        (
            "roots",
            json!({ "roots": [{ "uri": "https://harbour.example" }] }),
        ),
        ("roots", json!(["file:///charts"])),
    ] {
        let mut answers = answers();
        answers[key] = bad.clone();
        let reply = retry(&replica, &params, &state, answers).await;
        assert_eq!(reply.error(), (400, -32602), "{key}: {bad}");
    }
    let done = retry(&replica, &params, &state, answers()).await;
    assert_eq!(done.result()["structuredContent"], data());
}

/// agentfront/frontmcp #515 and others: five shapes of the capability, two modes, ten cells.
#[tokio::test]
async fn a_mode_that_is_not_declared_is_never_asked() {
    let replica = Running::start().await;
    let form = json!({ "elicitation": { "form": {} } });
    let url = json!({ "elicitation": { "url": {} } });
    for (declared, takes_form, takes_url) in [
        (json!({}), false, false),
        (json!({ "elicitation": {} }), true, false),
        (form.clone(), true, false),
        (url.clone(), false, true),
        (
            json!({ "elicitation": { "form": {}, "url": {} } }),
            true,
            true,
        ),
    ] {
        for (kind, taken, wanted) in [("form", takes_form, &form), ("url", takes_url, &url)] {
            let reply = call(&replica, &interview(&[kind], declared.clone())).await;
            if taken {
                assert_eq!(reply.asked().0, [kind], "{declared}");
            } else {
                assert_eq!(reply.error(), (400, -32021), "{kind} {declared}");
                let lacking = &reply.json()["error"]["data"]["requiredCapabilities"];
                assert_eq!(lacking, wanted, "{declared}");
            }
        }
    }
}

#[tokio::test]
async fn prompts_and_resources_mind_what_is_declared_too() {
    let replica = Running::start().await;
    for (method, mut params) in [
        ("prompts/get", json!({ "name": "briefing" })),
        ("resources/read", json!({ "uri": "memo://today" })),
    ] {
        params["_meta"] = meta();
        params["_meta"][CAPABILITIES_KEY] = json!({ "elicitation": { "url": {} }, "roots": {} });
        let reply = Post::rpc(method, params).send(&replica).await;
        assert_eq!(reply.error(), (400, -32021), "{method}");
    }
}

#[tokio::test]
async fn sampling_its_tools_and_roots_have_to_be_declared() {
    let replica = Running::start().await;
    for (kind, declared, lacking) in [
        (
            "sampling",
            json!({ "elicitation": {} }),
            json!({ "sampling": {} }),
        ),
        ("roots", json!({ "sampling": {} }), json!({ "roots": {} })),
        (
            "sampling_tools",
            json!({ "sampling": {} }),
            json!({ "sampling": { "tools": {} } }),
        ),
        (
            "sampling_tools",
            json!({}),
            json!({ "sampling": { "tools": {} } }),
        ),
    ] {
        let reply = call(&replica, &interview(&[kind], declared)).await;
        assert_eq!(reply.error(), (400, -32021), "{kind}");
        assert_eq!(
            reply.json()["error"]["data"]["requiredCapabilities"],
            lacking
        );
    }
    let asked = call(&replica, &interview(&["sampling_tools"], everything())).await;
    let tools = &asked.result()["inputRequests"]["sampling_tools"]["params"]["tools"];
    assert_eq!(tools[0]["name"], "tide_table");
}

#[tokio::test]
async fn a_survey_has_a_field_of_every_kind_and_checks_each() {
    let replica = Running::start().await;
    let survey = json!({ "name": "survey" });
    let (keys, state) = call(&replica, &survey).await.asked();
    assert_eq!(keys, ["survey"]);
    let fields = json!({
        "name": "Mara Quill", "email": "mara@harbour.example", "side": "port", "crew": 12,
        "homepage": "https://harbour.example", "birthday": "1990-02-28", "draught_m": 0.5,
        "arrival": "2026-07-28T10:00:00+02:00", "insured": true, "berth": "s",
        "services": ["water", "waste"], "charts": ["h", "o"],
    });
    let accept = |fields: &Value| json!({ "survey": { "action": "accept", "content": fields } });
    let done = retry(&replica, &survey, &state, accept(&fields)).await;
    assert_eq!(done.result()["structuredContent"], fields);
    for (field, bad) in [
        ("email", json!("nobody")),
        ("crew", json!(13)),
        ("side", json!("left")),
        ("charts", json!(["h"])),
        ("insured", json!(1)),
    ] {
        let mut wrong = fields.clone();
        wrong[field] = bad;
        let reply = retry(&replica, &survey, &state, accept(&wrong)).await;
        assert_eq!(reply.error(), (400, -32602), "{field}");
    }
}

/// airlift/airlift #2079: an answer is an envelope with its action; the bare content is not one.
#[tokio::test]
async fn a_resource_does_not_take_bare_content_for_an_answer() {
    let replica = Running::start().await;
    let read = json!({ "uri": "memo://today" });
    let asked = Post::rpc("resources/read", read.clone())
        .send(&replica)
        .await;
    let mut retry = read;
    retry["requestState"] = asked.asked().1.into();
    retry["inputResponses"] = json!({ "unlock": { "phrase": "tide" } });
    let refused = Post::rpc("resources/read", retry.clone())
        .send(&replica)
        .await;
    assert_eq!(refused.error(), (400, -32602));
    retry["inputResponses"] =
        json!({ "unlock": { "action": "accept", "content": { "phrase": "tide" } } });
    let opened = Post::rpc("resources/read", retry).send(&replica).await;
    assert_eq!(opened.text(), "memo today opened with tide");
}
