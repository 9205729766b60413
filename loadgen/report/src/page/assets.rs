use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const UPLOT_JS: &str = include_str!("../../assets/uPlot.iife.min.js");
const UPLOT_CSS: &str = include_str!("../../assets/uPlot.min.css");
const PAGE_JS: &str = include_str!("../../assets/page.js");
const PAGE_CSS: &str = include_str!("../../assets/page.css");

/// The only script of the page that runs.
pub(super) fn script() -> String {
    format!("{UPLOT_JS}\n{PAGE_JS}")
}

/// The only style of the page.
pub(super) fn style() -> String {
    format!("{UPLOT_CSS}\n{PAGE_CSS}")
}

/// A policy by which nothing is loaded, and nothing runs but [`script`]
/// (W3C, Content Security Policy Level 3, hashes of inline elements).
pub(super) fn policy() -> String {
    let mut policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:".to_owned();
    for (what, text) in [("script-src", script()), ("style-src", style())] {
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        // Writing to a string cannot fail.
        let _ = write!(policy, "; {what} 'sha256-{hash}'");
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_elsewhere_is_what_its_checksums_say() {
        let sums = include_str!("../../assets/SHA256SUMS");
        let licence = include_str!("../../assets/uPlot.LICENSE");
        assert!(licence.contains("MIT"));
        for (name, text) in [
            ("uPlot.iife.min.js", UPLOT_JS),
            ("uPlot.min.css", UPLOT_CSS),
            ("uPlot.LICENSE", licence),
        ] {
            let digest = Sha256::digest(text.as_bytes());
            let mut hex = String::new();
            for byte in digest {
                write!(hex, "{byte:02x}").unwrap();
            }
            assert!(sums.contains(&format!("{hex}  {name}")), "{name}");
        }
    }

    #[test]
    fn an_element_ends_where_it_should() {
        assert!(!script().contains("</script") && !script().contains("<!--"));
        assert!(!style().contains("</style"));
    }
}
