//! Targets that cannot be loaded are turned away in one line, before any load.

use serde_json::json;

use crate::fixtures::Replicas;
use crate::program::{Desk, one_line};
use crate::scripted::{ClosedPort, JSON, Scripted, complete, discovered, error, result};

const SCENARIO: &str = r#"
[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "confirm_delete"
arguments = { path = "a" }
"#;

/// The line with which a run against these targets is refused.
fn refused(targets: &[String], exit: i32) -> String {
    let desk = Desk::new();
    let said = one_line(desk.run_command(SCENARIO, targets), exit);
    assert!(!desk.path("out/result.json").exists());
    said
}

/// The line with which a server that answers so is refused. It must name the server.
fn unusable(server: &Scripted) -> String {
    let said = refused(&[server.url()], 4);
    let name = format!("loadgen: target {}: ", server.url());
    said.strip_prefix(&name)
        .unwrap_or_else(|| panic!("{said}"))
        .to_owned()
}

#[test]
fn a_closed_port_is_refused() {
    let port = ClosedPort::new();
    assert_eq!(
        refused(&[port.url()], 4),
        format!("loadgen: target {}: connection refused\n", port.url())
    );
}

/// A broadcast address: no kernel connects a TCP socket to one, so nothing leaves this machine.
#[test]
fn an_unreachable_address_is_refused_before_any_load() {
    for url in [
        "http://255.255.255.255:9101/mcp",
        "http://[::ffff:255.255.255.255]:9101/mcp",
    ] {
        let said = refused(&[url.to_owned()], 4);
        let begins = format!("loadgen: target {url}: cannot connect: ");
        assert!(said.starts_with(&begins), "{said}");
    }
}

#[test]
fn a_wrong_path_is_refused() {
    let replicas = Replicas::start(1, &[]);
    let url = replicas.urls()[0].replace("/mcp", "/rpc");
    let said = refused(std::slice::from_ref(&url), 4);
    assert!(said.starts_with(&format!(
        "loadgen: target {url}: is no MCP endpoint: HTTP 404"
    )));
    assert!(
        said.contains("is the path right? MCP servers usually listen at /mcp"),
        "{said}"
    );
}

#[test]
fn what_is_no_address_is_refused() {
    for (url, why) in [
        ("not a url", "http://127.0.0.1:8080/mcp"),
        ("127.0.0.1:9101/mcp", "write for example http://"),
        ("ftp://127.0.0.1/mcp", "must begin with http:// or https://"),
        ("", "http://127.0.0.1:8080/mcp"),
        (
            "http://127.0.0.1:99999/mcp",
            "port `99999` is not 1 to 65535",
        ),
    ] {
        let said = refused(&[url.to_owned()], 2);
        assert!(said.contains(&format!("target `{url}`: ")), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_web_server_is_refused() {
    let page = "<!doctype html>\n<title>Welcome</title>\n".to_owned();
    let server =
        Scripted::start(move |_| Some(("200 OK", "Content-Type: text/html", page.clone())));
    assert_eq!(
        unusable(&server),
        "is no MCP endpoint: HTTP 200 text/html `<!doctype html> <title>Welcome</title>`\n"
    );
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_server_that_refuses_the_host_name_is_refused_with_its_words() {
    let server = Scripted::start(|_| {
        let body = "Invalid Host header".to_owned();
        Some(("421 Misdirected Request", "Content-Type: text/plain", body))
    });
    let said = unusable(&server);
    assert!(
        said.contains("HTTP 421 text/plain `Invalid Host header`"),
        "{said}"
    );
    assert!(said.contains("127.0.0.1 or localhost"), "{said}");
}

#[test]
fn session_servers_of_2025_are_named() {
    let no_session = Scripted::start(|_| {
        let error = json!({"code": -32000, "message": "Bad Request: No valid session ID provided"});
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
        Some(("400 Bad Request", JSON, body.to_string()))
    });
    let unknown_session = Scripted::start(|_| {
        let body = "Session not found".to_owned();
        Some(("404 Not Found", "Content-Type: text/plain", body))
    });
    let opens_one = Scripted::start(|request| {
        let headers = "Content-Type: application/json\r\nMcp-Session-Id: 8f2a";
        let error = json!({"code": -32601, "message": "Method not found"});
        let body = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
        Some(("200 OK", headers, body.to_string()))
    });
    for server in [no_session, unknown_session, opens_one] {
        let said = unusable(&server);
        assert!(
            said.starts_with("is a session-bound server of revision 2025-11-25"),
            "{said}"
        );
        assert_eq!(server.requests(), 1);
    }
}

#[test]
fn a_replica_that_refuses_its_own_state_is_unusable() {
    let server = Scripted::start(|request| {
        if let Some(answer) = discovered(request) {
            return answer;
        }
        if request["params"]["requestState"].is_string() {
            return error(request, -32602, "Invalid or expired requestState");
        }
        let asked = json!({
            "resultType": "input_required",
            "requestState": "c3RhdGU",
            "inputRequests": {"confirm": {"method": "elicitation/create", "params": {
                "mode": "form",
                "message": "Really?",
                "requestedSchema": {
                    "type": "object",
                    "properties": {"confirm": {"type": "boolean"}},
                    "required": ["confirm"],
                },
            }}},
        });
        result(request, &asked)
    });
    let said = unusable(&server);
    assert!(
        said.contains("refuses the requestState that it minted itself"),
        "{said}"
    );
    assert!(said.contains("Invalid or expired requestState"), "{said}");
    // Discovery, the tools, one question, one answer; and none of the 20 workflows.
    assert_eq!(server.requests(), 4);
}

#[test]
fn one_unusable_target_among_good_ones_ends_the_run() {
    let replicas = Replicas::start(1, &[]);
    let server = Scripted::start(|_| Some(("200 OK", "Content-Type: text/html", String::new())));
    let said = refused(&[replicas.urls()[0].clone(), server.url()], 4);
    assert!(said.contains(&server.url()), "{said}");
}

#[test]
fn a_run_without_success_has_no_latency() {
    let server = Scripted::start(|request| {
        discovered(request).unwrap_or_else(|| error(request, -32603, "Internal error"))
    });
    let desk = Desk::new();
    let ran = desk.run(SCENARIO, &[server.url()]);
    ran.exits_with(3);
    assert_eq!(ran.books_balance(), 20);
    assert_eq!(
        ran.result["load"]["outcomes"],
        json!({"protocol_error": 20})
    );
    assert!(ran.has_finding("no_success"), "{}", ran.stdout);
    assert!(ran.stdout.contains("n/a"), "{}", ran.stdout);
    let words = ran.stdout.split_whitespace();
    let unreal: Vec<&str> = words
        .filter(|word| ["nan", "inf", "-inf"].contains(&word.to_lowercase().as_str()))
        .collect();
    assert_eq!(unreal, [""; 0]);
    assert!(
        ran.stderr.contains("Internal error"),
        "the probe has warned: {}",
        ran.stderr
    );
}

#[test]
fn a_dead_target_counts_only_against_itself() {
    let (replicas, port) = (Replicas::start(2, &[]), ClosedPort::new());
    let mut targets = replicas.urls();
    targets.push(port.url());
    let desk = Desk::new();
    let scenario = SCENARIO.replace("rate_per_s = 20", "rate_per_s = 40");
    let ran = desk.run(&scenario, &targets);
    ran.exits_with(3);
    assert_eq!(ran.books_balance(), 40);
    let warning = format!(
        "loadgen: warning: target {}: connection refused",
        port.url()
    );
    assert!(ran.stderr.contains(&warning), "{}", ran.stderr);
    for index in [0, 1] {
        let rounds = &ran.replica(index)["rounds"];
        assert_eq!(crate::program::names(rounds), ["ok"], "{rounds}");
    }
    let rounds = &ran.replica(2)["rounds"];
    assert_eq!(crate::program::names(rounds), ["connect_error"], "{rounds}");
    assert!(ran.replica(2)["service"].is_null(), "no answer, no latency");
}

#[test]
fn the_load_uses_what_the_probe_found_good() {
    let server = Scripted::start(|request| {
        discovered(request).unwrap_or_else(|| result(request, &complete()))
    });
    let ran = Desk::new().run(SCENARIO, &[server.url()]);
    ran.exits_with(0);
    // Discovery, the tools, the probe's workflow, and the load.
    assert_eq!(server.requests(), 3 + ran.books_balance());
}
