use std::sync::Arc;

use crate::backend::Backend;
use crate::counters::KeyCount;
use crate::derived::DerivedKeys;
use crate::key::{Key, KeyId};
use crate::key_ring::Role;
use crate::sealer::Sealer;
use crate::slot::Slot;
use crate::tally::Tally;

/// A change of keys that cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RotationError {
    /// The ring has a key of this id.
    #[error("key id {0} is in the ring already")]
    Taken(KeyId),
    /// A key of this id was in the ring: an id that comes back could mean another key, and its
    /// seals would be counted anew.
    #[error("key id {0} was used before and is not used again")]
    Retired(KeyId),
    /// No key of the ring has this id.
    #[error("no key has the id {0}")]
    Unknown(KeyId),
    /// The key that mints cannot be taken away.
    #[error("key {0} mints: let another key mint before retiring it")]
    Minting(KeyId),
    /// The backend does not take the key.
    #[error("backend {0} cannot schedule the key")]
    Unavailable(Backend),
}

/// A key that has left the ring: its counts stay, its secrets do not.
#[derive(Clone)]
pub(crate) struct Retired {
    id: KeyId,
    tally: Arc<Tally>,
}

impl Retired {
    pub(crate) fn counts(&self) -> KeyCount {
        self.tally.counts(self.id)
    }
}

/// The three phases of a rotation, as in [`KeyRing`](crate::KeyRing), for a sealer in use. Each
/// gives a new sealer, which a server puts in the place of the old one. Both may be used at once:
/// the keys they have in common share their counts and their budgets.
impl Sealer {
    /// This sealer, opening tokens of `key` too; it does not mint with it yet.
    ///
    /// # Errors
    /// When its id is or was in the ring, or the backend does not take it.
    pub fn accepting(&self, key: &Key) -> Result<Self, RotationError> {
        let id = key.id();
        if self.position(id).is_some() {
            return Err(RotationError::Taken(id));
        }
        if self.retired.iter().any(|retired| retired.id == id) {
            return Err(RotationError::Retired(id));
        }
        let slot = Slot::new(self.backend, self.algorithm, key, self.budget)
            .ok_or(RotationError::Unavailable(self.backend))?;
        let mut changed = self.twin();
        changed.slots.push(Arc::new(slot));
        Ok(changed)
    }

    /// This sealer, minting with the key of this id and only accepting the others.
    ///
    /// # Errors
    /// When no key has this id.
    pub fn minting_with(&self, id: KeyId) -> Result<Self, RotationError> {
        let mint = self.position(id).ok_or(RotationError::Unknown(id))?;
        Ok(Self {
            mint,
            ..self.twin()
        })
    }

    /// This sealer without the key of this id, whose tokens it refuses from then on.
    ///
    /// # Errors
    /// When no key has this id, or it still mints.
    pub fn without(&self, id: KeyId) -> Result<Self, RotationError> {
        let index = self.position(id).ok_or(RotationError::Unknown(id))?;
        if index == self.mint {
            return Err(RotationError::Minting(id));
        }
        let mut changed = self.twin();
        let slot = changed.slots.remove(index);
        changed.mint -= usize::from(index < self.mint);
        changed.retired.push(Retired {
            id,
            tally: Arc::clone(&slot.tally),
        });
        Ok(changed)
    }

    /// The keys of the ring with their roles, in its order.
    pub fn keys(&self) -> impl Iterator<Item = (Role, KeyId)> + '_ {
        self.slots.iter().enumerate().map(|(index, slot)| {
            let role = if index == self.mint {
                Role::Mint
            } else {
                Role::Accept
            };
            (role, slot.id)
        })
    }

    fn position(&self, id: KeyId) -> Option<usize> {
        self.slots.iter().position(|slot| slot.id == id)
    }

    /// The same sealer once more. Derived keys are met anew, so that none outlives its key.
    fn twin(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            retired: self.retired.clone(),
            refusals: Arc::clone(&self.refusals),
            derived: DerivedKeys::new(),
            ..*self
        }
    }
}
