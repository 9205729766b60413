use http::header::ACCEPT;

use crate::http::fields::Fields;

/// What most clients send.
const USUAL: &str = "application/json, text/event-stream";

/// Whether the client takes both reply forms, `application/json` and `text/event-stream`.
///
/// Both must be covered, in any order and over any number of fields; `*/*`, `application/*` and
/// `text/*` cover what they name (RFC 9110, section 12.5.1), a weight of zero takes away, and the
/// most exact range that names a type decides about it. No field at all is not enough: the revision
/// asks clients to send it.
pub(crate) fn covers_both(fields: &Fields<'_>) -> bool {
    if fields.accept.is(USUAL) {
        return true;
    }
    let mut json = Best::default();
    let mut stream = Best::default();
    for field in fields.all.get_all(ACCEPT) {
        let Ok(field) = field.to_str() else {
            return false;
        };
        for item in field.split(',') {
            let mut parts = item.split(';');
            let range = parts.next().unwrap_or_default().trim();
            let taken = !parts.any(is_zero_weight);
            json.consider(range, taken, "application/json");
            stream.consider(range, taken, "text/event-stream");
        }
    }
    json.taken && stream.taken
}

/// The verdict of the most exact range seen so far.
#[derive(Default)]
struct Best {
    exactness: u8,
    taken: bool,
}

impl Best {
    fn consider(&mut self, range: &str, taken: bool, wanted: &str) {
        let exactness = if range.eq_ignore_ascii_case(wanted) {
            3
        } else if range == "*/*" {
            1
        } else {
            match (range.strip_suffix("/*"), wanted.split_once('/')) {
                (Some(kind), Some((wanted_kind, _))) if kind.eq_ignore_ascii_case(wanted_kind) => 2,
                _ => return,
            }
        };
        if exactness > self.exactness {
            *self = Self { exactness, taken };
        }
    }
}

/// `q=0`, `q=0.0`, `q=0.00` or `q=0.000`.
fn is_zero_weight(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>() == Ok(0.0)
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn covers(fields: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(ACCEPT, field.parse().unwrap());
        }
        covers_both(&Fields::of(&headers))
    }

    #[test]
    fn both_types_are_taken_in_any_order_and_spelling() {
        assert!(covers(&["application/json, text/event-stream"]));
        assert!(covers(&["text/event-stream,application/json"]));
        assert!(covers(&["text/event-stream", "Application/JSON;q=0.5"]));
        assert!(covers(&["*/*"]));
        assert!(covers(&["application/*, text/*;q=0.1"]));
        assert!(covers(&["application/json, */*;q=0.1"]));
    }

    #[test]
    fn one_type_or_none_is_not_enough() {
        assert!(!covers(&[]));
        assert!(!covers(&[""]));
        assert!(!covers(&["application/json"]));
        assert!(!covers(&["text/event-stream"]));
        assert!(!covers(&["text/html, application/json"]));
        assert!(!covers(&["application/jsonx, text/event-stream"]));
    }

    #[test]
    fn a_weight_of_zero_takes_a_type_away() {
        assert!(!covers(&["application/json;q=0, text/event-stream"]));
        assert!(!covers(&["*/*, text/event-stream;q=0.000"]));
        assert!(!covers(&["text/event-stream; q=0, */*"]));
        assert!(covers(&["application/json;q=0.001, text/event-stream"]));
    }
}
