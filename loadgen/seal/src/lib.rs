//! Sealed requestState tokens: claims in, opaque string out.
