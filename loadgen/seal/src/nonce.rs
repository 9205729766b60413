//! Random bytes for nonces and keys.
//!
//! They come from `rand`'s thread generator: ChaCha12 seeded from the operating system by each
//! thread and again after every 64 KiB, since a system call per token would cost more than sealing
//! it. It does not reseed on `fork`; this project never forks without exec, so every process and
//! every replica seeds itself.

use rand::Rng;

/// Fills `out` with random bytes.
pub(crate) fn fill(out: &mut [u8]) {
    rand::rng().fill_bytes(out);
}
