//! Scenarios that cannot be run are refused in one line that says where and what would be right.

use crate::fixtures::workspace;
use crate::program::{Desk, text};

const GOOD: &str = r#"
[fleet]
replicas = 1
algorithm = "aes-256-gcm"
backend = "ring"

[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "echo"
"#;

/// `loadgen run` and `loadgen check` refuse the scenario in the same words. Gives them.
fn refused(scenario: &str) -> String {
    let desk = Desk::new();
    desk.file("x.toml", scenario);
    let said = desk.refused(["run", "x.toml", "--out", "out"], 2);
    assert_eq!(desk.refused(["check", "x.toml"], 2), said);
    assert!(!desk.path("out").exists(), "nothing was begun");
    said
}

/// The good scenario with `from` replaced.
fn refused_with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from));
    refused(&GOOD.replace(from, to))
}

#[test]
fn a_mistyped_key_is_named_with_its_nearest() {
    assert_eq!(
        refused_with("rate_per_s", "rate_per_sec"),
        "loadgen: x.toml:8:1: unknown key `rate_per_sec` in `rate_per_sec = 20`; the nearest valid \
         key is `rate_per_s`\n"
    );
    assert_eq!(
        refused_with("replicas", "replcas"),
        "loadgen: x.toml:3:1: unknown key `replcas` in `replcas = 1`; the nearest valid key is \
         `replicas`\n"
    );
    let unlike = refused_with("replicas = 1", "failuremode = 1");
    assert!(
        unlike.contains("x.toml:3:1: unknown key `failuremode`"),
        "{unlike}"
    );
    assert!(
        unlike.contains("valid keys are replicas, algorithm,"),
        "{unlike}"
    );
}

#[test]
fn a_wrong_type_is_named() {
    let said = refused_with("rate_per_s = 20", "rate_per_s = \"fast\"");
    assert!(said.contains("x.toml:8:14: "), "{said}");
    assert!(said.contains("`rate_per_s = \"fast\"`"), "{said}");
}

#[test]
fn a_rate_of_nothing_is_refused() {
    assert_eq!(
        refused_with("rate_per_s = 20", "rate_per_s = 0"),
        "loadgen: x.toml:8:14: rate_per_s must be above 0 and at most 1000000, in workflows per \
         second in `rate_per_s = 0`\n"
    );
}

#[test]
fn a_negative_rate_is_refused() {
    let said = refused_with("rate_per_s = 20", "rate_per_s = -1");
    assert!(
        said.contains("x.toml:8:14: rate_per_s must be above 0"),
        "{said}"
    );
    assert!(said.contains("`rate_per_s = -1`"), "{said}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (from, to, place) in [
        ("rate_per_s = 20", "concurrency = -1", "x.toml:8:15: "),
        ("duration_s = 1", "duration_s = 0", "x.toml:9:14: "),
        ("duration_s = 1", "duration_s = nan", "x.toml:9:14: "),
        ("replicas = 1", "replicas = 0", "x.toml:3:12: "),
        ("replicas = 1", "replicas = 65", "x.toml:3:12: "),
    ] {
        let said = refused_with(from, to);
        assert!(said.contains(place), "{said}");
        assert!(said.contains(&format!("`{to}`")), "{said}");
    }
}

#[test]
fn an_empty_file_is_refused() {
    for text in ["", "\n \n"] {
        assert_eq!(
            refused(text),
            "loadgen: x.toml: the file is empty; a scenario has [load] and [[workflow]]\n"
        );
    }
}

#[test]
fn a_file_of_comments_lacks_its_parts() {
    let said = refused("# nothing yet\n");
    assert!(said.starts_with("loadgen: x.toml"), "{said}");
    assert!(said.contains("missing field `load`"), "{said}");
}

#[test]
fn broken_syntax_is_placed() {
    let said = refused_with("[load]", "[load");
    assert!(said.contains("x.toml:7:"), "{said}");
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    let desk = Desk::new();
    std::fs::write(desk.path("x.toml"), [0xff, 0xfe, 0]).expect("a writable folder");
    let said = desk.refused(["run", "x.toml"], 2);
    assert!(said.contains("x.toml: "), "{said}");
}

#[test]
fn a_missing_file_is_named() {
    let desk = Desk::new();
    for command in ["run", "check"] {
        let said = desk.refused([command, "nowhere.toml"], 2);
        assert!(
            said.contains("cannot read scenario nowhere.toml: "),
            "{said}"
        );
    }
}

#[test]
fn without_fleet_and_target_there_is_nothing_to_load() {
    let desk = Desk::new();
    let scenario = GOOD
        .split("[load]")
        .nth(1)
        .expect("the good scenario has [load]");
    desk.file("x.toml", &format!("[load]{scenario}"));
    assert_eq!(
        desk.refused(["run", "x.toml"], 2),
        "loadgen: x.toml has no [fleet], so the servers to load have to be named: give --target \
         URL, once per replica\n"
    );
    let checked = desk.loadgen(["check", "x.toml"]).output();
    let checked = text(&checked.expect("loadgen can be run").stdout);
    assert!(
        checked.contains("none of its own: give --target"),
        "{checked}"
    );
}

#[test]
fn an_unknown_algorithm_is_named_with_those_there_are() {
    let said = refused_with("aes-256-gcm", "rot13");
    assert!(said.contains("x.toml:4:13: "), "{said}");
    for word in ["rot13", "aes-256-gcm", "chacha20-poly1305"] {
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn an_unknown_backend_is_named_with_those_there_are() {
    let said = refused_with("\"ring\"", "\"openssl\"");
    assert!(said.contains("x.toml:5:11: "), "{said}");
    for word in ["openssl", "aws-lc-rs", "ring"] {
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn a_backend_that_lacks_the_algorithm_is_refused() {
    let said = refused_with("aes-256-gcm", "aes-256-gcm-siv");
    assert!(
        said.contains("x.toml:5:11: backend ring has no aes-256-gcm-siv"),
        "{said}"
    );
    assert!(said.contains("these have: "), "{said}");
}

#[test]
fn names_that_would_steer_a_terminal_are_written_out() {
    let desk = Desk::new();
    let said = desk.refused(["run", "no\nsuch\u{1b}[31mfile"], 2);
    assert!(
        said.contains(r"cannot read scenario no\nsuch\u{1b}[31mfile: "),
        "{said}"
    );
}

#[test]
fn words_with_few_choices_are_named_with_them() {
    let said = refused_with("replicas = 1", "replicas = 1\nkeys = \"none\"");
    assert!(
        said.contains("x.toml:4:8: keys must be \"shared\" or \"own\""),
        "{said}"
    );
    let said = refused_with("rate_per_s = 20", "rate_per_s = 20\nspread = \"all\"");
    assert!(said.contains("x.toml:9:10: spread must be "), "{said}");
}

#[test]
fn thresholds_that_are_not_well_formed_are_placed() {
    for (threshold, why) in [
        ("ok.rate", "is no threshold; write for example"),
        ("ok.rate >= most", "`most` is no number"),
        ("speed > 1", "speed"),
        ("ok.rate >=", "is no number"),
    ] {
        let said = refused(&format!("thresholds = [\"{threshold}\"]\n{GOOD}"));
        assert!(said.contains("x.toml:1:15: "), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn committed_scenarios_are_valid() {
    let desk = Desk::new();
    let mut checked = 0;
    for entry in std::fs::read_dir(workspace().join("scenarios")).expect("scenarios/") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let output = desk.loadgen(["check".as_ref(), path.as_os_str()]).output();
        let output = output.expect("loadgen can be run");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_eq!(said, "");
        checked += 1;
    }
    assert!(checked >= 2, "{checked}");
}
