use serde::Deserialize;
use serde_json::{Value, json};

use crate::content::Content;
use crate::mrtr::{Answer, Gathered, Given, Question, Step, Turn};
use crate::surface::{Call, Entry, Turned, bad_arguments};

/// Asks questions of several kinds at once, and gives the answers back as data. What is not
/// answered is asked for again, alone.
pub(super) struct Interview;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Form,
    Url,
    Sampling,
    SamplingTools,
    Roots,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default = "one_of_each")]
    kinds: Vec<Kind>,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Form,
        Self::Url,
        Self::Sampling,
        Self::SamplingTools,
        Self::Roots,
    ];

    /// In arguments, and the key of its question.
    const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Url => "url",
            Self::Sampling => "sampling",
            Self::SamplingTools => "sampling_tools",
            Self::Roots => "roots",
        }
    }

    fn question(self) -> Question {
        let key = self.name();
        match self {
            Self::Form => Question::text(key, "What is the vessel's name?", "vessel"),
            Self::Url => {
                let page = "https://harbour.example/rules";
                Question::visit(key, "Read the harbour's rules.", page)
            }
            Self::Sampling => Question::sampling(key, "Greet the crew in one line.", 64),
            Self::SamplingTools => {
                Question::sampling(key, "When is high tide?", 64).with_tool("tide_table")
            }
            Self::Roots => Question::roots(key),
        }
    }
}

impl Entry for Interview {
    fn listing() -> Value {
        json!({
            "description": "Asks one question of each kind at once; gives the answers back as data.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "kinds": {
                        "type": "array",
                        "items": { "type": "string", "enum": Kind::ALL.map(Kind::name) },
                        "uniqueItems": true,
                        "default": one_of_each().into_iter().map(Kind::name).collect::<Vec<_>>(),
                    },
                },
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(call.arguments, &call.turn)
    }
}

fn turn(arguments: &str, turn: &Turn<'_>) -> Turned<'static> {
    let kinds = match serde_json::from_str(arguments) {
        Ok(Arguments { kinds }) => kinds,
        Err(e) => return Ok(Step::failed(bad_arguments("interview", &e))),
    };
    let twice = |(at, kind): (usize, &Kind)| kinds[..at].contains(kind);
    if kinds.iter().enumerate().any(twice) {
        return Ok(Step::failed("interview: each of kinds may be there once"));
    }
    let questions = kinds.iter().map(|kind| kind.question()).collect();
    Ok(match turn.gather(questions)? {
        Gathered::Open(rest) => Step::Ask(rest),
        Gathered::Whole(answers) => {
            let answers = kinds.iter().map(|kind| kind.name()).zip(answers);
            let answers = answers.map(|(key, answer)| (key.to_owned(), value(answer)));
            Step::Done(Content::Structured(Value::Object(answers.collect())))
        }
    })
}

/// An answer as data; `null` where it was declined or cancelled.
fn value(answer: Answer<Given>) -> Value {
    match answer {
        Answer::Missing | Answer::Refused => Value::Null,
        Answer::Given(Given::Form(fields)) => fields.into(),
        Answer::Given(Given::Visit) => true.into(),
        Answer::Given(Given::Sampling(said)) => said.content,
        Answer::Given(Given::Roots(roots)) => roots.into_iter().map(|root| root.uri).collect(),
    }
}

/// All that a client can answer which declares no more than the four capabilities.
fn one_of_each() -> Vec<Kind> {
    vec![Kind::Form, Kind::Url, Kind::Sampling, Kind::Roots]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{ask, asked_keys, turn_of};

    fn data(turned: Turned<'_>) -> Value {
        match turned.unwrap() {
            Step::Done(Content::Structured(value)) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_four_kinds_go_out_at_once_and_come_back_as_data() {
        let first = ask(turn("{}", &turn_of(None, "{}")).unwrap());
        let keys: Vec<_> = first.questions.iter().map(|q| &*q.key).collect();
        assert_eq!(keys, ["form", "url", "sampling", "roots"]);
        let said = json!({ "type": "text", "text": "Ahoy" });
        let answers = json!({
            "form": { "action": "accept", "content": { "vessel": "Tern" } },
            "url": { "action": "accept" },
            "sampling": { "role": "assistant", "model": "m", "content": said },
            "roots": { "roots": [{ "uri": "file:///charts" }] },
        });
        let last = turn("{}", &turn_of(Some(&first.state), &answers.to_string()));
        let want = json!({ "form": { "vessel": "Tern" }, "url": true, "sampling": said,
                           "roots": ["file:///charts"] });
        assert_eq!(data(last), want);
    }

    #[test]
    fn refused_questions_are_null() {
        let kinds = r#"{"kinds":["url","form"]}"#;
        let no = r#"{"url":{"action":"cancel"},"form":{"action":"decline"}}"#;
        let want = json!({ "form": null, "url": null });
        assert_eq!(data(turn(kinds, &turn_of(None, no))), want);
    }

    #[test]
    fn only_the_named_kinds_are_asked() {
        for kind in Kind::ALL {
            let arguments = json!({ "kinds": [kind.name()] }).to_string();
            let step = turn(&arguments, &turn_of(None, "{}"));
            assert_eq!(asked_keys(step.unwrap()), [kind.name()]);
        }
        assert_eq!(
            data(turn(r#"{"kinds":[]}"#, &turn_of(None, "{}"))),
            json!({})
        );
    }

    #[test]
    fn unknown_and_repeated_kinds_fail_the_tool() {
        for bad in [r#"["Form"]"#, r#"["form","form"]"#, "7", r#"[{}]"#] {
            let arguments = format!(r#"{{"kinds":{bad}}}"#);
            let step = turn(&arguments, &turn_of(None, "{}"));
            assert!(matches!(step, Ok(Step::Failed(_))), "{bad}");
        }
    }
}
