use loadgen_protocol::{ClientCapabilities, ElicitationCapability, InputRequest, Marker};

use serde_json::json;

use crate::mrtr::question::Question;

/// What the client would have to declare in this request before these questions may be asked, and
/// did not; `None` when nothing is missing. A capability is asked for by mode: a client that only
/// opens pages is not asked to fill a form.
pub(crate) fn lacking(
    questions: &[Question],
    declared: &ClientCapabilities,
) -> Option<ClientCapabilities> {
    let mut lacking = ClientCapabilities::default();
    for question in questions {
        match question.request() {
            InputRequest::Form(_) if !declared.allows_form() => {
                elicitation(&mut lacking).form = Some(Marker::new());
            }
            InputRequest::Url(_) if !declared.allows_url() => {
                elicitation(&mut lacking).url = Some(Marker::new());
            }
            InputRequest::Sampling(asked)
                if !asked.tools.is_empty() && !declared.allows_tools() =>
            {
                let tools = ("tools".to_owned(), json!({}));
                lacking.sampling.get_or_insert_default().extend([tools]);
            }
            InputRequest::Sampling(_) if declared.sampling.is_none() => {
                lacking.sampling.get_or_insert_default();
            }
            InputRequest::Roots if declared.roots.is_none() => {
                lacking.roots = Some(Marker::new());
            }
            _ => {}
        }
    }
    (lacking != ClientCapabilities::default()).then_some(lacking)
}

fn elicitation(of: &mut ClientCapabilities) -> &mut ElicitationCapability {
    of.elicitation.get_or_insert_default()
}

#[cfg(test)]
mod tests {
    use loadgen_protocol::{ElicitUrl, Sampling};
    use serde_json::Value;

    use super::*;

    fn question(kind: &str) -> Question {
        let request = match kind {
            "form" => return Question::text("k", "?", "x"),
            "url" => InputRequest::Url(ElicitUrl {
                message: "?".into(),
                url: "https://harbour.example/rules".into(),
            }),
            "sampling" => InputRequest::Sampling(Sampling {
                messages: vec![],
                max_tokens: 1,
                tools: vec![],
            }),
            "tools" => return Question::sampling("k", "?", 1).with_tool("tide"),
            _ => InputRequest::Roots,
        };
        Question::of("k", request)
    }

    fn lacks(kinds: &[&str], declared: Value) -> Value {
        let questions: Vec<_> = kinds.iter().map(|kind| question(kind)).collect();
        let declared = serde_json::from_value(declared).unwrap();
        json!(lacking(&questions, &declared))
    }

    #[test]
    fn each_mode_of_elicitation_has_to_be_declared() {
        let form = json!({ "elicitation": { "form": {} } });
        let url = json!({ "elicitation": { "url": {} } });
        for (declared, form_lacks, url_lacks) in [
            (json!({}), &form, &url),
            (json!({ "elicitation": {} }), &Value::Null, &url),
            (form.clone(), &Value::Null, &url),
            (url.clone(), &form, &Value::Null),
            (
                json!({ "elicitation": { "form": {}, "url": {} } }),
                &Value::Null,
                &Value::Null,
            ),
        ] {
            assert_eq!(
                &lacks(&["form"], declared.clone()),
                form_lacks,
                "{declared}"
            );
            assert_eq!(&lacks(&["url"], declared.clone()), url_lacks, "{declared}");
        }
    }

    #[test]
    fn tools_in_a_sampling_question_have_to_be_declared_too() {
        let plain = json!({ "sampling": {} });
        let tools = json!({ "sampling": { "tools": {} } });
        assert_eq!(lacks(&["tools"], json!({})), tools);
        assert_eq!(lacks(&["tools", "sampling"], json!({})), tools);
        assert_eq!(lacks(&["tools"], plain.clone()), tools);
        assert_eq!(lacks(&["tools"], tools.clone()), Value::Null);
        assert_eq!(lacks(&["sampling"], plain), Value::Null);
        assert_eq!(lacks(&["sampling"], tools), Value::Null);
    }

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let all = ["form", "url", "sampling", "roots"];
        let want = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
        assert_eq!(lacks(&all, json!({})), want);
        assert_eq!(lacks(&all, want.clone()), Value::Null);
        assert_eq!(lacks(&[], json!({})), Value::Null);
        let declared = json!({"sampling": {}, "elicitation": {"url": {}}});
        let want = json!({"elicitation": {"form": {}}, "roots": {}});
        assert_eq!(lacks(&all, declared), want);
    }
}
