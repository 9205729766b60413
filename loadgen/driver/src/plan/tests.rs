//! Keys beside those of `[load]`: what is accepted, and what is refused with its place.

use super::*;
use crate::schedule::workflow_rng;

const LOAD: &str = "[load]\nrate_per_s = 2\nduration_s = 3\n";
const FLOW: &str = "[[workflow]]\ntool = \"echo\"\n";

fn plan(text: &str) -> Result<Plan, String> {
    let source = Source::new("x.toml", text);
    let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
    Plan::new(&scenario, &source).map_err(|e| e.to_string())
}

/// The refusal of these lines of `[client]`.
fn client(lines: &str) -> String {
    plan(&format!("[client]\n{lines}\n{LOAD}{FLOW}")).unwrap_err()
}

/// The refusal of these lines of a `[[workflow]]`.
fn flow(lines: &str) -> String {
    plan(&format!("{LOAD}{FLOW}{lines}\n")).unwrap_err()
}

#[test]
fn what_a_client_cannot_be_is_refused_with_place_and_rule() {
    for (lines, want) in [
        (
            "capabilities = [\"forms\"]",
            "x.toml:2:17: a capability is `elicitation`",
        ),
        (
            "headers = { \"a b\" = \"c\" }",
            "x.toml:2:13: a header's name is",
        ),
        ("headers = { Host = \"c\" }", "made by the generator"),
        ("headers = { Mcp-Name = \"c\" }", "made by the generator"),
        ("headers = { Mcp-Param-A = \"c\" }", "made by the generator"),
        ("headers = { a = \"c\", A = \"d\" }", "given twice"),
        ("headers = { a = \"é\" }", "visible ASCII"),
        ("headers = { a = \"b\\nc\" }", "visible ASCII"),
        (
            "trace_context = true\nheaders = { traceparent = \"c\" }",
            "made by the generator",
        ),
        (
            "tokens_file = \"no-such-file\"",
            "x.toml:2:15: no-such-file: ",
        ),
        ("tokens_command = []", "is a program and its arguments"),
        ("tokens_file = \"a\"\ntokens_command = [\"b\"]", "not both"),
        (
            "tokens_command = [\"b\"]\nheaders = { Authorization = \"c\" }",
            "made by the generator",
        ),
    ] {
        let error = client(lines);
        assert!(
            error.contains(want) && error.starts_with("x.toml:"),
            "{lines}: {error}"
        );
    }
}

#[test]
fn an_authorization_of_one_s_own_is_a_header_like_any_other() {
    let text = format!("[client]\nheaders = {{ Authorization = \"Basic eA==\" }}\n{LOAD}{FLOW}");
    let headers = plan(&text).unwrap().client.headers;
    assert_eq!(
        headers,
        [("authorization".to_owned(), "Basic eA==".to_owned())]
    );
}

#[test]
fn what_a_workflow_cannot_do_is_refused_with_place_and_rule() {
    for (lines, want) in [
        (
            "expect_text = \"\"",
            "x.toml:6:15: an empty text would be in every result",
        ),
        (
            "arguments = { a = \"{{in}}\" }",
            "x.toml:6:13: {{in}}: templates are {{id}}",
        ),
        (
            "arguments = { a = \"{{row.b}}\" }",
            "add [data] with `file`",
        ),
        (
            "think = { kind = \"gamma\" }",
            "x.toml:6:18: the kind of `think` is",
        ),
        (
            "think = { kind = \"normal\", mean_s = 1 }",
            "\"normal\" takes mean_s and deviation_s",
        ),
        (
            "think = { kind = \"fixed\", time_s = 1, mean_s = 1 }",
            "\"fixed\" takes time_s",
        ),
        (
            "think = { kind = \"exponential\", mean_s = 0 }",
            "must be above 0",
        ),
        (
            "think = { kind = \"normal\", mean_s = nan, deviation_s = 1 }",
            "0 or more and finite",
        ),
        (
            "think = { kind = \"fixed\", time_s = 1, most_s = 0 }",
            "most_s must be above 0",
        ),
        (
            "think_s = 1\nthink = { kind = \"fixed\", time_s = 1 }",
            "not both",
        ),
        ("abandon = 1.5", "x.toml:6:11: abandon is a share"),
        (
            "break_state = \"bent\"",
            "break_state is one of cut, newline,",
        ),
        ("disconnect = 0.5", "needs `disconnect_after_s`"),
        (
            "disconnect_after_s = 0",
            "disconnect_after_s must be above 0",
        ),
        (
            "disconnect_after_s = 1\ndisconnect = -1",
            "disconnect is a share",
        ),
        ("answers = { accept = 0 }", "must be above 0"),
        ("answers = { decline = -1 }", "a weight must be 0 to"),
        ("answers = { up_front = 1 }", "needs `up_front_fields`"),
        (
            "answers = { up_front_fields = { q = {} } }",
            "without the weight `up_front`",
        ),
        (
            "answers = { up_front = 1, up_front_fields = {} }",
            "answers no question",
        ),
        (
            "answers = { up_front = 1, up_front_fields = { q = 1 } }",
            "`q` is the key of a question",
        ),
        (
            "answers = { up_front = 0, up_front_fields = { q = {} } }",
            "must be above 0",
        ),
        ("answers = { optional = 1.5 }", "optional is a share"),
        (
            "answers = { roots = [\"http://a\"] }",
            "begins with file://",
        ),
        (
            "answers = { fields = { a = { b = { c = 1 } } } }",
            "`a.b` must be a string",
        ),
    ] {
        let error = flow(lines);
        assert!(
            error.contains(want) && error.starts_with("x.toml:"),
            "{lines}: {error}"
        );
    }
}

#[test]
fn answers_take_over_what_is_given_and_keep_the_rest() {
    let text = format!(
        "{LOAD}{FLOW}[workflow.answers]\ndecline = 3\nfields = {{ a = 1, form.b = \"c\" }}\n"
    );
    let answers = &plan(&text).unwrap().kinds[0].answers;
    assert_eq!(
        (answers.accept, answers.decline, answers.cancel),
        (0.0, 3.0, 0.0)
    );
    assert_eq!(answers.fields.get("any", "a"), Some(&1.into()));
    assert_eq!(answers.fields.get("form", "b"), Some(&"c".into()));
    assert_eq!(answers.fields.get("other", "b"), None);
    assert_eq!(answers.roots, AnswerPlan::default().roots);
}

#[test]
fn files_are_found_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("users.csv"), "who\nada\nbo\n").unwrap();
    std::fs::write(folder.path().join("tokens"), "t1\nt2\nt3\n").unwrap();
    let text = format!(
        "[client]\ntokens_file = \"tokens\"\n[data]\nfile = \"users.csv\"\norder = \"random\"\n\
         {LOAD}{FLOW}arguments = {{ who = \"{{{{row.who}}}}\" }}\n"
    );
    let file = folder.path().join("x.toml").display().to_string();
    let source = Source::new(file, text);
    let plan = Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap();
    assert_eq!(plan.client.principals.count(), 3);
    let rows = plan.rows.unwrap();
    assert_eq!((rows.count(), rows.in_turn()), (2, false));
    assert!(plan.kinds[0].arguments.as_ref().unwrap().fixed().is_none());
}

#[test]
fn kinds_are_drawn_by_weight() {
    let source = Source::new(
        "x.toml",
        "[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\ntool = \"echo\"\nweight = 3\n\
         [[workflow]]\ntool = \"wizard\"\n",
    );
    let plan = Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap();
    let first = (0..4000)
        .filter(|id| plan.draw_kind(&mut workflow_rng(5, *id)) == 0)
        .count();
    // Three sigma of a binomial with n = 4000, p = 3/4 is 82.
    assert!(first.abs_diff(3000) < 83, "{first}");
}
