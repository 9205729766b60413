//! How payload grows, over the whole path: replicas that seal, HTTP, the generator's own counting.

use loadgen_seal::Algorithm;
use serde_json::Value;

use crate::program::{Desk, list, number};

/// One run of wizards with these lines of `[fleet]` and below it.
fn wizards(fleet: &str, questions: u32, pad_bytes: u32) -> Value {
    let scenario = format!(
        "thresholds = [\"started.rate >= 1\"]\n[fleet]\n{fleet}\n[load]\nrate_per_s = 4\n\
         duration_s = 1\nspread = \"next\"\nround_cap = 50\ndrain_s = 100\n[[workflow]]\ntool = \"wizard\"\n\
         arguments = {{ rounds = {questions}, pad_bytes = {pad_bytes} }}\n"
    );
    Desk::new().run(&scenario, &[]).result
}

/// Characters of a state of the wizard in round r, by docs/replica.md: what the tool wants back is the
/// number of answers (4 bytes), each answer of 13 bytes behind its length (4 bytes), and the padding of
/// all rounds so far; beside it are sealed 16 bytes of the questions' digest, and 5 of deadline and round.
fn characters(algorithm: Algorithm, pad_bytes: u64, round: u64) -> u64 {
    let state = 4 + (4 + 13) * round + pad_bytes * (round + 1);
    let sealed = state + 16 + 5 + algorithm.overhead_bytes() as u64;
    (4 * sealed).div_ceil(3)
}

#[test]
fn states_of_a_wizard_grow_as_the_formula_of_the_codec_says() {
    for algorithm in [
        Algorithm::Xaes256Gcm,
        Algorithm::Aes256Gcm,
        Algorithm::HmacSha256,
    ] {
        for pad_bytes in [0, 1000] {
            let fleet = format!("replicas = 2\nalgorithm = \"{}\"", algorithm.name());
            let result = wizards(&fleet, 10, pad_bytes);
            let kind = &result["kinds"][0];
            let mut seen = 0;
            for round in list(&kind["rounds"]) {
                let state = &round["state_received"];
                if state.is_null() {
                    continue;
                }
                let want = characters(algorithm, pad_bytes.into(), number(&round["round"]));
                for figure in ["min_bytes", "max_bytes"] {
                    assert_eq!(
                        number(&state[figure]),
                        want,
                        "{algorithm} {pad_bytes} {round}"
                    );
                }
                seen += 1;
            }
            assert_eq!(seen, 10);
            let law = &result["payload"]["kinds"][0]["state"]["law"];
            assert_eq!(law["name"], "linear");
            let slope = law["per_round_bytes"].as_f64().expect("a slope");
            let want = f64::from(4 * (17 + pad_bytes)) / 3.0;
            assert!((slope - want).abs() < 0.2, "{slope} {want}");
        }
    }
}

/// Replica 3 takes so many bytes, the others, which mint what they get, a lot more. It mints no state
/// above seven eighths of that, so it must not be asked in the three rounds before the limit is met.
fn unequal(limit_bytes: u64) -> String {
    let more = format!("options = [\"--body-limit\", \"{}\"]\n", 60 << 20);
    let mut fleet = "replicas = 4\n".to_owned();
    for number in 0..3 {
        fleet += &format!("[[fleet.replica]]\nnumber = {number}\n{more}");
    }
    fleet
        + &format!(
            "[[fleet.replica]]\nnumber = 3\noptions = [\"--body-limit\", \"{limit_bytes}\"]\n"
        )
}

#[test]
fn a_body_limit_is_foretold_within_a_round() {
    // What two rounds add is more than the eighth of the limit that replica 3 keeps free.
    for (limit_bytes, pad_bytes) in [(64 << 10, 4000), (4 << 20, 600_000)] {
        let fleet = unequal(limit_bytes);
        let few = wizards(&fleet, 4, pad_bytes);
        assert_eq!(few["payload"]["body_limit_bytes"], limit_bytes);
        let few = &few["payload"]["kinds"][0];
        assert!(few["refused"].is_null(), "not so soon: {few}");
        let foretold = number(&few["limit_round"]);

        let many = wizards(&fleet, 15, pad_bytes);
        let many = &many["payload"]["kinds"][0];
        let met = number(&many["refused"]["first_round"]);
        assert!(foretold.abs_diff(met) <= 1, "{foretold} {met}");
        // Of four workflows one asks this replica in the very first round above the limit.
        let step = 4 * (17 + u64::from(pad_bytes)) / 3 + 1;
        let smallest = number(&many["refused"]["smallest_bytes"]);
        assert!(
            (limit_bytes..=limit_bytes + step).contains(&smallest),
            "{smallest}"
        );
        let said = many["sentence"].as_str().expect("a sentence");
        assert!(
            said.contains("grows linearly") && said.contains("is met in round"),
            "{said}"
        );
    }
}

#[test]
fn spreads_are_compared_in_one_run() {
    let desk = Desk::new();
    let scenario = "[fleet]\nreplicas = 2\n[load]\nrate_per_s = 20\nduration_s = 1\n\
                    [[workflow]]\ntool = \"wizard\"\n[[workflow]]\nname = \"stays\"\n\
                    tool = \"wizard\"\nspread = \"sticky\"\n";
    let ran = desk.run(scenario, &[]);
    ran.exits_with(0);
    let retry = &ran.result["retry"];
    let [spread] = list(&retry["spreads"]) else {
        panic!("{retry}");
    };
    assert_eq!(spread["kinds"], serde_json::json!(["stays", "wizard"]));
    assert!(
        spread["service"]["interval_95"].is_null(),
        "too short for one"
    );
    for figures in ["same_replica", "other_replica"] {
        assert!(number(&retry[figures]["count"]) > 0, "{figures}");
    }
    assert_eq!(list(&retry["rounds"]).len(), 3);
    let sentence = retry["sentence"].as_str().expect("a sentence");
    for said in ["a retry costs ", "sticky instead of random spread would "] {
        assert!(sentence.contains(said), "{sentence}");
    }
    assert!(ran.stdout.contains("a retry costs "), "{}", ran.stdout);

    let checked = desk.loadgen(["check", "scenario.toml"]).output();
    let checked = checked.expect("loadgen can be run");
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(
        said.contains("stays (tools/call wizard), all rounds of a workflow to one"),
        "{said}"
    );
}

#[test]
fn a_body_limit_leaves_room_for_a_request() {
    let done = Desk::new()
        .loadgen(["replica", "--body-limit", "12"])
        .output();
    let done = done.expect("loadgen can be run");
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        said.contains("a whole number from 1024 to 67108864"),
        "{said}"
    );
}
