use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most that is leaked in all, in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Memory that is kept for nothing until all faults end.
#[derive(Default)]
pub(super) struct Leaked(Mutex<Pieces>);

#[derive(Default)]
struct Pieces {
    pieces: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Leaked {
    /// Keeps so many bytes more, unless that were too many in all.
    pub(super) fn leak(&self, bytes: usize) -> bool {
        let mut kept = self.lock();
        let fits = kept.bytes + bytes <= MAX_BYTES;
        if fits {
            kept.bytes += bytes;
            // Written to, or the system would not give the memory out.
            kept.pieces.push(vec![0xA5; bytes].into());
        }
        fits
    }

    pub(super) fn give_back(&self) {
        *self.lock() = Pieces::default();
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Leaked {
    /// Bytes that are kept.
    pub(super) fn held(&self) -> usize {
        self.lock().pieces.iter().map(|piece| piece.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_up_to_the_limit_until_it_is_given_back() {
        let leaked = Leaked::default();
        assert!(leaked.leak(1000) && leaked.leak(1000));
        assert!(!leaked.leak(MAX_BYTES), "beyond the limit");
        assert_eq!(leaked.held(), 2000);
        assert_eq!(leaked.lock().bytes, 2000);
        leaked.give_back();
        assert_eq!(leaked.held(), 0);
    }
}
