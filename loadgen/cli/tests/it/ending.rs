//! Runs that end before their time: interrupted, killed, or deserted by a replica.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::Signal;
use serde_json::Value;

use crate::processes::{is_alive, replicas_of, tell, wait_for};
use crate::program::{Desk, names, number, valid};
use crate::scripted::{Scripted, complete, discovered, result};

/// Far longer than any test takes.
const LONG: &str = r#"
[fleet]
replicas = 3

[load]
rate_per_s = 20
duration_s = 600

[[workflow]]
tool = "wizard"
arguments = { rounds = 2 }
"#;

/// A run that goes on. Should the test fail, it ends with it.
struct Going<'a> {
    desk: &'a Desk,
    child: Option<Child>,
}

impl<'a> Going<'a> {
    fn start(desk: &'a Desk, scenario: &str, targets: &[String]) -> Self {
        let child = desk
            .run_command(scenario, targets)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("loadgen can be run");
        Self {
            desk,
            child: Some(child),
        }
    }

    fn pid(&self) -> u32 {
        self.child.as_ref().expect("it goes on").id()
    }

    /// The next checkpoint that `good` accepts: whatever is read must be whole and valid.
    fn checkpoint(&self, what: &str, good: impl Fn(&Value) -> bool) -> Value {
        wait_for(what, || {
            let json = std::fs::read_to_string(self.desk.path("out/result.json")).ok()?;
            Some(valid(&json)).filter(&good)
        })
    }

    /// The first line on its stderr. The rest is not read.
    fn first_message(&mut self) -> String {
        let stderr = self.child.as_mut().and_then(|child| child.stderr.take());
        let mut line = String::new();
        BufReader::new(stderr.expect("stderr is piped and not yet taken"))
            .read_line(&mut line)
            .expect("messages are text");
        line
    }

    fn end(mut self) -> Output {
        let child = self.child.take().expect("it goes on");
        child.wait_with_output().expect("loadgen ends")
    }
}

impl Drop for Going<'_> {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn under_way(checkpoint: &Value) -> bool {
    checkpoint["load"]["outcomes"]["ok"].as_u64() > Some(0)
}

/// A run that a first signal ends has a whole result that says so.
fn ends_in_order(signal: Signal) {
    let desk = Desk::new();
    let going = Going::start(&desk, LONG, &[]);
    let checkpoint = going.checkpoint("the load", under_way);
    assert_eq!(checkpoint["partial"], true);
    assert_eq!(checkpoint["interrupted"], false);
    let replicas = replicas_of(going.pid());
    assert_eq!(replicas.len(), 3);
    tell(going.pid(), signal);
    let ran = desk.ran(&going.end());
    assert_eq!(ran.exit, Some(130), "{}", ran.stderr);
    assert_eq!(ran.result["interrupted"], true);
    assert_eq!(ran.result["partial"], false);
    assert_eq!(ran.result["verdict"]["status"], "interrupted");
    assert!(ran.stdout.starts_with("INTERRUPTED"), "{}", ran.stdout);
    assert_eq!(ran.books_balance(), 20 * 600);
    let load = &ran.result["load"];
    assert!(number(&load["not_started"]["interrupted"]) > 0, "{load}");
    assert_eq!(
        names(&load["outcomes"]),
        ["ok"],
        "what was in flight has ended"
    );
    assert!(desk.path("out/rounds.hlog").exists());
    assert!(
        replicas.iter().all(|pid| !is_alive(*pid)),
        "no replica outlives its run"
    );
}

#[test]
fn an_interrupt_ends_a_run_in_order() {
    ends_in_order(Signal::INT);
}

#[test]
fn a_termination_ends_a_run_in_order() {
    ends_in_order(Signal::TERM);
}

#[test]
fn a_second_interrupt_waits_for_nobody() {
    let calls = AtomicU64::new(0);
    let server = Scripted::start(move |request| match discovered(request) {
        Some(answer) => answer,
        // The probe's one.
        None if calls.fetch_add(1, Ordering::SeqCst) == 0 => result(request, &complete()),
        None => None,
    });
    let desk = Desk::new();
    let scenario = r#"
        [load]
        rate_per_s = 20
        duration_s = 600
        drain_s = 600
        timeout_s = 600
        [[workflow]]
        tool = "echo"
    "#;
    let mut going = Going::start(&desk, scenario, &[server.url()]);
    wait_for("the load", || (server.requests() > 4).then_some(()));
    tell(going.pid(), Signal::INT);
    // Not before the first one is understood: two signals at once may reach a process as one.
    let said = going.first_message();
    assert!(said.starts_with("loadgen: interrupted; waiting"), "{said}");
    tell(going.pid(), Signal::INT);
    let ran = desk.ran(&going.end());
    assert_eq!(ran.exit, Some(130), "{}", ran.stderr);
    assert_eq!(ran.result["interrupted"], true);
    assert_eq!(ran.books_balance(), 20 * 600);
    let load = &ran.result["load"];
    assert_eq!(names(&load["outcomes"]), ["abandoned"], "{load}");
    assert!(number(&load["started"]) > 2, "{load}");
}

/// A run into a new folder of the default place, whose probe gets no answer.
fn probing(desk: &Desk, more: &str, server: &Scripted) -> Child {
    let scenario =
        format!("{more}\n[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\ntool = \"echo\"\n");
    desk.file("scenario.toml", &scenario);
    desk.loadgen(["run", "scenario.toml", "--target", &server.url()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loadgen can be run")
}

/// Interrupts it, and looks at what it says and leaves.
fn interrupted_before_the_load(desk: &Desk, child: Child) {
    tell(child.id(), Signal::INT);
    let output = child.wait_with_output().expect("loadgen ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(said, "loadgen: interrupted\n");
    let left = std::fs::read_dir(desk.path("results/runs")).expect("the default place");
    assert_eq!(left.count(), 0, "an empty folder is no result");
}

#[test]
fn an_interrupt_before_the_load_leaves_nothing() {
    let desk = Desk::new();
    let server = Scripted::start(|_| None);
    let child = probing(&desk, "", &server);
    wait_for("the probe", || (server.requests() > 0).then_some(()));
    interrupted_before_the_load(&desk, child);
}

#[test]
fn an_interrupt_ends_the_command_that_prints_tokens() {
    let desk = Desk::new();
    let server = Scripted::start(|_| None);
    let tokens = r#"
        [client]
        tokens_command = ["sh", "-c", "echo $$ > tokens.pid; exec sleep 600"]
    "#;
    let child = probing(&desk, tokens, &server);
    let command = wait_for("the command", || {
        let pid = std::fs::read_to_string(desk.path("tokens.pid")).ok()?;
        pid.trim().parse().ok()
    });
    interrupted_before_the_load(&desk, child);
    wait_for("its end", || (!is_alive(command)).then_some(()));
}

#[test]
fn a_killed_run_leaves_no_half_result_and_no_replica() {
    let desk = Desk::new();
    let going = Going::start(&desk, LONG, &[]);
    going.checkpoint("the load", under_way);
    let replicas = replicas_of(going.pid());
    assert_eq!(replicas.len(), 3);
    tell(going.pid(), Signal::KILL);
    let killed = going.end();
    assert_eq!(killed.status.code(), None, "{}", killed.status);
    wait_for("the end of the replicas", || {
        (!replicas.iter().any(|pid| is_alive(*pid))).then_some(())
    });
    let left = std::fs::read_to_string(desk.path("out/result.json")).expect("the checkpoint");
    assert_eq!(valid(&left)["partial"], true);
    // It can be looked at.
    let shown = desk
        .loadgen(["report", "out"])
        .output()
        .expect("loadgen can be run");
    assert!(shown.status.success());
    assert!(String::from_utf8_lossy(&shown.stdout).contains("(checkpoint)"));
}

#[test]
fn a_run_killed_before_the_load_leaves_nothing() {
    let desk = Desk::new();
    let going = Going::start(&desk, LONG, &[]);
    let first = wait_for("a replica", || replicas_of(going.pid()).first().copied());
    tell(going.pid(), Signal::KILL);
    going.end();
    wait_for("the end of the replica", || {
        (!is_alive(first)).then_some(())
    });
    assert!(!desk.path("out/result.json").exists());
}

#[test]
fn a_replica_that_dies_is_reported_and_the_others_go_on() {
    let desk = Desk::new();
    let going = Going::start(&desk, LONG, &[]);
    going.checkpoint("the load", under_way);
    let replicas = replicas_of(going.pid());
    tell(replicas[1], Signal::KILL);
    let ok_of = |result: &Value, index: usize| number(&result["replicas"][index]["rounds"]["ok"]);
    let dead = going.checkpoint("the death", |c| !c["replicas"][1]["died"].is_null());
    let later = going.checkpoint("more rounds on the others", |c| {
        [0, 2]
            .iter()
            .all(|index| ok_of(c, *index) > ok_of(&dead, *index))
    });
    tell(going.pid(), Signal::INT);
    let ran = desk.ran(&going.end());
    assert_eq!(ran.exit, Some(130), "{}", ran.stderr);
    ran.books_balance();
    assert!(ran.has_finding("replica_died"), "{}", ran.stdout);
    assert_eq!(ran.replica(1)["died"]["status"], "signal: 9 (SIGKILL)");
    assert!(
        ran.stderr.contains("died: signal: 9 (SIGKILL)"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("replica 1 died: signal: 9"),
        "{}",
        ran.stdout
    );
    assert!(
        number(&ran.replica(1)["rounds"]["connect_error"]) > 0,
        "{later}"
    );
    for index in [0, 2] {
        assert_eq!(names(&ran.replica(index)["rounds"]), ["ok"]);
        assert!(ran.replica(index)["died"].is_null());
    }
}
