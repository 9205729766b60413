use loadgen_driver::{OnThrottle, ThrottlePlan};

/// What happens to throttled and failed rounds; nothing where they only end. `tokens`: whether
/// workflows have principals, of each of which gates and budget are.
pub(super) fn lines(plan: &ThrottlePlan, tokens: bool) -> String {
    let mut lines = Vec::new();
    let most = plan.max_attempts;
    let wait = plan.max_wait.as_secs_f64();
    match plan.on {
        OnThrottle::Ignore => {}
        OnThrottle::Honour => lines.push(format!(
            "throttled rounds wait as told, at most {wait} s, up to {most} attempts"
        )),
        OnThrottle::Probe if tokens => lines.push(format!(
            "one workflow tests a replica that throttles its token, the token's others hold back at \
             most {wait} s"
        )),
        OnThrottle::Probe => lines.push(format!(
            "one workflow tests a replica that throttles, the others hold back at most {wait} s"
        )),
    }
    let on = plan.retry_on;
    let again = [
        (on.server_error, "5xx"),
        (on.timeout, "timeout"),
        (on.connect, "connect"),
    ];
    let again: Vec<&str> = again
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect();
    if !again.is_empty() {
        lines.push(format!(
            "rounds are attempted again after {}, up to {most} attempts",
            again.join(", ")
        ));
    }
    if let Some(budget) = plan.budget {
        let whose = if tokens { " of each token" } else { "" };
        lines.push(format!(
            "the retry budget{whose} lets {:.1} % of attempts fail in the long run",
            100.0 * budget.share()
        ));
    }
    if let Some(limit) = plan.limit_per_s {
        lines.push(format!("the target is meant to admit {limit} requests/s"));
    }
    if !plan.result_text.is_empty() {
        let texts = plan.result_text.join("`, `");
        lines.push(format!("a success that says `{texts}` is a refusal"));
    }
    let line = |line: String| format!("  limits {line}\n");
    lines.into_iter().map(line).collect()
}
