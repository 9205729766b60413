use std::fmt;

/// The JSON-RPC id of a request as written: a string, different for every round of every workflow
/// and for every attempt, since a request whose answer was lost may still be worked on. It is made
/// where it is needed: a workflow that waits does not keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId {
    text: [u8; Self::LONGEST],
    length: u8,
}

impl RequestId {
    /// Two quotes, two dots, and the longest numbers.
    const LONGEST: usize = 2 + 20 + 1 + 5 + 1 + 5;

    pub(super) fn new(workflow: u64, round: u16, attempt: u16) -> Self {
        let mut id = Self {
            text: [0; Self::LONGEST],
            length: 0,
        };
        id.push(b'"');
        id.push_number(workflow);
        id.push(b'.');
        id.push_number(round.into());
        if attempt > 0 {
            id.push(b'.');
            id.push_number(attempt.into());
        }
        id.push(b'"');
        id
    }

    /// By hand: three of these are made for each request, and formatting takes 500 instructions.
    fn push_number(&mut self, number: u64) {
        let start = usize::from(self.length);
        let mut end = start;
        let mut rest = number;
        loop {
            self.text[end] = b'0' + (rest % 10) as u8;
            end += 1;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text[start..end].reverse();
        self.length = end as u8;
    }

    fn push(&mut self, byte: u8) {
        self.text[usize::from(self.length)] = byte;
        self.length += 1;
    }

    /// With its quotes.
    pub(crate) fn as_str(&self) -> &str {
        let text = &self.text[..usize::from(self.length)];
        std::str::from_utf8(text).expect("it is digits, dots and quotes")
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_numbers_fit_and_first_attempts_have_no_third() {
        let longest = RequestId::new(u64::MAX, u16::MAX, u16::MAX);
        assert_eq!(longest.as_str(), "\"18446744073709551615.65535.65535\"");
        assert_eq!(longest.as_str().len(), RequestId::LONGEST);
        assert_eq!(RequestId::new(7, 2, 0).to_string(), "\"7.2\"");
        for workflow in [0, 1, 9, 10, 109, 1000, 987_654_321] {
            let id = RequestId::new(workflow, 10, 1).to_string();
            assert_eq!(id, format!("\"{workflow}.10.1\""));
        }
    }
}
