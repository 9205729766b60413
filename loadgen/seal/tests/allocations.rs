//! Heap allocations of the hot path. A binary of its own, because the counting allocator is global.

use loadgen_seal::*;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Heap blocks that `work` allocated on any thread.
fn blocks(work: impl FnOnce()) -> u64 {
    let before = dhat::HeapStats::get().total_blocks;
    work();
    dhat::HeapStats::get().total_blocks - before
}

#[test]
fn sealing_into_and_opening_in_a_buffer_allocate_nothing_and_a_string_once() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let now = UnixSeconds(1_800_000_000);
    let binding = Binding::new(&BindingFields {
        audience: "harbour",
        method: "tools/call",
        target: "book_berth",
        arguments: ArgumentsDigest::none(),
        principal: None,
    });
    let claims = Claims {
        deadline: 1_800_001_000,
        round: 0,
    };
    let mut ran = 0;
    for &algorithm in Algorithm::ALL {
        for backend in Backend::available_for(algorithm) {
            let ring = KeyRing::single(Key::generate(KeyId(1), None));
            let config = Config {
                allow_insecure: true,
                ..Config::new(algorithm, backend, ring, Ttl::try_from(300u64).unwrap())
            };
            let minting = Sealer::new(&config).unwrap();
            let opening = Sealer::new(&config).unwrap();
            for bytes in [0, 256, 65_536] {
                let state = vec![7; bytes];
                let mut out = vec![0; minting.token_len(bytes).unwrap()];
                let mut scratch = vec![0; Sealer::scratch_len(out.len())];
                // The first random number of a thread sets its generator up; nothing else may be
                // allocated late, so everything after it counts, a first derived key included.
                if ran == 0 {
                    minting
                        .seal_into(&binding, claims, &state, now, &mut out)
                        .unwrap();
                }
                let what = format!("{algorithm} by {backend}, {bytes} bytes");
                let sealing = blocks(|| {
                    minting
                        .seal_into(&binding, claims, &state, now, &mut out)
                        .unwrap();
                });
                assert_eq!(sealing, 0, "seal_into, {what}");
                for sealer in [&opening, &minting] {
                    let opened = blocks(|| {
                        let opened = sealer.open_in(&binding, &out, now, &mut scratch).unwrap();
                        assert_eq!(opened.state.len(), bytes);
                    });
                    assert_eq!(opened, 0, "open_in, {what}");
                }
                let last = out.len() - 1;
                out[last] = if out[last] == b'A' { b'Q' } else { b'A' };
                let refused = blocks(|| {
                    let forged = opening.open_in(&binding, &out, now, &mut scratch);
                    assert_eq!(forged.is_ok(), algorithm == Algorithm::None);
                    assert!(
                        opening
                            .open_in(&binding, b"short", now, &mut scratch)
                            .is_err()
                    );
                });
                assert_eq!(refused, 0, "refusal, {what}");
                let string = blocks(|| {
                    minting.seal(&binding, claims, &state, now).unwrap();
                });
                assert_eq!(string, 1, "seal, {what}");
                ran += 1;
            }
        }
    }
    assert!(ran >= 6, "no backend was built");
}
