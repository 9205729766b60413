/// Names, and the words they stand for: the shape of each refusal as public documentation, issues
/// and source told it in 2026. Where they leave the body open it is text.
pub(super) const PRESETS: &[(&str, &str)] = &[
    ("agentgateway", "text,x-ratelimit,always"),
    ("buildkite", "text,ratelimit-trio,scope=mcp,always"),
    ("cloudflare", "text,retry-after,ratelimit,always"),
    ("cloudflare-edge", "html,retry-after=30"),
    ("contextforge", "rpc,code=-32602,data=details.reset_in"),
    ("everyinfra", "is-error-text"),
    ("firezone", "rpc,retry-after,data=retry_after_seconds"),
    ("gitlab", "text,retry-after,ratelimit-trio"),
    ("gitlab-api", "is-error"),
    ("meraki", "result-text"),
    ("sep-2678", "rpc,code=-32000,data=retryAfter"),
    ("sep-3304", "rpc,retry-after,code=-32023,data=retryAfter"),
    (
        "toolhive",
        "rpc,retry-after,code=429,data=retryAfterSeconds",
    ),
    (
        "toolhive-core",
        "rpc,status=200,code=429,data=retryAfterSeconds",
    ),
    ("toolhive-legacy", "is-error-text"),
    ("tyk", "rpc,code=-32003,data=none"),
    ("ucp", "rpc,code=-32004,data=none"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Signal;

    #[test]
    fn every_preset_stands_for_words_that_can_be_read_and_can_be_changed() {
        for &(name, words) in PRESETS {
            let named: Signal = name.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(named, words.parse().unwrap(), "{name}");
            let changed: Signal = format!("{name},retry-after=120").parse().unwrap();
            assert_ne!(named, changed, "{name}");
        }
        assert!(PRESETS.is_sorted_by_key(|(name, _)| *name));
    }
}
