//! `loadgen report`: the page and the comment of a result, and of several.

use std::fs::read_to_string;

use crate::program::{Desk, text};
use crate::scripted::{Scripted, complete, discovered, result};

const SCENARIO: &str = r#"
[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "echo"
"#;

#[test]
fn a_run_writes_its_page_and_several_stand_side_by_side() {
    let desk = Desk::new();
    let server = Scripted::start(|request| {
        discovered(request).unwrap_or_else(|| result(request, &complete()))
    });
    let mut run = desk.run_command(SCENARIO, &[server.url()]);
    run.output().expect("loadgen can be run");
    let read = |path: &str| read_to_string(desk.path(path)).expect("a text file");
    let page = read("out/report.html");
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    assert!(page.contains("20 of 20 started workflows ok"));
    assert!(page.contains(&format!("--target {}", server.url())));
    assert!(read("out/report.md").contains("| workflows ok | 20 of 20 (100 %) |"));

    std::fs::remove_file(desk.path("out/report.html")).expect("it is there");
    let again = desk
        .loadgen(["report", "out", "--format", "quiet"])
        .output();
    assert!(again.expect("loadgen can be run").stdout.is_empty());
    assert_eq!(read("out/report.html"), page, "made anew, the same");

    let said = desk.refused(["report", "out", "out"], 2);
    assert!(said.contains("--out DIR"), "{said}");
    let seven = [&["report"][..], &["out"; 7]].concat();
    let said = desk.refused(seven, 2);
    assert!(said.contains("give 6 at most"), "{said}");
    let mut both = desk.loadgen(["report", "out", "out/result.json", "--out", "both"]);
    let both = both.output().expect("loadgen can be run");
    assert_eq!(both.status.code(), Some(0));
    let shown = text(&both.stdout);
    assert!(
        shown.contains("A: out") && shown.contains("B: out"),
        "{shown}"
    );
    assert!(read("both/report.html").contains("2 load tests side by side"));
    assert!(read("both/report.md").starts_with("- A: out\n- B: out\n"));
    assert!(!desk.path("both/result.json").exists());
}
