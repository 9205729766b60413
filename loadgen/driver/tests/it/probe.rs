use loadgen_driver::{Plan, ProbeReport, Unusable, probe};

use crate::run::{ClosedPort, complete, http, plan, question, response, run, scenario, targets};
use crate::server::{Act, Heard, Server};

fn look(plan: &Plan, urls: &[String]) -> Result<ProbeReport, Unusable> {
    let targets = targets(urls);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(probe(plan, &targets))
}

fn any_plan() -> Plan {
    plan("rate_per_s = 1\nduration_s = 1", "tool = \"t\"")
}

fn discovered(heard: &Heard) -> Vec<Act> {
    let text = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    vec![Act::Write(http(
        "200 OK",
        "application/json",
        &response(heard, text),
    ))]
}

/// A server of this revision that does this with calls.
fn mcp(script: impl Fn(&Heard) -> Vec<Act> + Send + Sync + 'static) -> Server {
    Server::new(move |heard| {
        if heard.is_discover() {
            return discovered(heard);
        }
        script(heard)
    })
}

fn good() -> Server {
    mcp(|heard| {
        vec![Act::Write(match heard.round() {
            0 => question(heard, "\"s\""),
            _ => complete(heard),
        })]
    })
}

/// A replica that opens only states with its own mark.
fn with_key(mark: &'static str) -> Server {
    mcp(move |heard| {
        vec![Act::Write(
            match heard.json()["params"]["requestState"].as_str() {
                None => question(heard, &format!("\"{mark}\"")),
                Some(state) if state == mark => complete(heard),
                Some(_) => rejected(heard),
            },
        )]
    })
}

fn rejected(heard: &Heard) -> Vec<u8> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32602,"message":"Invalid or expired requestState","data":{{"reason":"invalid_request_state"}}}}}}"#,
        heard.id()
    );
    http("400 Bad Request", "application/json", &body)
}

#[test]
fn good_servers_pass_without_a_word() {
    let servers = [good(), good()];
    let report = look(&any_plan(), &[servers[0].url(), servers[1].url()]).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
    for server in &servers {
        assert_eq!(server.heard().len(), 3, "discover and two rounds each");
        assert_eq!(
            server.heard()[0].header("Mcp-Method"),
            Some("server/discover")
        );
        assert_eq!(server.heard()[0].header("Mcp-Name"), None);
    }
}

#[test]
fn a_refusal_of_the_very_version_that_is_supported_is_asked_again_once() {
    let refusal = |heard: &Heard| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32022,"message":"no","data":{{"supported":["2026-07-28"],"requested":"2026-07-28"}}}}}}"#,
            heard.id()
        );
        vec![Act::Write(http(
            "400 Bad Request",
            "application/json",
            &body,
        ))]
    };
    let once = Server::new(move |heard| {
        if heard.json()["id"] == "probe" {
            return refusal(heard);
        }
        if heard.is_discover() {
            return discovered(heard);
        }
        vec![Act::Write(complete(heard))]
    });
    let report = look(&any_plan(), &[once.url()]).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(once.heard().len(), 3, "refused, asked again, one workflow");
    let always = Server::new(refusal);
    let error = look(&any_plan(), &[always.url()]).unwrap_err().to_string();
    assert!(error.contains("refuses server/discover"), "{error}");
    assert_eq!(always.heard().len(), 2);
}

#[test]
fn a_dead_target_beside_a_living_one_is_a_warning() {
    let (server, closed) = (good(), ClosedPort::new());
    let dead = closed.url();
    for urls in [[server.url(), dead.clone()], [dead.clone(), server.url()]] {
        let report = look(&any_plan(), &urls).unwrap();
        let [warning] = report.warnings.as_slice() else {
            panic!("{report:?}");
        };
        assert!(
            warning.starts_with(&format!("target {dead}: connection refused")),
            "{warning}"
        );
    }
}

#[test]
fn targets_that_are_all_dead_are_unusable() {
    let closed = [ClosedPort::new(), ClosedPort::new()];
    let error = look(&any_plan(), &[closed[0].url(), closed[1].url()]).unwrap_err();
    assert!(error.to_string().ends_with("connection refused"), "{error}");
}

#[test]
fn what_is_no_stateless_mcp_server_is_named_in_one_line() {
    let old = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}"#;
    for (status, media_type, body, want) in [
        (
            "200 OK",
            "text/html",
            "<html>\n<title>Hello</title>",
            "is no MCP endpoint: HTTP 200 text/html",
        ),
        (
            "404 Not Found",
            "text/plain",
            "Not Found",
            "is the path right?",
        ),
        (
            "421 Misdirected Request",
            "text/plain",
            "Invalid Host header",
            "refuses this host name",
        ),
        ("401 Unauthorized", "text/plain", "", "wants a token"),
        (
            "400 Bad Request",
            "application/json",
            old,
            "session-bound server of revision 2025-11-25",
        ),
        (
            "400 Bad Request\r\nMcp-Session-Id: 1",
            "text/plain",
            "no",
            "session-bound server",
        ),
        (
            "500 Oops",
            "text/plain",
            "",
            "HTTP 500 text/plain with an empty body",
        ),
    ] {
        let reply = http(status, media_type, body);
        let server = Server::new(move |_| vec![Act::Write(reply.clone())]);
        // One target that cannot be loaded is enough, also beside a good one.
        let beside = good();
        let error = look(&any_plan(), &[beside.url(), server.url()])
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("target {}: ", server.url())),
            "{error}"
        );
        assert!(error.contains(want), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert_eq!(server.heard().len(), 1, "nothing more is asked of it");
    }
}

#[test]
fn a_replica_that_refuses_its_own_state_is_unusable() {
    let server = mcp(|heard| {
        vec![Act::Write(match heard.round() {
            0 => question(heard, "\"s\""),
            _ => rejected(heard),
        })]
    });
    let error = look(&any_plan(), &[server.url()]).unwrap_err().to_string();
    assert!(
        error.contains("refuses the requestState that it minted itself"),
        "{error}"
    );
}

#[test]
fn replicas_that_refuse_only_each_other_pass() {
    let servers = [with_key("a"), with_key("b"), with_key("c")];
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    let report = look(&any_plan(), &urls).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn a_call_that_does_not_end_well_is_a_warning() {
    let refuses = mcp(|heard| {
        let body = format!(
            r#"{{"id":{},"error":{{"code":-32602,"message":"Unknown tool"}}}}"#,
            heard.id()
        );
        vec![Act::Write(http(
            "400 Bad Request",
            "application/json",
            &body,
        ))]
    });
    let report = look(&any_plan(), &[refuses.url()]).unwrap();
    assert!(
        report.warnings[0].contains("the probe of t ended as protocol error"),
        "{report:?}"
    );
    assert!(report.warnings[0].contains("Unknown tool"), "{report:?}");

    let hangs = mcp(|_| vec![Act::Hang]);
    let plan = plan(
        "rate_per_s = 1\nduration_s = 1\ntimeout_s = 0.05",
        "tool = \"t\"",
    );
    let report = look(&plan, &[hangs.url()]).unwrap();
    assert!(
        report.warnings[0].ends_with("the probe of t had no reply within 0.05 s"),
        "{report:?}"
    );
}

#[test]
fn every_kind_is_tried_until_one_asks() {
    let text = (0..100)
        .map(|n| format!("[[workflow]]\ntool = \"t{n}\"\n"))
        .collect::<String>();
    let plan = scenario(&format!("[load]\nrate_per_s = 1\nduration_s = 1\n{text}"));
    let server = mcp(|heard| vec![Act::Write(complete(heard))]);
    look(&plan, &[server.url()]).unwrap();
    assert_eq!(server.heard().len(), 101);
}

/// Marks of the tool `t` on two pages, and calls that say which header they had.
fn marking(second_page: &'static str) -> Server {
    Server::new(move |heard| {
        if heard.is_discover() {
            return discovered(heard);
        }
        let sent = heard.json();
        if sent["method"] == "tools/list" {
            let text = if sent["params"]["cursor"] == "" {
                second_page
            } else {
                r#"{"resultType":"complete","tools":[{"name":"other","inputSchema":{}}],"nextCursor":""}"#
            };
            let body = response(heard, text);
            return vec![Act::Write(http("200 OK", "application/json", &body))];
        }
        vec![Act::Write(complete(heard))]
    })
}

#[test]
fn a_list_of_tools_that_leads_to_itself_is_read_once() {
    // The first page, and one each for the cursors "a" and "b".
    let server = Server::new(|heard| {
        if heard.is_discover() {
            return discovered(heard);
        }
        let sent = heard.json();
        if sent["method"] != "tools/list" {
            return vec![Act::Write(complete(heard))];
        }
        let next = if sent["params"]["cursor"] == "a" {
            "b"
        } else {
            "a"
        };
        let page = format!(r#"{{"resultType":"complete","tools":[],"nextCursor":"{next}"}}"#);
        let body = response(heard, &page);
        vec![Act::Write(http("200 OK", "application/json", &body))]
    });
    let plan = plan(
        "rate_per_s = 1\nduration_s = 1",
        "tool = \"t\"\narguments = { a = 1 }",
    );
    let report = look(&plan, &[server.url()]).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(
        server.heard().len(),
        5,
        "discover, three pages, one workflow"
    );
}

#[test]
fn arguments_that_the_list_of_tools_marks_are_repeated_in_headers() {
    let server = marking(
        r#"{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}"#,
    );
    let mut plan = plan(
        "rate_per_s = 1\nduration_s = 1",
        "tool = \"t\"\narguments = { region = \"r{{int 5 5}}\" }",
    );
    let report = look(&plan, &[server.url()]).unwrap();
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(server.heard().len(), 4, "discover, two pages, one workflow");
    assert_eq!(server.heard()[3].header("Mcp-Param-Region"), Some("r5"));
    report.teach(&mut plan);
    run(&plan, &[server.url()]);
    let load = &server.heard()[4..];
    assert_eq!(load.len(), 1);
    assert_eq!(load[0].header("Mcp-Param-Region"), Some("r5"));
}

#[test]
fn a_tool_that_clients_have_to_drop_is_refused_by_name_and_rule() {
    let server = marking(
        r#"{"tools":[{"name":"good","inputSchema":{}},{"name":"t","inputSchema":{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}}]}"#,
    );
    let calls = |workflows: &str| {
        let plan = scenario(&format!(
            "[load]\nrate_per_s = 1\nduration_s = 1\n{workflows}"
        ));
        look(&plan, &[server.url()])
    };
    let good = "[[workflow]]\ntool = \"good\"\narguments = { a = \"x\" }\n";
    for called in [
        "[[workflow]]\ntool = \"t\"\narguments = { a = \"x\" }\n",
        "[[workflow]]\ntool = \"t\"\n",
    ] {
        let error = calls(&format!("{good}{called}")).unwrap_err().to_string();
        assert!(
            error.contains("tool t breaks the rules of x-mcp-header: `a` is marked for a header")
                && error.contains("load another tool"),
            "{error}"
        );
        let is_call = |h: &Heard| h.json()["method"] == "tools/call";
        assert!(!server.heard().iter().any(is_call), "it was never called");
    }
    assert_eq!(calls(good).unwrap().warnings, Vec::<String>::new());
}

#[test]
fn a_missing_list_of_tools_is_a_warning() {
    let server = marking(r#"{"content":[]}"#);
    let plan = plan(
        "rate_per_s = 1\nduration_s = 1",
        "tool = \"t\"\narguments = { a = \"x\" }",
    );
    let report = look(&plan, &[server.url()]).unwrap();
    let [warning] = report.warnings.as_slice() else {
        panic!("{report:?}");
    };
    assert!(warning.contains("does not list its tools (HTTP 200)"));
}
