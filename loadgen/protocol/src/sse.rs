//! Incremental reader of `text/event-stream` (WHATWG HTML, section 9.2.6): lines end in LF, CR or
//! CRLF, data lines of one event are joined by LF, comment lines are skipped. Input may be cut at
//! any byte, also inside a CRLF or a UTF-8 sequence.

/// One dispatched event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The joined data lines, as bytes: JSON is checked by whoever reads it.
    pub data: Vec<u8>,
}

/// The reader. Feed it with [`SseParser::push`] in any cuts.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    started: bool,
}

impl SseParser {
    /// A reader at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes that wait for their event to end; a caller bounds its memory by this.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Takes the next bytes and gives the events that they complete, in order.
    pub fn push(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
                self.line.extend_from_slice(bytes);
                return;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(events);
        }
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.has_data) {
                events.push(SseEvent { data });
            }
        } else if let Some(value) = field(&line, b"data") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
        }
        line.clear();
        self.line = line;
    }
}

/// The value of `line` if it is the named field. Comments, `event`, `id` and `retry` lines are none.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(name)?;
    match rest.split_first() {
        None => Some(rest),
        Some((b':', value)) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cuts: &[&[u8]]) -> Vec<String> {
        let (mut parser, mut events) = (SseParser::new(), Vec::new());
        for cut in cuts {
            parser.push(cut, &mut events);
        }
        events
            .into_iter()
            .map(|e| String::from_utf8(e.data).unwrap())
            .collect()
    }

    #[test]
    fn every_line_end_and_every_cut_gives_the_same_events() {
        let lines = [
            ": keep-alive",
            "event: message",
            "id: 7",
            "retry: 10",
            "data: {\"a\":",
            "data:\"世界\"}",
            "",
            "data",
            "",
            "datax: no",
            "",
            "data:  two spaces",
            "",
        ];
        let want = ["{\"a\":\n\"世界\"}", "", " two spaces"];
        for end in ["\n", "\r", "\r\n"] {
            let text: String = lines.iter().map(|l| format!("{l}{end}")).collect();
            let bytes = text.as_bytes();
            for cut in 0..=bytes.len() {
                assert_eq!(
                    read(&[&bytes[..cut], &bytes[cut..]]),
                    want,
                    "{end:?} cut at {cut}"
                );
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(&single), want, "{end:?} byte by byte");
        }
    }

    #[test]
    fn mixed_line_ends_and_a_byte_order_mark_are_read() {
        assert_eq!(
            read(&[b"\xef\xbb\xbfdata: 1\r", b"\ndata: 2\r\rdata: 3\n\r\n"]),
            ["1\n2", "3"]
        );
    }

    #[test]
    fn an_event_that_never_ended_is_not_dispatched() {
        assert!(read(&[b"data: 1\n"]).is_empty());
        let (mut parser, mut events) = (SseParser::new(), Vec::new());
        parser.push(b"data: 12345", &mut events);
        assert_eq!(parser.pending_bytes(), 11);
    }
}
