//! Random bytes for nonces and keys.
//!
//! They come from `rand`'s thread generator: ChaCha12 seeded from the operating system by each
//! thread and again after every 64 KiB, since a system call per token would cost more than sealing
//! it. It does not reseed on `fork`; this project never forks without exec, so every process and
//! every replica seeds itself.

use std::cell::RefCell;

use rand::Rng;
use zeroize::Zeroize;

/// Bytes drawn at a time for nonces: a batch costs a third of what its nonces cost one by one.
const BATCH: usize = 42 * 12;

/// Random bytes drawn by this thread and not yet used. No other thread has them.
struct Batch {
    bytes: [u8; BATCH],
    left: usize,
}

thread_local! {
    static OWN: RefCell<Batch> = const {
        RefCell::new(Batch {
            bytes: [0; BATCH],
            left: 0,
        })
    };
}

/// Fills `nonce`, of at most [`BATCH`] bytes, with random bytes never given out before.
pub(crate) fn fill(nonce: &mut [u8]) {
    OWN.with_borrow_mut(|batch| batch.take(nonce));
}

/// Fills `secret` with random bytes that are kept nowhere else.
pub(crate) fn fill_secret(secret: &mut [u8]) {
    rand::rng().fill_bytes(secret);
}

impl Batch {
    fn take(&mut self, nonce: &mut [u8]) {
        if self.left < nonce.len() {
            rand::rng().fill_bytes(&mut self.bytes);
            self.left = BATCH;
        }
        let from = self.left - nonce.len();
        let fresh = &mut self.bytes[from..self.left];
        nonce.copy_from_slice(fresh);
        fresh.zeroize();
        self.left = from;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn bytes_given_out_are_wiped_and_never_given_out_again() {
        let mut batch = Batch {
            bytes: [0; BATCH],
            left: 0,
        };
        let mut seen = HashSet::new();
        // Lengths that do not divide the batch leave bytes over.
        for n in 0..10_000 {
            let len = [12, 24, 16][n % 3];
            let mut nonce = vec![0; len];
            batch.take(&mut nonce);
            assert!(batch.bytes[batch.left..].starts_with(&vec![0; len]));
            assert!(nonce.windows(12).all(|w| seen.insert(w.to_vec())));
        }
    }

    #[test]
    fn threads_have_batches_of_their_own() {
        let draw = || {
            (0..200)
                .map(|_| {
                    let mut nonce = [0; 12];
                    fill(&mut nonce);
                    nonce
                })
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(draw)).collect();
        let all: Vec<_> = threads
            .into_iter()
            .flat_map(|t| t.join().unwrap())
            .collect();
        let distinct: HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
