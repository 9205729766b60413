use bytes::{BufMut as _, Bytes, BytesMut};
use serde::Deserialize;

/// What ends the lines of an event stream instead of LF (WHATWG HTML, section 9.2.5, allows each of
/// them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineEnd {
    Cr,
    Crlf,
    /// LF, CR and CRLF by turns.
    Mixed,
}

impl LineEnd {
    /// A piece of a stream, whose lines end in LF, with these line ends.
    pub(crate) fn apply(self, piece: &[u8]) -> Bytes {
        let ends: &[&[u8]] = match self {
            Self::Cr => &[b"\r"],
            Self::Crlf => &[b"\r\n"],
            Self::Mixed => &[b"\n", b"\r", b"\r\n"],
        };
        let mut out = BytesMut::with_capacity(piece.len() + 8);
        let mut ends = ends.iter().cycle();
        for line in piece.split_inclusive(|&b| b == b'\n') {
            match (line.strip_suffix(b"\n"), ends.next()) {
                (Some(text), Some(end)) => {
                    out.put_slice(text);
                    out.put_slice(end);
                }
                _ => out.put_slice(line),
            }
        }
        out.freeze()
    }
}

#[cfg(test)]
mod tests {
    use loadgen_protocol::SseParser;

    use super::*;

    #[test]
    fn readers_get_the_same_events_from_every_line_end() {
        let piece = "event: message\ndata: {\"a\":\"世界\"}\n\n".as_bytes();
        let mut spellings = vec![piece.to_vec()];
        for end in [LineEnd::Cr, LineEnd::Crlf, LineEnd::Mixed] {
            let spelt = end.apply(piece);
            let (mut parser, mut events) = (SseParser::new(), Vec::new());
            // Once as a whole and once byte by byte.
            parser.push(&spelt, &mut events);
            for byte in &spelt {
                parser.push(&[*byte], &mut events);
            }
            let data = "{\"a\":\"世界\"}".as_bytes();
            assert!(
                events.len() == 2 && events.iter().all(|e| e.data == data),
                "{end:?}"
            );
            spellings.push(spelt.to_vec());
        }
        spellings.sort();
        spellings.dedup();
        assert_eq!(spellings.len(), 4);
    }
}
