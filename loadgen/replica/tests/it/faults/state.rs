//! What a misled replica accepts as its state.

use loadgen_replica::Fault;
use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::faults::{confirm, confirm_in, count, delete, delete_params, echo, misled, tell};
use crate::running::Running;

/// Life of a state in these tests, in seconds.
const TTL_S: u64 = 600;

/// Something that no good replica accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    /// Padding behind the token.
    Padded,
    /// Spare bits of the last character set.
    SpareBits,
    /// The state of another deletion.
    OtherArguments,
    /// The state of another caller.
    OtherCaller,
    /// A state whose life is over.
    Expired,
    /// A workflow that takes too long, kept alive by asking again.
    Overdue,
    /// One bit of the tag changed.
    Forged,
    /// A key that the ring does not have.
    OtherKey,
}

const ATTACKS: [Attack; 8] = [
    Attack::Padded,
    Attack::SpareBits,
    Attack::OtherArguments,
    Attack::OtherCaller,
    Attack::Expired,
    Attack::Overdue,
    Attack::Forged,
    Attack::OtherKey,
];

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A token with the six bits of one character changed.
fn changed(token: &str, at: usize, mask: usize) -> String {
    let mut text = token.as_bytes().to_vec();
    let value = ALPHABET.iter().position(|&c| c == text[at]).unwrap();
    text[at] = ALPHABET[value ^ mask];
    String::from_utf8(text).unwrap()
}

fn other_path() -> Value {
    json!({ "name": "confirm_delete", "arguments": { "path": "other" } })
}

/// Whether a replica with which `set` is wrong accepts the state. What it does then is another
/// matter: a question about other arguments has other words and is asked again.
async fn accepted(attack: Attack, set: &Value) -> bool {
    let replica = misled(set.clone()).await;
    let (_, state) = delete().send(&replica).await.asked();
    let reply: Reply = match attack {
        Attack::Padded => confirm(&format!("{state}==")).send(&replica).await,
        Attack::SpareBits => {
            assert_ne!(state.len() % 4, 0, "the last character has spare bits");
            let respelt = changed(&state, state.len() - 1, 1);
            confirm(&respelt).send(&replica).await
        }
        Attack::OtherArguments => confirm_in(other_path(), &state).send(&replica).await,
        Attack::OtherCaller => {
            let post = confirm(&state).also("authorization", "Bearer bob");
            post.send(&replica).await
        }
        Attack::Expired => {
            replica.advance(TTL_S);
            confirm(&state).send(&replica).await
        }
        Attack::Overdue => {
            let mut params = delete_params();
            let mut state = state;
            for _ in 0..6 {
                replica.advance(TTL_S - 1);
                params["requestState"] = state.into();
                state = Post::rpc("tools/call", params.clone())
                    .send(&replica)
                    .await
                    .asked()
                    .1;
            }
            replica.advance(TTL_S - 1);
            confirm(&state).send(&replica).await
        }
        Attack::Forged => {
            let forged = changed(&state, state.len() - 4, 0b10_0000);
            confirm(&forged).send(&replica).await
        }
        Attack::OtherKey => {
            let other = Running::with(8, |_| ()).await;
            tell(&other, json!({ "set": set }));
            let (_, state) = delete().send(&other).await.asked();
            confirm(&state).send(&replica).await
        }
    };
    match reply.status {
        200 => true,
        _ => {
            assert_eq!(reply.error(), (400, -32602));
            false
        }
    }
}

#[tokio::test]
async fn each_control_takes_exactly_one_check_away() {
    for (set, through) in [
        (json!({ "seed": 1 }), vec![]),
        (
            json!({ "malleable_base64": true }),
            vec![Attack::Padded, Attack::SpareBits],
        ),
        (
            json!({ "no_binding": true }),
            vec![Attack::OtherArguments, Attack::OtherCaller],
        ),
        (
            json!({ "no_expiry": true }),
            vec![Attack::Expired, Attack::Overdue],
        ),
    ] {
        for attack in ATTACKS {
            let wanted = through.contains(&attack);
            assert_eq!(accepted(attack, &set).await, wanted, "{attack:?} {set}");
        }
    }
}

#[tokio::test]
async fn honest_workflows_go_on_under_all_controls_at_once() {
    let replica = misled(json!({
        "malleable_base64": true, "no_binding": true, "no_expiry": true,
    }))
    .await;
    let (_, state) = delete().send(&replica).await.asked();
    assert_eq!(confirm(&state).send(&replica).await.text(), "deleted p");
    assert_eq!(count(&replica, Fault::MalleableBase64), 0);
    assert_eq!(count(&replica, Fault::NoExpiry), 0);
    assert_eq!(count(&replica, Fault::NoBinding), 2);
}

/// Replica B's clock is ahead: it refuses the states of A early, and A accepts those of B late.
#[tokio::test]
async fn skewed_clocks_make_an_asymmetric_matrix() {
    let a = Running::start().await;
    let b = misled(json!({ "clock_offset_s": 30 })).await;
    let (_, of_a) = delete().send(&a).await.asked();
    let (_, of_b) = delete().send(&b).await.asked();
    for replica in [&a, &b] {
        replica.advance(TTL_S - 29);
    }
    assert_eq!(confirm(&of_a).send(&b).await.error(), (400, -32602));
    assert_eq!(confirm(&of_a).send(&a).await.text(), "deleted p");
    a.advance(58);
    assert_eq!(confirm(&of_b).send(&a).await.text(), "deleted p");
    a.advance(1);
    assert_eq!(confirm(&of_b).send(&a).await.error(), (400, -32602));
    assert_eq!(count(&b, Fault::ClockOffset), 2);
}

/// How long this part of the request took, in milliseconds, as the reply says.
fn part_ms(reply: &Reply, part: &str) -> f64 {
    let field = reply.header("server-timing").unwrap();
    let ms = field
        .split(", ")
        .find_map(|entry| entry.strip_prefix(part)?.strip_prefix(";dur="));
    ms.unwrap_or_else(|| panic!("no {part} in {field}"))
        .parse()
        .unwrap()
}

/// Only least times are judged: no machine opens or seals a state within half a microsecond.
#[tokio::test]
async fn slow_sealing_is_told_as_opening_and_sealing() {
    let replica = misled(json!({ "slow_seal": 1000 })).await;
    assert_eq!(echo().send(&replica).await.text(), "x");
    assert_eq!(count(&replica, Fault::SlowSeal), 0);
    let asked = delete().send(&replica).await;
    assert!(part_ms(&asked, "seal") >= 0.5, "{asked:?}");
    assert_eq!(count(&replica, Fault::SlowSeal), 1);
    let done = confirm(&asked.asked().1).send(&replica).await;
    assert!(part_ms(&done, "open") >= 0.5, "{done:?}");
    assert_eq!(count(&replica, Fault::SlowSeal), 2);
    assert_eq!(done.text(), "deleted p");
}

#[tokio::test]
async fn a_refused_state_is_opened_slowly_too() {
    let replica = misled(json!({ "slow_seal": 1.3 })).await;
    assert_eq!(confirm("AAAA").send(&replica).await.error(), (400, -32602));
    assert_eq!(count(&replica, Fault::SlowSeal), 1);
}
