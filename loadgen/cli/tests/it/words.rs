//! What the program says about itself names only what exists.

use std::collections::BTreeSet;

use crate::fixtures::workspace;
use crate::program::{Desk, text};

const SUBCOMMANDS: [&str; 13] = [
    "run",
    "report",
    "export",
    "history",
    "compare",
    "bench-compare",
    "pairs",
    "check",
    "backends",
    "calibrate",
    "replica",
    "keys",
    "token",
];

fn help(of: &[&str]) -> String {
    let desk = Desk::new();
    let args = of.iter().copied().chain(["--help"]);
    let output = desk.loadgen(args).output().expect("loadgen can be run");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

/// First words of the lines under `Commands:`.
fn commands(help: &str) -> Vec<&str> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

/// Long options, wherever in the text they stand.
fn options(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .collect()
}

/// Long options that the help lists as those of the command.
fn listed(help: &str) -> BTreeSet<&str> {
    help.lines()
        .filter(|line| line.trim_start().starts_with('-'))
        .flat_map(|line| options(line.split('<').next().unwrap_or(line)))
        .collect()
}

#[test]
fn help_lists_the_commands_there_are() {
    let help = help(&[]);
    let mut expected = SUBCOMMANDS.to_vec();
    expected.push("help");
    assert_eq!(commands(&help), expected);
}

#[test]
fn help_of_a_command_speaks_of_its_own_options() {
    for name in SUBCOMMANDS {
        let top = help(&[name]);
        let mut pages = vec![top.clone()];
        for sub in commands(&top).iter().filter(|sub| **sub != "help") {
            pages.push(help(&[name, sub]));
        }
        for page in &pages {
            let listed = listed(page);
            assert!(listed.contains("--help"), "{page}");
            // The page of a command with commands of its own may name theirs.
            let known: BTreeSet<&str> = match commands(page).is_empty() {
                true => listed,
                false => pages.iter().flat_map(|page| self::listed(page)).collect(),
            };
            let spoken = options(page);
            assert!(spoken.is_subset(&known), "{name}: {spoken:?} of {known:?}");
        }
    }
}

#[test]
fn the_readme_names_only_what_exists() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md");
    let called = readme
        .match_indices("loadgen ")
        .map(|(at, word)| &readme[at + word.len()..])
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next());
    let in_code: Vec<&str> = called.filter(|word| SUBCOMMANDS.contains(word)).collect();
    assert!(in_code.contains(&"report"), "{in_code:?}");
    let run = help(&["run"]);
    for line in readme.lines().filter(|line| line.contains("-- run ")) {
        let own = line.split("-- run ").nth(1).unwrap_or_default();
        assert!(options(own).is_subset(&listed(&run)), "{line}");
        let scenario = own.split_whitespace().next().unwrap_or_default();
        assert!(workspace().join(scenario).exists(), "{line}");
    }
}

#[test]
fn check_prints_the_plan() {
    let desk = Desk::new();
    desk.file(
        "x.toml",
        r#"
        name = "mix"
        [fleet]
        replicas = 3
        [load]
        rate_per_s = 20
        duration_s = 2
        [[workflow]]
        tool = "echo"
        weight = 3
        [[workflow]]
        prompt = "briefing"
        "#,
    );
    let checked = desk.loadgen(["check", "x.toml"]).output();
    let checked = checked.expect("loadgen can be run");
    assert_eq!(checked.status.code(), Some(0));
    assert_eq!(
        text(&checked.stdout),
        "mix is a valid scenario\n  \
           load   partly open, 20 workflows/s for 2 s: 40 workflows\n  \
           fleet  3 replicas\n  \
           spread each round to a replica at random; seed 1; at most 10 retries a workflow\n  \
           http   HTTP/1.1, connections kept alive\n   \
           75.0 %  echo (tools/call echo)\n   \
           25.0 %  briefing (prompts/get briefing)\n  \
           must   ok.rate >= 0.99\n"
    );
}
