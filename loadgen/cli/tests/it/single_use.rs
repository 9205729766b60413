//! States that are sent back to several replicas at once: how often each is carried out.

use serde_json::Value;

use crate::program::{Desk, list, number};
use crate::redis_server::RedisServer;

/// Codes that are redeemed after each was confirmed twice at the same moment.
fn ran(replicas: u32, options: &str, replay: &str) -> (Value, String) {
    let scenario = format!(
        "name = \"single-use\"\nthresholds = [\"ok.rate >= 1\"]\n[fleet]\nreplicas = {replicas}\n\
         options = [\"--store\", {options}]\n[load]\nrate_per_s = 40\nduration_s = 1\n[[workflow]]\n\
         tool = \"redeem\"\narguments = {{ code = \"{{{{uuid}}}}\" }}\n{replay}\n\
         answers = {{ fields = {{ confirm = true }} }}\n"
    );
    let ran = Desk::new().run(&scenario, &[]);
    ran.exits_with(0);
    (ran.result, ran.stdout)
}

/// Each of the states was carried out so many times, and the rest of the two requests refused.
fn carried_out(result: &Value, times: u64) {
    let kind = &list(&result["single_use"]["kinds"])[0];
    let states = number(&result["load"]["outcomes"]["ok"]);
    assert_eq!(number(&kind["states"]), states);
    assert_eq!(number(&kind["requests"]), 2 * states);
    assert_eq!(number(&kind["ok"]), times * states, "{kind}");
    assert_eq!(number(&kind["refused"]), (2 - times) * states, "{kind}");
    let again = if times > 1 { states } else { 0 };
    assert_eq!(number(&kind["carried_out_again"]), again);
    assert_eq!(
        number(&result["load"]["attempts"]),
        2 * states,
        "no replay is one"
    );
    let found = list(&result["findings"]).iter();
    let found = found.filter(|finding| finding["code"] == "carried_out_again");
    assert_eq!(found.count(), usize::from(times > 1));
}

#[test]
fn without_a_record_a_state_is_carried_out_wherever_it_comes() {
    for replicas in [1, 2] {
        let (result, stdout) = ran(replicas, "\"none\"", "replay = 2");
        assert_eq!(result["single_use"]["store"], "none");
        carried_out(&result, 2);
        assert!(
            stdout.contains("States sent back several times at once"),
            "{stdout}"
        );
        let kind = &result["single_use"]["kinds"][0];
        assert!(kind.get("store_time").is_none(), "nobody was asked: {kind}");
    }
}

#[test]
fn a_record_of_its_own_stops_replays_at_one_replica_and_not_at_another() {
    let (alone, _) = ran(1, "\"memory\"", "replay = 2");
    carried_out(&alone, 1);
    let (fleet, _) = ran(2, "\"memory\"", "replay = 2");
    carried_out(&fleet, 2);
    let kind = &fleet["single_use"]["kinds"][0];
    assert_eq!(kind["store_time"]["count"], kind["states"]);
    let of = |time: &str| kind[time]["p50_ns"].as_u64();
    assert!(of("store_time") < of("service"), "{kind}");
}

#[test]
fn one_record_for_all_lets_each_state_be_carried_out_once() {
    let Some(redis) = RedisServer::start() else {
        return;
    };
    let options = format!("\"redis\", \"--redis\", \"{}\"", redis.url());
    let (result, _) = ran(3, &options, "replay = 2");
    assert_eq!(result["single_use"]["store"], "redis");
    carried_out(&result, 1);
}

#[test]
fn a_client_that_replays_nothing_finds_nothing() {
    let (result, stdout) = ran(2, "\"none\"", "");
    assert!(result.get("single_use").is_none());
    assert!(!stdout.contains("States sent back"));
}

#[test]
fn a_replay_is_of_two_to_sixteen_requests() {
    let desk = Desk::new();
    for (replay, code) in [("1", 2), ("17", 2), ("16", 0)] {
        let text = format!(
            "name = \"x\"\n[fleet]\nreplicas = 1\n[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\n\
             tool = \"redeem\"\nreplay = {replay}\n"
        );
        desk.file("s.toml", &text);
        let output = desk
            .loadgen(["check", "s.toml"])
            .output()
            .expect("it can be run");
        assert_eq!(output.status.code(), Some(code), "{replay}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let want = if code == 0 {
            "sends each state back 16 times at once"
        } else {
            "replay must be 2 to 16"
        };
        assert!(said.contains(want), "{said}");
    }
}
