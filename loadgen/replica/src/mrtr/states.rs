use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};
use loadgen_seal::{
    ArgumentsDigest, Binding, BindingFields, Claims, Opened, Refused, SealError, Sealer,
    UnixSeconds,
};

/// Seals and opens the state of this replica's workflows.
pub(crate) struct States {
    /// Another one takes its place when the keys change.
    sealer: ArcSwap<Sealer>,
    /// Held while the keys change, so that no change is lost.
    turning: Mutex<()>,
    audience: String,
    /// How long a whole workflow may take from its first ask, in seconds.
    flow_ttl_s: u32,
}

/// What a state is bound to beside the audience, read from the request that carries or gets it.
pub(crate) struct Scope<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    /// The arguments in the request's own bytes.
    pub(crate) arguments: Option<&'a str>,
    /// Who asks, as the gate names them.
    pub(crate) principal: Option<&'a str>,
}

/// Where a workflow stands: in round 0, or after a round whose state came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Round(Option<Claims>);

impl Round {
    /// Nothing was asked yet.
    pub(crate) const FIRST: Self = Self(None);

    /// The round after the one that minted `claims`.
    pub(crate) const fn after(claims: Claims) -> Self {
        Self(Some(claims))
    }

    /// What the next state says: the deadline that the first round set, and one round more.
    fn claims(self, now: UnixSeconds, flow_ttl_s: u32) -> Claims {
        match self.0 {
            None => Claims {
                deadline: u32::try_from(now.0.saturating_add(u64::from(flow_ttl_s)))
                    .unwrap_or(u32::MAX),
                round: 0,
            },
            // The round is for people to read: a workflow of more than 256 rounds goes on.
            Some(Claims { deadline, round }) => Claims {
                deadline,
                round: round.saturating_add(1),
            },
        }
    }
}

impl States {
    pub(crate) fn new(sealer: Sealer, audience: String, flow_ttl_s: u32) -> Self {
        Self {
            sealer: ArcSwap::from_pointee(sealer),
            turning: Mutex::new(()),
            audience,
            flow_ttl_s,
        }
    }

    pub(crate) fn sealer(&self) -> Guard<Arc<Sealer>> {
        self.sealer.load()
    }

    /// Changes the keys. Requests that have begun go on with those they began with.
    ///
    /// # Errors
    /// When `change` fails; the keys stay then.
    pub(crate) fn turn<E>(
        &self,
        change: impl FnOnce(&Sealer) -> Result<Sealer, E>,
    ) -> Result<(), E> {
        let _turning = self.turning.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&self.sealer.load())?;
        self.sealer.store(Arc::new(changed));
        Ok(())
    }

    /// What states are bound to when nothing is looked at: all requests are alike.
    pub(crate) fn bind_nothing() -> Binding {
        Binding::new(&BindingFields {
            audience: "",
            method: "",
            target: "",
            arguments: ArgumentsDigest::none(),
            principal: None,
        })
    }

    pub(crate) fn bind(&self, scope: &Scope<'_>) -> Binding {
        Binding::new(&BindingFields {
            audience: &self.audience,
            method: scope.method,
            target: scope.target,
            arguments: scope.arguments.map_or_else(ArgumentsDigest::none, |raw| {
                ArgumentsDigest::exact(raw.as_bytes())
            }),
            principal: scope.principal,
        })
    }

    pub(crate) fn open(
        &self,
        binding: &Binding,
        token: &str,
        now: UnixSeconds,
    ) -> Result<Opened, Refused> {
        self.sealer.load().open(binding, token.as_bytes(), now)
    }

    pub(crate) fn seal(
        &self,
        binding: &Binding,
        round: Round,
        state: &[u8],
        now: UnixSeconds,
    ) -> Result<String, SealError> {
        let claims = round.claims(now, self.flow_ttl_s);
        self.sealer.load().seal(binding, claims, state, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_900_000_000);

    #[test]
    fn the_deadline_of_the_first_round_stays() {
        let first = Round::FIRST.claims(NOW, 3600);
        assert_eq!(
            first,
            Claims {
                deadline: 1_900_003_600,
                round: 0
            }
        );
        let later = UnixSeconds(NOW.0 + 500);
        let second = Round::after(first).claims(later, 3600);
        assert_eq!(
            second,
            Claims {
                deadline: 1_900_003_600,
                round: 1
            }
        );
    }

    #[test]
    fn more_rounds_than_the_byte_holds_do_not_wrap() {
        let claims = Claims {
            deadline: 7,
            round: u8::MAX,
        };
        assert_eq!(Round::after(claims).claims(NOW, 1), claims);
    }
}
