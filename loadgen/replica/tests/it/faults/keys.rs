//! Keys that change while the replicas serve.

use loadgen_replica::Cause;
use loadgen_seal::{Key, KeyId, Role};
use serde_json::{Value, json};

use crate::client::Reply;
use crate::faults::{confirm, delete, tell, try_tell};
use crate::running::Running;

/// The line that makes a replica accept key 2.
fn accept() -> Value {
    let key = Key::new(KeyId(2), &[9; 32], None).unwrap();
    json!({ "keys": { "accept": &*key.to_secret_line(Role::Accept) } })
}

async fn minted(by: &Running) -> String {
    delete().send(by).await.asked().1
}

async fn opened(by: &Running, state: &str) -> Reply {
    confirm(state).send(by).await
}

#[tokio::test]
async fn a_rotation_in_order_refuses_nothing_until_the_old_key_is_dropped() {
    let fleet = [Running::start().await, Running::start().await];
    let old = minted(&fleet[0]).await;
    for line in [accept(), json!({ "keys": { "mint": 2 } })] {
        for turned in &fleet {
            tell(turned, line.clone());
            // Replicas are at most one phase apart.
            for (by, at) in [(0, 1), (1, 0)] {
                let state = minted(&fleet[by]).await;
                assert_eq!(opened(&fleet[at], &state).await.text(), "deleted p");
            }
        }
    }
    assert_eq!(opened(&fleet[1], &old).await.text(), "deleted p");
    let told = tell(&fleet[0], json!({ "keys": { "drop": 1 } }));
    assert_eq!(told["keys"], json!([{ "id": 2, "role": "mint" }]));
    assert_eq!(opened(&fleet[0], &old).await.error(), (400, -32602));
    let counters = fleet[0].replica.counters();
    assert_eq!(counters.refused_for(Cause::State), 1);
    let sealed: u64 = counters.state.keys.iter().map(|key| key.sealed).sum();
    assert_eq!(sealed, counters.asked, "counts outlive their key");
}

#[tokio::test]
async fn minting_before_all_accept_is_refused_by_those_who_do_not() {
    let fleet = [Running::start().await, Running::start().await];
    tell(&fleet[0], accept());
    tell(&fleet[0], json!({ "keys": { "mint": 2 } }));
    let new = minted(&fleet[0]).await;
    assert_eq!(opened(&fleet[1], &new).await.error(), (400, -32602));
    let old = minted(&fleet[1]).await;
    assert_eq!(opened(&fleet[0], &old).await.text(), "deleted p");
}

#[tokio::test]
async fn changes_that_make_no_sense_are_refused() {
    let replica = Running::start().await;
    for (line, says) in [
        (
            json!({ "keys": { "mint": 2 } }),
            "keys: no key has the id 2",
        ),
        (
            json!({ "keys": { "drop": 2 } }),
            "keys: no key has the id 2",
        ),
        (json!({ "keys": { "drop": 1 } }), "keys: key 1 mints"),
        (
            json!({ "keys": { "accept": "2" } }),
            "keys.accept: key line 1",
        ),
    ] {
        let error = try_tell(&replica, &line).unwrap_err();
        assert!(error.starts_with(says), "{error}");
    }
    tell(&replica, accept());
    let taken = try_tell(&replica, &accept()).unwrap_err();
    assert_eq!(taken, "keys: key id 2 is in the ring already");
}
