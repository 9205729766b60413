//! Clients that mean harm: each gets the right answer or is cut off, and others are served.

mod framing;
mod http2;
mod large;
mod slow;
