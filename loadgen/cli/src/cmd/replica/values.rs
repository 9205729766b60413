use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, ParseIntError};

use loadgen_seal::{Algorithm, Backend};

use crate::cmd::scenario::usable;

/// Bounds of a body limit, in bytes.
const BODY_MIN: usize = 1 << 10;
const BODY_MAX: usize = 64 << 20;

/// A count of something of which there is at least one.
pub(crate) fn from_one(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("a whole number from 1 to {} is needed", u32::MAX))
}

/// The number of a replica in its fleet.
pub(crate) fn instance(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("a whole number from 0 to {} is needed", u32::MAX))
}

/// The size of a request body: enough for the smallest requests, and no more than a generator takes of
/// a reply.
pub(crate) fn body_limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if (BODY_MIN..=BODY_MAX).contains(&bytes) => Ok(bytes),
        _ => Err(format!(
            "a whole number from {BODY_MIN} to {BODY_MAX} is needed"
        )),
    }
}

/// An algorithm that a replica takes.
pub(crate) fn algorithm(text: &str) -> Result<Algorithm, String> {
    // One that exists and is not taken is told apart later, with the reason.
    text.parse().map_err(|_| {
        format!(
            "there is no such algorithm; a replica takes {}",
            names(taken())
        )
    })
}

/// A backend that has such an algorithm.
pub(crate) fn backend(text: &str) -> Result<Backend, String> {
    let useful = |backend: &Backend| {
        taken().any(|algorithm| Backend::available_for(algorithm).contains(backend))
    };
    text.parse().map_err(|_| {
        let all = Backend::ALL.iter().copied().filter(useful);
        format!("there is no such backend; a replica takes {}", names(all))
    })
}

fn taken() -> impl Iterator<Item = Algorithm> {
    let all = Algorithm::ALL.iter().copied();
    all.filter(|&algorithm| usable(algorithm).is_ok())
}

fn names<T: fmt::Display>(all: impl Iterator<Item = T>) -> String {
    let names: Vec<String> = all.map(|one| one.to_string()).collect();
    names.join(", ")
}

/// An address, or a port of this machine.
pub(crate) fn loopback_unless_said(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .or_else(|_| Ok((Ipv4Addr::LOCALHOST, text.parse()?).into()))
        .map_err(|_: ParseIntError| "give ADDRESS:PORT or a port".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_from_one_is_neither_zero_nor_cut() {
        assert_eq!(from_one("1").map(NonZeroU32::get), Ok(1));
        for bad in ["0", "-1", "4294967296", "1.5", "two", ""] {
            assert_eq!(
                from_one(bad),
                Err("a whole number from 1 to 4294967295 is needed".to_owned()),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_body_limit_leaves_room_for_a_request() {
        assert_eq!(body_limit("1024"), Ok(1024));
        assert_eq!(body_limit("67108864"), Ok(64 << 20));
        for bad in ["1023", "67108865", "0", "-1", "1k", ""] {
            assert!(body_limit(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn instances_count_from_zero() {
        assert_eq!(instance("0"), Ok(0));
        for bad in ["-1", "4294967296", "x", ""] {
            assert!(instance(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_offered_for_a_wrong_name_is_taken() {
        let told = algorithm("foo").unwrap_err();
        let (_, offered) = told.split_once(" takes ").unwrap();
        for name in offered.split(", ") {
            assert!(usable(name.parse().unwrap()).is_ok(), "{name}");
        }
        assert!(offered.contains("xaes-256-gcm") && !offered.contains("none"));
        let told = backend("foo").unwrap_err();
        let (_, offered) = told.split_once(" takes ").unwrap();
        for name in offered.split(", ") {
            let backend: Backend = name.parse().unwrap();
            assert!(
                taken().any(|a| Backend::available_for(a).contains(&backend)),
                "{name}"
            );
        }
        assert!(offered.contains("aws-lc-rs") && !offered.contains("plain"));
        assert_eq!(backend("ring"), Ok(Backend::Ring));
    }

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        let address = |text| loopback_unless_said(text).map(|a| a.to_string());
        assert_eq!(address("0").as_deref(), Ok("127.0.0.1:0"));
        assert_eq!(address("9464").as_deref(), Ok("127.0.0.1:9464"));
        assert_eq!(address("[::1]:9464").as_deref(), Ok("[::1]:9464"));
        assert_eq!(address("0.0.0.0:1").as_deref(), Ok("0.0.0.0:1"));
        for bad in ["", "x", "65536", "localhost:1", "127.0.0.1"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
