//! HTTP/2, TLS and scarce connections, against our own replicas.

use std::path::PathBuf;
use std::process::Command;

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::fixtures::{Replicas, skip};
use crate::program::{Desk, Ran, number, one_line};

const WORKFLOWS: &str = "[[workflow]]\ntool = \"confirm_delete\"\narguments = { path = \"a\" }\n";

/// A scenario of 40 workflows with these lines in `[http]`.
fn scenario(http: &str) -> String {
    format!("[load]\nthreads = 1\nrate_per_s = 200\nduration_s = 0.2\n[http]\n{http}\n{WORKFLOWS}")
}

fn all_ok(ran: &Ran) {
    assert_eq!(
        number(&ran.result["load"]["outcomes"]["ok"]),
        40,
        "{}",
        ran.json
    );
}

/// Certificate and key for `localhost`, as files of this desk.
fn pair(desk: &Desk) -> (PathBuf, PathBuf) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate can be made");
    (
        desk.file("ca.pem", &cert.pem()),
        desk.file("key.pem", &signing_key.serialize_pem()),
    )
}

/// A replica that serves HTTPS as `localhost`, and its URL.
fn secured(desk: &Desk) -> (Replicas, String) {
    let (certificate, key) = pair(desk);
    let path = |path: PathBuf| path.to_str().expect("a path in UTF-8").to_owned();
    let (certificate, key) = (path(certificate), path(key));
    let replicas = Replicas::start(1, &["--tls-cert", &certificate, "--tls-key", &key]);
    let url = replicas.urls()[0].replace("127.0.0.1", "localhost");
    (replicas, url)
}

#[test]
fn http_2_with_prior_knowledge_shares_a_connection() {
    let replicas = Replicas::start(2, &[]);
    let ran = Desk::new().run(&scenario("version = \"2\""), &replicas.urls());
    all_ok(&ran);
    let connections = &ran.result["connections"];
    assert_eq!(number(&connections["established"]), 2, "{connections}");
    assert_eq!(number(&connections["reused_rounds"]), 78, "{connections}");
}

#[test]
fn https_is_spoken_in_both_versions_under_a_given_certificate() {
    let desk = Desk::new();
    let (_replicas, url) = secured(&desk);
    for version in ["1.1", "2"] {
        let http = format!("version = \"{version}\"\nca = \"ca.pem\"");
        let ran = desk.run(&scenario(&http), std::slice::from_ref(&url));
        all_ok(&ran);
        assert!(!ran.stderr.contains("WARNING"), "{}", ran.stderr);
    }
}

#[test]
fn an_unknown_certificate_is_refused_unless_that_is_asked_for_and_then_said() {
    let desk = Desk::new();
    let (_replicas, url) = secured(&desk);
    let urls = [url];
    let said = one_line(desk.run_command(&scenario(""), &urls), 4);
    assert!(said.contains("no TLS: invalid peer certificate"), "{said}");
    let by_key = desk.run(&scenario("insecure = true"), &urls);
    let by_option = desk.run_with(&scenario(""), &urls, &["--insecure"]);
    for ran in [by_key, by_option] {
        all_ok(&ran);
        assert!(
            ran.stderr.contains("WARNING: certificates are NOT checked"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_name_that_the_certificate_does_not_have_is_refused() {
    let desk = Desk::new();
    let (_replicas, url) = secured(&desk);
    let other = url.replace("localhost", "127.0.0.1");
    let said = one_line(desk.run_command(&scenario("ca = \"ca.pem\""), &[other]), 4);
    assert!(said.contains("no TLS: invalid peer certificate"), "{said}");
}

/// A run in a network of its own where these limits hold, where that can be had.
fn limited(desk: &Desk, limits: &str, scenario: &str) -> Option<Command> {
    let world = ["--map-root-user", "--net", "sh", "-c"];
    let limits = format!("ip link set lo up && {limits}");
    let can = Command::new("unshare").args(world).arg(&limits).output();
    if !can.is_ok_and(|can| can.status.success()) {
        skip("no network namespace with a loopback device can be made here");
        return None;
    }
    desk.file("scenario.toml", scenario);
    let mut command = Command::new("unshare");
    command.args(world).arg(format!(
        "{limits} && exec {} run scenario.toml --out out",
        env!("CARGO_BIN_EXE_loadgen")
    ));
    command.current_dir(desk.path("."));
    Some(command)
}

#[test]
fn ports_that_run_out_are_the_generators_fault() {
    let scenario = format!(
        "[fleet]\nreplicas = 1\n[load]\nconcurrency = 200\nconnections = 200\nduration_s = 0.3\n\
         {WORKFLOWS}"
    );
    let desk = Desk::new();
    let ports = "echo 40000 40049 > /proc/sys/net/ipv4/ip_local_port_range";
    let Some(mut command) = limited(&desk, ports, &scenario) else {
        return;
    };
    let ran = desk.ran(&command.output().expect("unshare can be run"));
    let outcomes = &ran.result["load"]["outcomes"];
    assert!(number(&outcomes["generator_fault"]) > 0, "{outcomes}");
    assert!(outcomes.get("connect_error").is_none(), "{outcomes}");
    assert_eq!(ran.exit, Some(5), "{}", ran.stderr);
    assert_eq!(ran.result["generator"]["bound_by"], "generator");
}
