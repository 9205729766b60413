//! Digesting arguments neither panics nor depends on white space around them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadgen_seal::ArgumentsDigest;

fuzz_target!(|input: &[u8]| {
    if let Ok(digest) = ArgumentsDigest::canonical(input) {
        let spaced = [b" \n", input, b"\t"].concat();
        assert_eq!(ArgumentsDigest::canonical(&spaced), Ok(digest));
    }
});
