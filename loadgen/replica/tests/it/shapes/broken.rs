//! The checks of this folder, checked: one change away from a good message each must complain.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use super::notifications::notification;
use super::results::result;
use super::unique;

fn complains(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

/// A result of this method with what every result has.
fn whole(mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["_meta"] = json!({
        "io.modelcontextprotocol/serverInfo": { "name": "n", "version": "v" },
        "loadgen/instance": 0,
    });
    result
}

fn asking(question: &Value) -> Value {
    let mut result = whole(json!({ "inputRequests": { "k": question }, "requestState": "s" }));
    result["resultType"] = "input_required".into();
    result
}

fn form(property: &Value) -> Value {
    json!({ "method": "elicitation/create", "params": {
        "mode": "form", "message": "?",
        "requestedSchema": { "type": "object", "properties": { "p": property }, "required": ["p"] },
    } })
}

/// Each of these changes must be noticed: at the pointer stands the value, or nothing any more.
fn changes_are_noticed(method: &str, good: &Value, changes: &[(&str, Option<Value>)]) {
    result(method, good);
    for (pointer, value) in changes {
        let mut bad = good.clone();
        match value {
            Some(value) => match bad.pointer_mut(pointer) {
                Some(at) => *at = value.clone(),
                None => _ = insert(&mut bad, pointer, value.clone()),
            },
            None => _ = remove(&mut bad, pointer),
        }
        assert_ne!(&bad, good, "{pointer}");
        assert!(
            complains(|| result(method, &bad)),
            "{pointer} {value:?} went through"
        );
    }
}

fn remove(from: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    from.pointer_mut(parent)?.as_object_mut()?.remove(key)
}

fn insert(into: &mut Value, pointer: &str, value: Value) -> Option<Value> {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = into.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.insert(key.to_owned(), value)
}

#[test]
fn results_without_what_they_must_have_are_noticed() {
    let tool = json!({ "name": "t", "description": "d", "inputSchema": { "type": "object" } });
    let mut good = whole(json!({ "tools": [tool], "ttlMs": 1, "cacheScope": "public" }));
    good["nextCursor"] = "c".into();
    changes_are_noticed(
        "tools/list",
        &good,
        &[
            ("/resultType", None),
            ("/resultType", Some(json!("done"))),
            ("/_meta", None),
            (
                "/_meta/io.modelcontextprotocol~1serverInfo",
                Some(json!({ "name": "n" })),
            ),
            ("/ttlMs", None),
            ("/ttlMs", Some(json!(-1))),
            ("/ttlMs", Some(json!(1.5))),
            ("/cacheScope", Some(json!("shared"))),
            ("/nextCursor", Some(json!(5))),
            ("/tools/0/inputSchema", Some(json!({ "type": "string" }))),
            ("/tools/0/description", None),
            ("/tools/0/name", Some(json!("a tool"))),
        ],
    );
    let completion = json!({ "values": ["a"], "total": 2, "hasMore": true });
    changes_are_noticed(
        "completion/complete",
        &whole(json!({ "completion": completion })),
        &[
            ("/completion/values", Some(json!([1]))),
            ("/completion/total", Some(json!(0))),
            ("/completion/hasMore", Some(json!(false))),
        ],
    );
}

#[test]
fn blocks_that_clients_could_not_show_are_noticed() {
    let good = whole(json!({ "content": [
        { "type": "text", "text": "t" },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "resource", "resource": { "uri": "a:b", "text": "t" } },
    ] }));
    changes_are_noticed(
        "tools/call",
        &good,
        &[
            ("/content", None),
            ("/content/0/type", Some(json!("video"))),
            ("/content/0/text", Some(json!(5))),
            ("/content/1/mimeType", None),
            ("/content/1/mimeType", Some(json!("audio/wav"))),
            ("/content/1/data", Some(json!("AAA"))),
            ("/content/1/data", Some(json!("AA-_"))),
            ("/content/2/resource/text", None),
            ("/content/2/resource/blob", Some(json!("AAAA"))),
            ("/isError", Some(json!("yes"))),
            ("/isError", Some(json!(false))),
            ("/ttlMs", Some(json!(0))),
        ],
    );
}

#[test]
fn questions_that_no_client_knows_are_noticed() {
    let good = asking(&form(
        &json!({ "type": "string", "minLength": 1, "maxLength": 2 }),
    ));
    let params = "/inputRequests/k/params";
    let schema = format!("{params}/requestedSchema");
    let property = format!("{schema}/properties/p");
    let of_property = |value: Value| (property.as_str(), Some(value));
    changes_are_noticed(
        "tools/call",
        &good,
        &[
            ("/inputRequests/k/method", Some(json!("tools/call"))),
            (&format!("{params}/mode"), Some(json!("voice"))),
            (&format!("{params}/message"), None),
            (&format!("{schema}/required"), Some(json!(["q"]))),
            (&format!("{schema}/$defs"), Some(json!({}))),
            (&format!("{schema}/type"), Some(json!("array"))),
            of_property(json!({ "type": "object", "properties": {} })),
            of_property(json!({ "type": "string", "pattern": "a" })),
            of_property(json!({ "type": "string", "format": "hostname" })),
            of_property(json!({ "type": "string", "format": "date", "enum": ["a"] })),
            of_property(json!({ "type": "string", "minLength": 3, "maxLength": 2 })),
            of_property(json!({ "type": "string", "enum": ["a", "a"] })),
            of_property(json!({ "type": "string", "enum": ["a"], "default": "b" })),
            of_property(json!({ "type": "string", "oneOf": [{ "const": "a" }] })),
            of_property(json!({ "type": "integer", "minimum": 0.5 })),
            of_property(json!({ "type": "number", "minimum": 2, "maximum": 1 })),
            of_property(json!({ "type": "array", "items": { "type": "string" } })),
            of_property(json!({ "type": "array", "minItems": 3,
                                "items": { "type": "string", "enum": ["a", "b"] } })),
            of_property(json!({ "$ref": "#/$defs/a" })),
            ("/cacheScope", Some(json!("public"))),
            ("/requestState", Some(json!(""))),
            ("/requestState", Some(json!(5))),
            ("/inputRequests", Some(json!({}))),
        ],
    );
    assert!(complains(|| result("tools/list", &good)), "no list may ask");
    for bad in [
        json!({ "method": "elicitation/create",
                "params": { "mode": "url", "message": "?", "url": "nowhere" } }),
        json!({ "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 1 } }),
        json!({ "method": "sampling/createMessage", "params": { "maxTokens": 0, "messages":
                [{ "role": "user", "content": { "type": "text", "text": "t" } }] } }),
        json!({ "method": "sampling/createMessage", "params": { "maxTokens": 9, "messages":
                [{ "role": "system", "content": { "type": "text", "text": "t" } }] } }),
    ] {
        let asking = asking(&bad);
        assert!(complains(|| result("tools/call", &asking)), "{bad}");
    }
}

#[test]
fn notifications_that_mean_nothing_are_noticed() {
    let progress = |params: Value| json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
    notification(&progress(
        json!({ "progressToken": 1, "progress": 1, "total": 2 }),
    ));
    for bad in [
        progress(json!({ "progress": 1 })),
        progress(json!({ "progressToken": null, "progress": 1 })),
        progress(json!({ "progressToken": "t", "progress": 3, "total": 2 })),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "notifications/progress",
                "params": { "progressToken": 1, "progress": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/message",
                "params": { "level": "loud", "data": "d" } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "elicitation/create", "params": {} }),
    ] {
        assert!(complains(|| notification(&bad)), "{bad}");
    }
}

#[test]
fn members_given_twice_are_noticed() {
    unique::members(br#"{"a":{"b":[1,{"c":2}]},"b":null}"#);
    for bad in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"\u0061":2}]}"#] {
        assert!(complains(|| unique::members(bad.as_bytes())), "{bad}");
    }
}
