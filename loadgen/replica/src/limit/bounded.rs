use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::ShrinkableKeyedStateStore;

/// The state of a keyed limiter in bounded memory: 16 bytes a key, and beyond `room` keys all
/// newcomers share one cell. Keys are chosen by clients where nothing verifies who they are, so
/// their number must not matter; whoever was known before keeps a cell of their own.
///
/// Clones are one state.
#[derive(Clone, Debug)]
pub(super) struct Bounded(Arc<State>);

#[derive(Debug)]
struct State {
    cells: Mutex<Cells>,
    room: usize,
    crowded: AtomicBool,
}

#[derive(Debug, Default)]
struct Cells {
    /// Theoretical arrival times by the keys' hashes.
    known: HashMap<u64, Nanos>,
    crowd: Option<Nanos>,
}

impl Bounded {
    pub(super) fn new(room: usize) -> Self {
        Self(Arc::new(State {
            cells: Mutex::default(),
            room,
            crowded: AtomicBool::new(false),
        }))
    }

    /// Whether somebody had to share since cells were last dropped.
    pub(super) fn crowded(&self) -> bool {
        self.0.crowded.load(Ordering::Relaxed)
    }

    /// A panic elsewhere leaves numbers that are each whole.
    fn lock(&self) -> MutexGuard<'_, Cells> {
        self.0.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for Bounded {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let cells = &mut *self.lock();
        if let Some(cell) = cells.known.get_mut(key) {
            let (value, next) = decide(Some(*cell))?;
            *cell = next;
            return Ok(value);
        }
        if cells.known.len() < self.0.room {
            let (value, next) = decide(None)?;
            cells.known.insert(*key, next);
            return Ok(value);
        }
        self.0.crowded.store(true, Ordering::Relaxed);
        let (value, next) = decide(cells.crowd)?;
        cells.crowd = Some(next);
        Ok(value)
    }
}

impl ShrinkableKeyedStateStore<u64> for Bounded {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.crowded.store(false, Ordering::Relaxed);
        self.lock().known.retain(|_, cell| *cell > drop_below);
    }

    fn len(&self) -> usize {
        self.lock().known.len()
    }

    fn is_empty(&self) -> bool {
        self.lock().known.is_empty()
    }
}
