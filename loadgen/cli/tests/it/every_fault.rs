//! Every fault of the replica under load: each ends in its own class, and a sound replica beside it
//! is served as ever. The cases are those of `scripts/faults-check`, which prints times too.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::fixtures::{Replicas, workspace};
use crate::program::{Desk, list, names, number, read_json, text, total};

/// One request and its answer.
const ECHO: &str = "tool = \"echo\"\narguments = { text = \"a\" }";

/// 200 workflows, half of them for the faulty replica.
fn scenario(case: &Value) -> String {
    let word = |key: &str, absent: &'static str| case[key].as_str().unwrap_or(absent).to_owned();
    let (load, spread) = (word("load", ""), word("spread", "sticky"));
    let (workflow, beside) = (word("workflow", ECHO), &case["beside"]);
    let beside = match beside.as_bool() {
        Some(true) => format!("[[workflow]]\nname = \"beside\"\n{ECHO}\n"),
        _ => String::new(),
    };
    format!(
        "[load]\nrate_per_s = 400\nduration_s = 0.5\ndrain_s = 5\nspread = \"{spread}\"\n{load}\n\
         [[workflow]]\n{workflow}\n{beside}"
    )
}

/// Runs one case; gives what is wrong with what came out.
fn run(case: &Value) -> Vec<String> {
    let fault = json!({ "set": case["fault"] }).to_string();
    let mut options: Vec<Vec<&str>> = vec![Vec::new(); 2];
    if let Some(more) = case["replica"].as_array() {
        let more = || more.iter().map(|option| option.as_str().expect("text"));
        options.iter_mut().for_each(|own| own.extend(more()));
    }
    if !case["fault"].is_null() {
        options[1].extend(["--fault", &fault]);
    }
    let mut replicas = Replicas::start_each(&options);
    let desk = Desk::new();
    let run = desk
        .run_command(&scenario(case), &replicas.urls())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loadgen can be run");
    if let Some(ms) = case["freeze_ms"].as_u64() {
        replicas.tell(1, &json!({ "freeze_ms": ms }).to_string());
    }
    let output = run.wait_with_output().expect("it ends");
    if let Some(exit) = case["exit"].as_i64() {
        let said = text(&output.stderr);
        let says = case["says"].as_str().expect("words");
        let right = output.status.code().map(i64::from) == Some(exit) && said.contains(says);
        return if right { Vec::new() } else { vec![said] };
    }
    let ran = desk.ran(&output);
    ran.books_balance();
    let mut wrong = judge(case, &ran.replica(1)["rounds"]);
    let served = match case["beside"].as_bool() {
        // Where states go from one replica to the other, both are hit: what holds no state is not.
        Some(true) => {
            let mut kinds = list(&ran.result["kinds"]).iter();
            &kinds
                .find(|kind| kind["name"] == "beside")
                .expect("the kind")["workflows"]
        }
        _ => &ran.replica(0)["rounds"],
    };
    if names(served) != ["ok"] {
        wrong.push(format!("beside it: {served}"));
    }
    wrong
}

/// What is wrong with these counts of rounds by outcome on the faulty replica.
fn judge(case: &Value, rounds: &Value) -> Vec<String> {
    let n = total(rounds);
    let expect = case["expect"].as_object().expect("what must come out");
    let mut wrong: Vec<String> = names(rounds)
        .into_iter()
        .filter(|name| !expect.contains_key(*name))
        .map(|name| format!("{} {name}", rounds[name]))
        .collect();
    let count = |name: &str| rounds.get(name).map_or(0, number);
    for (name, rule) in expect {
        if ["some", "rest"].contains(&rule.as_str().unwrap_or("")) && count(name) == 0 {
            wrong.push(format!("no {name}"));
        }
        wrong.extend(far(name, count(name), n, rule));
    }
    wrong.extend(far("failed", n - count("ok"), n, &case["failed"]));
    wrong
}

/// A count further from its share of `n` than 3 sigma of a binomial, or than 1 where the fault
/// counts.
fn far(what: &str, count: u64, n: u64, rule: &Value) -> Option<String> {
    let n = n as f64;
    let (truth, room) = match (rule["share"].as_f64(), rule["exact"].as_f64()) {
        (Some(p), _) => (n * p, 3.0 * (n * p * (1.0 - p)).sqrt()),
        (None, Some(p)) => (n * p, 1.0),
        (None, None) => return None,
    };
    let far = (count as f64 - truth).abs() > room;
    far.then(|| format!("{count} {what} of {n}, not {truth} +- {room}"))
}

fn cases() -> Vec<Value> {
    list(&read_json(
        &workspace().join("loadgen/cli/tests/faults.json"),
    ))
    .to_vec()
}

#[test]
fn every_fault_lands_in_its_own_class_and_nothing_beside_it_suffers() {
    let queue = Mutex::new(cases());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = { queue.lock().expect("no panic").pop() } {
                    for problem in run(&case) {
                        let told = format!("{}: {problem}", case["fault"]);
                        wrong.lock().expect("no panic").push(told);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_fault_of_the_documentation_has_a_case() {
    let page = std::fs::read_to_string(workspace().join("docs/faults.md")).expect("the page");
    let table = page.split("## Faults").nth(1).expect("the faults");
    let documented: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let cases = cases();
    let tried: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case["fault"].as_object())
        .flat_map(|fault| fault.keys().map(String::as_str))
        .collect();
    assert!(documented.len() > 30, "{documented:?}");
    assert_eq!(tried, documented);
    assert!(cases.iter().any(|case| !case["freeze_ms"].is_null()));
}
