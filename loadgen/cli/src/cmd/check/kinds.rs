use loadgen_driver::{AnswerPlan, Departure, Draw, Kind, Plan, Spread};

/// One line for each kind of workflow, with all that is not usual about it.
pub(super) fn lines(plan: &Plan) -> String {
    let total: f64 = plan.kinds.iter().map(|kind| kind.weight).sum();
    let line = |kind: &Kind| {
        format!(
            "  {:>5.1} %  {} ({} {}){}\n",
            100.0 * kind.weight / total,
            kind.name,
            kind.method,
            kind.target,
            unusual(kind, plan.spread)
        )
    };
    plan.kinds.iter().map(line).collect()
}

fn unusual(kind: &Kind, spread: Spread) -> String {
    let mut said = String::new();
    let mut say = |text: String| said.extend([", ", &text]);
    if let Some(text) = &kind.expect_text {
        say(format!("expects the text {text:?}"));
    }
    if kind.spread != spread {
        say(in_words(kind.spread).to_owned());
    }
    if kind.think.mean() > 0.0 {
        say(thinks(&kind.think));
    }
    let Departure {
        abandon,
        disconnect,
        after,
    } = kind.departure;
    if abandon > 0.0 {
        say(format!("{} % leave when asked", digits(100.0 * abandon)));
    }
    if disconnect > 0.0 {
        say(format!(
            "{} % of the requests are closed after {} s",
            digits(100.0 * disconnect),
            after.as_secs_f64()
        ));
    }
    if kind.replay > 1 {
        say(format!(
            "sends each state back {} times at once",
            kind.replay
        ));
    }
    if let Some(fault) = kind.break_state {
        say(format!("sends broken states ({})", fault.name()));
    }
    answers(&kind.answers).into_iter().for_each(say);
    said
}

fn thinks(think: &Draw) -> String {
    let mean = digits(think.mean());
    match think.most() {
        None => format!("thinks {mean} s on average"),
        Some(most) => {
            let most = digits(most);
            format!("thinks {mean} s on average before what is above {most} s is taken as that")
        }
    }
}

fn answers(plan: &AnswerPlan) -> Vec<String> {
    let mut said = Vec::new();
    let all = plan.accept + plan.decline + plan.cancel;
    for (weight, does) in [(plan.decline, "declines"), (plan.cancel, "cancels")] {
        if weight > 0.0 {
            said.push(format!("{does} {} %", digits(100.0 * weight / all)));
        }
    }
    if let Some(up_front) = &plan.up_front {
        let share = 100.0 * up_front.weight / (all + up_front.weight);
        said.push(format!("{} % answer before they are asked", digits(share)));
    }
    if plan.optional < 1.0 {
        let share = digits(100.0 * plan.optional);
        said.push(format!("fills {share} % of optional fields"));
    }
    if !plan.fields.is_empty() {
        let names: Vec<&str> = plan.fields.names().collect();
        said.push(format!("fixed answers for {}", names.join(", ")));
    }
    said
}

/// Where rounds go.
pub(super) fn in_words(spread: Spread) -> &'static str {
    match spread {
        Spread::Random => "each round to a replica at random",
        Spread::Next => "each round to the next replica",
        Spread::Sticky => "all rounds of a workflow to one replica",
    }
}

/// At most three digits behind the point.
fn digits(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(digits(0.478_886_945), "0.479");
        assert_eq!(digits(70.0), "70");
        assert_eq!(digits(0.5), "0.5");
    }
}
