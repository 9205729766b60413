/// What a token says beside the state, encrypted with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claims {
    /// When the whole flow ends, in seconds since 1970. Set it in round 0 and copy it from round to
    /// round: sealing anew extends a token's life but never its flow's.
    pub deadline: u32,
    /// The round that minted the token, 0 for the first.
    pub round: u8,
}

impl Claims {
    /// Bytes the claims take in front of the state.
    pub(crate) const BYTES: usize = 5;

    pub(crate) fn write(self, out: &mut [u8]) {
        out[..4].copy_from_slice(&self.deadline.to_be_bytes());
        out[4] = self.round;
    }

    /// Splits an opened plaintext into claims and state.
    pub(crate) fn split(text: &[u8]) -> Option<(Self, &[u8])> {
        let (deadline, rest) = text.split_first_chunk::<4>()?;
        let (&round, state) = rest.split_first()?;
        let deadline = u32::from_be_bytes(*deadline);
        Some((Self { deadline, round }, state))
    }
}
