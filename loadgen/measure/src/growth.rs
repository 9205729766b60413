use std::time::Duration;

use crate::stats::line;

/// Fewest looks that a line is laid through.
const LOOKS_MIN: usize = 5;
/// Fewest requests between the first and the last of them.
const REQUESTS_MIN: u64 = 500;
/// Most looks that are kept: beyond that every second one is forgotten.
const LOOKS_MAX: usize = 2048;

/// Looks at the memory of one process while it answers requests.
#[derive(Debug, Clone, Default)]
pub struct MemoryLooks {
    looks: Vec<Look>,
}

#[derive(Debug, Clone, Copy)]
struct Look {
    at: Duration,
    requests: u64,
    rss_bytes: u64,
}

/// How memory rises with requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Bytes for each request.
    pub bytes_per_request: f64,
    /// Its standard error, in the same unit.
    pub standard_error: f64,
}

impl MemoryLooks {
    /// At this time of the load the process had answered so many requests and held so many bytes.
    pub fn look(&mut self, at: Duration, requests: u64, rss_bytes: u64) {
        if self.looks.len() == LOOKS_MAX {
            let mut index = 0;
            self.looks.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
        self.looks.push(Look {
            at,
            requests,
            rss_bytes,
        });
    }

    /// A straight line through the looks of the second half of their time, so that what a process
    /// takes once, to be warm, does not count: least squares, with the standard error of the slope
    /// (`stats/line.rs`), x requests and y bytes.
    ///
    /// `None` with fewer than 5 looks or fewer than 500 requests between them.
    pub fn slope(&self) -> Option<Slope> {
        let half = self.looks.last()?.at / 2;
        let late = &self.looks[self.looks.partition_point(|look| look.at < half)..];
        let (first, last) = (late.first()?, late.last()?);
        if late.len() < LOOKS_MIN || last.requests - first.requests < REQUESTS_MIN {
            return None;
        }
        // From the first look on, so that squares of large numbers take no digits away.
        let points = late.iter().map(|look| {
            let x = (look.requests - first.requests) as f64;
            (x, look.rss_bytes as f64 - first.rss_bytes as f64)
        });
        let line = line(&points.collect::<Vec<_>>())?;
        Some(Slope {
            bytes_per_request: line.slope,
            standard_error: line.standard_error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(rss_bytes: impl Fn(u64) -> u64) -> MemoryLooks {
        let mut looks = MemoryLooks::default();
        for n in 0..40 {
            looks.look(Duration::from_millis(250 * n), 100 * n, rss_bytes(n));
        }
        looks
    }

    #[test]
    fn the_line_is_that_of_the_second_half() {
        // 4 MiB to be warm, then 38 KiB a request.
        let leak = looks(|n| {
            if n < 10 {
                1 << 22
            } else {
                (2 << 22) + 38_912 * 100 * n
            }
        });
        let slope = leak.slope().unwrap();
        assert!(
            (slope.bytes_per_request - 38_912.0).abs() < 1e-6,
            "{slope:?}"
        );
        assert!(slope.standard_error < 1.0, "{slope:?}");
        let warm = looks(|n| if n < 10 { 1 << 22 } else { 2 << 22 });
        assert_eq!(warm.slope().unwrap().bytes_per_request, 0.0);
        // Up and down by a page: x = 0, 100, .. 1900, y = 0 and 4096 by turns.
        let noisy = looks(|n| 4096 * (n % 2)).slope().unwrap();
        assert!(
            noisy.bytes_per_request.abs() < 2.0 * noisy.standard_error,
            "{noisy:?}"
        );
    }

    #[test]
    fn too_little_gives_no_line() {
        assert_eq!(MemoryLooks::default().slope(), None);
        let mut few = MemoryLooks::default();
        for n in 0..40 {
            few.look(Duration::from_millis(250 * n), n, n << 20);
        }
        assert_eq!(few.slope(), None);
    }

    #[test]
    fn a_long_run_is_thinned_out() {
        let mut looks = MemoryLooks::default();
        for n in 0..100_000 {
            looks.look(Duration::from_millis(250 * n), 10 * n, 7 * 10 * n);
        }
        assert!(looks.looks.len() <= LOOKS_MAX);
        let slope = looks.slope().unwrap();
        assert!((slope.bytes_per_request - 7.0).abs() < 1e-9, "{slope:?}");
    }
}
