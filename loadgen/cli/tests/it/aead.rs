//! What opening and sealing cost, in results of whole runs.

use serde_json::Value;

use crate::program::{Desk, list, number};

const SCENARIO: &str = r#"
name = "sealing"
thresholds = ["ok.rate >= 0.99"]

[fleet]
replicas = 2
algorithm = "aes-256-gcm"

[load]
rate_per_s = 40
duration_s = 1

[[workflow]]
tool = "wizard"
arguments = { rounds = 2, pad_bytes = 512 }

[[workflow]]
tool = "echo"
"#;

#[test]
fn a_run_says_what_sealing_costs_and_how_long_a_key_lasts() {
    let desk = Desk::new();
    let ran = desk.run(SCENARIO, &[]);
    ran.exits_with(0);
    let aead = &ran.result["aead"];
    let rounds = list(&aead["rounds"]);
    assert_eq!(rounds.len(), 3, "an echo protects nothing: {rounds:?}");
    let wizards = number(&ran.result["kinds"][0]["started"]);
    for (round, opens, seals) in [(0, false, true), (1, true, true), (2, true, false)] {
        let told = &rounds[round];
        assert_eq!(told["round"], round);
        assert_eq!(told["open"]["count"].as_u64(), opens.then_some(wizards));
        assert_eq!(told["seal"]["count"].as_u64(), seals.then_some(wizards));
        assert_eq!(told["opened_mean_bytes"].is_f64(), opens, "{told}");
    }
    assert_eq!(number(&aead["open_and_seal"]["count"]), 3 * wizards);
    let share = |name: &str| aead[name].as_f64().expect("a share");
    assert!(share("round_share") < share("server_share"), "{aead}");
    assert!(share("server_share") < 1.0);

    let key = &aead["key_use"];
    assert_eq!(key["algorithm"], "aes-256-gcm");
    assert_eq!(key["keys"], 1);
    assert_eq!(key["seal_bound_log2"], 32);
    let measured_s = ran.result["load"]["measured_s"].as_f64();
    let per_s = 2.0 * wizards as f64 / measured_s.expect("a time");
    close(&key["seals_per_s"], per_s);
    close(&key["days_to_bound"], 2_f64.powi(32) / per_s / 86_400.0);

    let replicas = list(&aead["cpu"]["replicas"]);
    assert_eq!(replicas.len(), 2);
    let requests: u64 = replicas.iter().map(|r| number(&r["requests"])).sum();
    assert_eq!(requests, number(&ran.result["load"]["rounds"]));
    assert!(ran.stdout.contains("Opening and sealing"), "{}", ran.stdout);
    assert!(desk.path("out/aead-by-round.svg").exists());
}

#[test]
fn nothing_protected_means_nothing_said() {
    let echo = SCENARIO.replace("tool = \"wizard\"", "tool = \"echo\"\nname = \"other\"");
    let echo = echo.replace("arguments = { rounds = 2, pad_bytes = 512 }", "");
    let ran = Desk::new().run(&echo, &[]);
    ran.exits_with(0);
    assert!(ran.result["aead"].is_null(), "{}", ran.result["aead"]);
    assert!(!ran.stdout.contains("Opening and sealing"));
}

fn close(figure: &Value, want: f64) {
    let figure = figure.as_f64().expect("a figure");
    assert!((figure / want - 1.0).abs() < 1e-9, "{figure} {want}");
}
