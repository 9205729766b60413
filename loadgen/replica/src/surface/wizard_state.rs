use std::borrow::Cow;

/// What a wizard knows between rounds.
///
/// As bytes: the number of answers (u32, big endian), each answer behind its length (u32, big
/// endian), and then the padding to the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WizardState<'a> {
    pub(super) answers: Vec<Cow<'a, str>>,
    pub(super) pad_bytes: u32,
}

impl<'a> WizardState<'a> {
    pub(super) fn padded(pad_bytes: u32) -> Self {
        Self {
            answers: Vec::new(),
            pad_bytes,
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let answers: usize = self.answers.iter().map(|a| 4 + a.len()).sum();
        let len = 4 + answers + self.pad_bytes as usize;
        let mut out = Vec::with_capacity(len);
        out.extend_from_slice(&length(self.answers.len()));
        for answer in &self.answers {
            out.extend_from_slice(&length(answer.len()));
            out.extend_from_slice(answer.as_bytes());
        }
        out.resize(len, b'x');
        out
    }

    /// `None` when the bytes are no state of this form.
    pub(super) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (count, mut rest) = split_length(bytes)?;
        let mut answers = Vec::with_capacity(count.min(rest.len() / 4) + 1);
        for _ in 0..count {
            let (len, tail) = split_length(rest)?;
            let (answer, tail) = tail.split_at_checked(len)?;
            answers.push(Cow::Borrowed(std::str::from_utf8(answer).ok()?));
            rest = tail;
        }
        Some(Self {
            answers,
            pad_bytes: u32::try_from(rest.len()).ok()?,
        })
    }
}

fn length(n: usize) -> [u8; 4] {
    u32::try_from(n)
        .expect("a request body is limited to far less than 4 GiB")
        .to_be_bytes()
}

fn split_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_be_bytes(*len)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back() {
        for state in [
            WizardState::default(),
            WizardState::padded(3),
            WizardState {
                answers: vec!["".into(), "世界".into(), "xxx".into()],
                pad_bytes: 5,
            },
        ] {
            assert_eq!(WizardState::decode(&state.encode()).as_ref(), Some(&state));
        }
    }

    #[test]
    fn bytes_of_another_form_are_no_state() {
        for bytes in [
            &b""[..],
            b"\0\0\0",
            b"\0\0\0\x01",
            b"\xff\xff\xff\xff",
            b"\0\0\0\x01\0\0\0\x01\xff",
        ] {
            assert_eq!(WizardState::decode(bytes), None, "{bytes:?}");
        }
    }
}
