//! `docs/observability.md` names every metric and every field of the access log, and no other.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loadgen_replica::{AccessLog, LimitConfig, Metrics, StoreConfig};
use serde_json::{Value, json};

use crate::client::Post;
use crate::running::Running;

const PAGE: &str = include_str!("../../../../docs/observability.md");

/// What stands between backticks in the first column of the table headed so.
fn first_column(head: &str) -> BTreeSet<&'static str> {
    PAGE.lines()
        .skip_while(|line| !line.starts_with(&format!("| {head} |")))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .flat_map(|line| {
            let cell = line.trim_start_matches('|').split('|').next().unwrap();
            cell.split('`').skip(1).step_by(2)
        })
        .collect()
}

#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl io::Write for File {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_page_names_what_a_replica_with_everything_on_tells() {
    let file = File::default();
    let log = AccessLog::new(file.clone()).unwrap();
    let replica = Running::with(7, |c| {
        c.access_log = Some(log.clone());
        c.watch_tokens_of = vec!["redeem".to_owned()];
        c.limit = Some(LimitConfig::new("100/s".parse().unwrap()));
        c.store = StoreConfig::Memory;
    })
    .await;
    let redeem = |state: Option<&str>| {
        let mut params = json!({ "name": "redeem", "arguments": { "code": "c" } });
        if let Some(state) = state {
            params["requestState"] = state.into();
            params["inputResponses"] =
                json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
        }
        Post::rpc("tools/call", params).also("authorization", "Bearer x")
    };
    let (_, state) = redeem(None).send(&replica).await.asked();
    redeem(Some(&state)).send(&replica).await.result();
    redeem(Some(&state)).send(&replica).await.error();

    let text = Metrics::new(replica.replica.clone(), replica.connections.clone()).text();
    let families: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|rest| rest.split(' ').next())
        .filter(|name| !name.starts_with("process_"))
        .collect();
    assert_eq!(first_column("metric"), families);

    log.close(Duration::from_secs(600));
    let written = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let fields: BTreeSet<_> = lines
        .iter()
        .flat_map(|line| line.as_object().unwrap().keys().map(String::as_str))
        .collect();
    assert_eq!(first_column("field"), fields);
    assert_eq!(lines[1]["state"], "opened");
    assert_eq!(
        (&lines[2]["state"], &lines[2]["reason"]),
        (&json!("used"), &json!("replayed"))
    );
    assert_eq!(lines[1]["token"], lines[2]["token"]);
    let states = [
        "opened", "missing", "changed", "invented", "foreign", "untimely", "used",
    ];
    assert_eq!(first_column("value of `state`"), states.into());
}
