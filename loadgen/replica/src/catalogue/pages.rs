use std::collections::HashMap;
use std::num::NonZeroUsize;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The pages of one list, written once at start. A cursor names the list and where its page starts,
/// so every replica of the same surface and page size knows it, and nothing is remembered.
pub(crate) struct Pages {
    first: Box<RawValue>,
    /// By the cursor that asks for it.
    later: HashMap<String, Box<RawValue>>,
}

impl Pages {
    /// Cuts `entries` into pages of at most `size`, `None` being one page, and has each `write` its
    /// result. `list` is the member that holds the entries.
    pub(crate) fn new(
        list: &str,
        entries: &[Value],
        size: Option<NonZeroUsize>,
        write: impl Fn(Value) -> Box<RawValue>,
    ) -> Self {
        let size = size.map_or(entries.len().max(1), NonZeroUsize::get);
        let page = |start: usize| {
            let end = entries.len().min(start.saturating_add(size));
            let mut result = json!({ list: entries[start..end] });
            if end < entries.len() {
                result["nextCursor"] = cursor(list, end).into();
            }
            write(result)
        };
        let later = (size..entries.len()).step_by(size);
        Self {
            first: page(0),
            later: later
                .map(|start| (cursor(list, start), page(start)))
                .collect(),
        }
    }

    /// The page that a cursor asks for; `None` when no page has given it out.
    pub(crate) fn at(&self, cursor: Option<&str>) -> Option<&RawValue> {
        match cursor {
            None => Some(&self.first),
            Some(cursor) => self.later.get(cursor).map(|page| &**page),
        }
    }
}

/// Opaque to clients.
fn cursor(list: &str, start: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("{list}@{start}"))
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    fn pages(list: &str, count: usize, size: usize) -> Pages {
        let entries: Vec<Value> = (0..count).map(Value::from).collect();
        let write = |result: Value| to_raw_value(&result).unwrap();
        Pages::new(list, &entries, NonZeroUsize::new(size), write)
    }

    /// The entries of all pages, page by page, as a client follows the cursors.
    fn walk(pages: &Pages) -> Vec<Vec<u64>> {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = pages.at(cursor.as_deref()).unwrap();
            let page: Value = serde_json::from_str(page.get()).unwrap();
            let entries = page["x"].as_array().unwrap();
            seen.push(entries.iter().map(|n| n.as_u64().unwrap()).collect());
            match page.get("nextCursor") {
                None => return seen,
                Some(next) => cursor = Some(next.as_str().unwrap().to_owned()),
            }
        }
    }

    #[test]
    fn every_entry_is_on_one_page_in_order() {
        for (count, size, lengths) in [
            (0, 3, &[0][..]),
            (2, 3, &[2]),
            (3, 3, &[3]),
            (4, 3, &[3, 1]),
            (7, 3, &[3, 3, 1]),
            (3, 1, &[1, 1, 1]),
            (3, usize::MAX, &[3]),
            (5, 0, &[5]), // no size: one page
        ] {
            let seen = walk(&pages("x", count, size));
            let got: Vec<_> = seen.iter().map(Vec::len).collect();
            assert_eq!(got, lengths, "{count} by {size}");
            assert!(seen.concat().into_iter().eq(0..count as u64));
        }
    }

    #[test]
    fn cursors_are_known_to_every_replica_and_to_no_other_list() {
        let next = |pages: &Pages| {
            let first: Value = serde_json::from_str(pages.at(None).unwrap().get()).unwrap();
            first["nextCursor"].as_str().unwrap().to_owned()
        };
        let cursor = next(&pages("x", 4, 3));
        assert!(pages("x", 4, 3).at(Some(&cursor)).is_some());
        assert!(pages("y", 4, 3).at(Some(&cursor)).is_none());
        assert!(pages("x", 4, 2).at(Some(&cursor)).is_none());
        for bad in [
            "",
            "x@3",
            &cursor[1..],
            &format!("{cursor}="),
            &cursor.to_uppercase(),
        ] {
            assert!(pages("x", 4, 3).at(Some(bad)).is_none(), "{bad}");
        }
    }
}
