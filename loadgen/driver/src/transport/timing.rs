use std::time::Duration;

use hyper::HeaderMap;
use loadgen_measure::ServerTiming;
use loadgen_protocol::names::header::SERVER_TIMING;

/// Reads `Server-Timing: open;dur=0.012, …` (W3C Server Timing; `dur` in milliseconds). Entries of
/// other names and unreadable ones are passed over.
pub(super) fn server_timing(headers: &HeaderMap) -> ServerTiming {
    let mut timing = ServerTiming::default();
    for entry in headers
        .get_all(SERVER_TIMING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
    {
        let mut parts = entry.split(';').map(str::trim);
        let slot = match parts.next() {
            Some("open") => &mut timing.open,
            Some("handle") => &mut timing.handle,
            Some("seal") => &mut timing.seal,
            _ => continue,
        };
        *slot = parts
            .find_map(|part| part.strip_prefix("dur="))
            .and_then(|ms| ms.trim_matches('"').parse::<f64>().ok())
            .and_then(|ms| Duration::try_from_secs_f64(ms / 1e3).ok());
    }
    timing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_milliseconds_are_read_and_junk_is_not() {
        let mut headers = HeaderMap::new();
        let text = "open;dur=0.001234, handle; desc=\"x\"; dur=1.5,db;dur=9, seal;dur=NaN";
        headers.insert(SERVER_TIMING, text.parse().unwrap());
        let timing = server_timing(&headers);
        assert_eq!(timing.open, Some(Duration::from_nanos(1234)));
        assert_eq!(timing.handle, Some(Duration::from_micros(1500)));
        assert_eq!(timing.seal, None);
        assert_eq!(server_timing(&HeaderMap::new()), ServerTiming::default());
    }
}
