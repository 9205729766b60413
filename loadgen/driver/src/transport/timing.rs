use std::time::Duration;

use loadgen_measure::ServerTiming;

/// Reads one `Server-Timing: open;dur=0.012, …` (W3C Server Timing; `dur` in milliseconds). Entries of
/// other names and unreadable ones are passed over.
pub(super) fn server_timing(text: &str, timing: &mut ServerTiming) {
    for entry in text.split(',') {
        let mut parts = entry.split(';').map(str::trim);
        let slot = match parts.next() {
            Some("open") => &mut timing.open,
            Some("handle") => &mut timing.handle,
            Some("seal") => &mut timing.seal,
            Some("store") => &mut timing.store,
            _ => continue,
        };
        *slot = parts
            .find_map(|part| part.strip_prefix("dur="))
            .and_then(|ms| ms.trim_matches('"').parse::<f64>().ok())
            .and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_milliseconds_are_read_and_junk_is_not() {
        let text =
            "open;dur=0.001234, handle; desc=\"x\"; dur=1.5,db;dur=9, store;dur=0.25, seal;dur=NaN";
        let mut timing = ServerTiming::default();
        server_timing(text, &mut timing);
        assert_eq!(timing.open, Some(Duration::from_nanos(1234)));
        assert_eq!(timing.handle, Some(Duration::from_micros(1500)));
        assert_eq!(timing.seal, None);
        assert_eq!(timing.store, Some(Duration::from_micros(250)));
        server_timing("seal;dur=x,;,=", &mut timing);
        assert_eq!(timing.seal, None);
    }
}
