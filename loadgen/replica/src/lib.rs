//! The stateless reference server that loadgen measures against.
