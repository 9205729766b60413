//! The pages under docs say what the replica says of itself.

use loadgen_replica::Principals;
use serde_json::{Value, json};

use crate::client::{CAPABILITIES_KEY, Post, meta};
use crate::running::Running;

const PAGE: &str = include_str!("../../../../docs/replica.md");

/// The cells of the rows of the table whose first column is headed `first`.
fn rows(first: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| {
        let line = line.trim_matches('|');
        line.split('|').map(str::trim).collect::<Vec<_>>()
    };
    PAGE.lines()
        .skip_while(|line| !line.starts_with(&format!("| {first} |")))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .collect()
}

/// What stands between backticks, in order of the alphabet.
fn code(cell: &str) -> Vec<String> {
    let mut spans: Vec<_> = cell
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    spans.sort();
    spans
}

/// The number in a cell that gives one size for every round.
fn fixed_bytes(cell: &str) -> Option<usize> {
    let number = cell.strip_suffix(" bytes")?;
    number.trim_end_matches(" random").parse().ok()
}

/// The arguments of a tool as the table writes them.
fn arguments(schema: &Value) -> Vec<String> {
    let names = |list: &Value| {
        let names = list.as_array().unwrap().iter();
        names
            .map(|name| name.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("/")
    };
    let mut written: Vec<_> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let range = match property["type"].as_str().unwrap() {
                "integer" => format!(" {}..{}", property["minimum"], property["maximum"]),
                "array" => format!(" list of {}", names(&property["items"]["enum"])),
                _ if property["enum"].is_array() => format!(" {}", names(&property["enum"])),
                _ => String::new(),
            };
            let absent = match &property["default"] {
                Value::Null => " required".to_owned(),
                Value::String(text) if property["enum"].is_array() => format!(" = {text}"),
                list @ Value::Array(_) => format!(" = {}", names(list)),
                other => format!(" = {other}"),
            };
            let required = schema["required"].as_array().into_iter().flatten();
            let is_required = required.into_iter().any(|r| r == name);
            assert_eq!(is_required, property["default"].is_null(), "{name}");
            format!("{name}{range}{absent}")
        })
        .collect();
    written.sort();
    written
}

#[tokio::test]
async fn the_page_lists_the_tools_with_the_arguments_that_they_take() {
    let replica = Running::start().await;
    let list = Post::rpc("tools/list", json!({}))
        .send(&replica)
        .await
        .result();
    let listed: Vec<_> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let name = tool["name"].as_str().unwrap().to_owned();
            (vec![name], arguments(&tool["inputSchema"]))
        })
        .collect();
    let documented: Vec<_> = rows("tool")
        .into_iter()
        .map(|row| (code(row[0]), code(row[1])))
        .collect();
    assert_eq!(documented, listed);
}

#[tokio::test]
async fn the_page_says_what_the_first_round_asks() {
    let replica = Running::start().await;
    for row in rows("tool") {
        let tool = &code(row[0])[0];
        let mut params = json!({ "name": tool, "arguments": { "path": "p", "code": "c" } });
        params["_meta"] = meta();
        params["_meta"][CAPABILITIES_KEY] =
            json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
        let result = Post::rpc("tools/call", params)
            .send(&replica)
            .await
            .result();
        let asked = result["inputRequests"].as_object();
        let keys: Vec<_> = asked.into_iter().flatten().map(|(key, _)| key).collect();
        match &keys[..] {
            [] => assert!(row[2].starts_with("nothing"), "{row:?}"),
            [key] => assert!(code(row[2]).contains(key), "{row:?} asks {key}"),
            several => assert!(row[2].starts_with("one question of each"), "{several:?}"),
        }
        let asks = result["resultType"] == "input_required";
        assert_eq!(asks, row[3] != "none", "{row:?}");
        if let Some(state_bytes) = fixed_bytes(row[3]) {
            // AES-256-GCM's own 34 bytes, 5 of claims and 16 of the questions' digest.
            let characters = ((34 + 5 + 16 + state_bytes) * 4).div_ceil(3);
            let state = result["requestState"].as_str().unwrap();
            assert_eq!(state.len(), characters, "{row:?}");
        }
    }
}

#[tokio::test]
async fn the_page_says_what_arguments_are_completed_to() {
    let replica = Running::start().await;
    let rows = rows("of");
    assert_eq!(rows.len(), 2);
    for row in rows {
        let (of, name) = (&code(row[0])[0], &code(row[1])[0]);
        let reference = if row[0].starts_with("prompt") {
            json!({ "type": "ref/prompt", "name": of })
        } else {
            json!({ "type": "ref/resource", "uri": of })
        };
        let params = json!({ "ref": reference, "argument": { "name": name, "value": "" } });
        let completed = Post::rpc("completion/complete", params)
            .send(&replica)
            .await;
        let values = row[2].split(", ").collect::<Vec<_>>();
        assert_eq!(completed.result()["completion"]["values"], json!(values));
    }
}

#[tokio::test]
async fn the_table_of_principals_on_the_page_works() {
    let (_, after) = PAGE.split_once("```toml\n").expect("an example");
    let (example, _) = after.split_once("```").expect("its end");
    let table = Principals::parse(example).unwrap();
    let replica = Running::with(7, |config| config.principals = Some(table)).await;
    for (token, tool, status) in [
        ("a-token", "wizard", 200),
        ("the-one-before-it", "echo", 200),
        ("another", "echo", 200),
        ("another", "wizard", 403),
        ("a-third", "echo", 401),
    ] {
        let call = Post::call(tool, json!({})).also("authorization", format!("Bearer {token}"));
        assert_eq!(call.send(&replica).await.status, status, "{token} {tool}");
    }
}
