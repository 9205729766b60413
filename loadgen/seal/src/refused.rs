use std::fmt;

/// A token was not opened. Towards the peer there is one outcome: `Display` and `Debug` say the
/// same sentence for every cause. The cause is for counters and logs on the server's side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    reason: Reason,
}

impl Refused {
    pub(crate) const fn new(reason: Reason) -> Self {
        Self { reason }
    }

    /// Why, for the server's own eyes: never send it to the peer.
    pub const fn reason(self) -> Reason {
        self.reason
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Invalid or expired requestState")
    }
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Refused")
    }
}

impl std::error::Error for Refused {}

/// The private cause of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Longer than the limit, or too short to hold anything.
    Size,
    /// Not canonical base64url.
    Decode,
    /// Another format or another algorithm than this replica uses.
    Algorithm,
    /// The key id is not in the ring: keys are not shared, or the key has been retired.
    UnknownKey,
    /// The token's life is over, by this replica's clock.
    Expired,
    /// The expiry lies further ahead than a token minted now may have: the clocks differ by more
    /// than the allowed skew, or the replicas have different lives configured.
    Future,
    /// The tag does not match. That is one event with many causes: a changed or forged token, other
    /// key material under the same id, or another audience, method, target, argument or principal.
    /// The binding is not in the token, so cryptography cannot tell them apart and neither do we.
    Tag,
    /// The flow's deadline has passed.
    Deadline,
    /// Opened before, by the caller's record of tokens used.
    Replayed,
}

impl Reason {
    /// Every reason, in the order in which `open` can give them.
    pub const ALL: [Self; 9] = [
        Self::Size,
        Self::Decode,
        Self::Algorithm,
        Self::UnknownKey,
        Self::Expired,
        Self::Future,
        Self::Tag,
        Self::Deadline,
        Self::Replayed,
    ];

    /// A short name for logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Decode => "decode",
            Self::Algorithm => "algorithm",
            Self::UnknownKey => "unknown-key",
            Self::Expired => "expired",
            Self::Future => "future",
            Self::Tag => "tag",
            Self::Deadline => "deadline",
            Self::Replayed => "replayed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_looks_the_same_from_outside() {
        let seen: std::collections::HashSet<_> = Reason::ALL
            .iter()
            .map(|&r| {
                (
                    Refused::new(r).to_string(),
                    format!("{:?}", Refused::new(r)),
                )
            })
            .collect();
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn reasons_stand_at_their_own_index() {
        for (i, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, i);
        }
    }
}
