use std::io::{Cursor, Read as _};

use flate2::bufread::ZlibDecoder;

use crate::tally::Exact;
use crate::{HistogramError, Latency, PackedLatency};

const PLAIN: u32 = 0x1c84_9313;
const COMPRESSED: u32 = 0x1c84_9314;
const DIGITS: u8 = 3;
/// Half of the values that the first bucket tells apart: at 3 digits the power of 2 from 10^3 on.
const HALF_BITS: u32 = 10;
/// More than the longest histogram takes, so that no damaged one fills the memory.
const PLAIN_BYTES_MAX: u64 = 1 << 20;
/// No value has more than 64 bits.
const INDEX_END: u64 = (64 - HALF_BITS as u64) << HALF_BITS;

/// The places of a distribution of times that hold something. It is what the V2 bytes of a
/// [`Latency`] say, without the histogram, which takes a hundred kilobytes to clear and to walk
/// where a second has hold of a few hundred places.
///
/// Places are those of HdrHistogram's array of counts with a lowest value of 1 and 3 digits: with
/// h = 2^10, places 0 to 2h - 1 are those values, and the h places from (s + 1) h on are 2^s wide
/// (Gil Tene, HdrHistogram, `AbstractHistogram.java`: `valueFromIndex`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Buckets {
    /// Place and count, rising.
    held: Vec<(u32, u64)>,
    count: u64,
    min: u64,
    max: u64,
    sum: u64,
}

impl Buckets {
    /// Of no time at all.
    pub(crate) fn none() -> Self {
        Self {
            held: Vec::new(),
            count: 0,
            min: u64::MAX,
            max: 0,
            sum: 0,
        }
    }

    /// Of times that were just recorded: minimum, maximum and sum are exact.
    pub(crate) fn of(latency: &Latency) -> Self {
        Self {
            held: latency.buckets().map(|(ns, n)| (place(ns), n)).collect(),
            count: latency.count(),
            min: latency.min_ns().unwrap_or(u64::MAX),
            max: latency.max_ns().unwrap_or(0),
            sum: latency.sum_ns(),
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Longest time of each bucket in nanoseconds with its count, rising.
    pub(crate) fn values(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.held.iter().map(|&(place, n)| (longest(place), n))
    }

    /// How many times are in buckets above that of `ns`, those in it counted half.
    pub(crate) fn above(&self, ns: u64) -> f64 {
        let at = place(ns);
        let from = self.held.partition_point(|(place, _)| *place < at);
        let tail = self.held[from..].iter();
        tail.map(|&(place, n)| if place == at { 0.5 } else { 1.0 } * n as f64)
            .sum()
    }

    /// Adds the other ones.
    pub(crate) fn add(&mut self, other: &Self) {
        self.held.extend_from_slice(&other.held);
        self.held.sort_by_key(|(place, _)| *place);
        self.held.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 += if same { later.1 } else { 0 };
            same
        });
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
    }

    fn clear(&mut self) {
        self.held.clear();
        (self.count, self.min, self.max, self.sum) = (0, u64::MAX, 0, 0);
    }

    fn hold(&mut self, place: u32, n: u64) {
        let (shortest, longest) = (shortest(place), longest(place));
        self.held.push((place, n));
        self.count += n;
        self.min = self.min.min(shortest);
        self.max = longest;
        // The middle of the bucket, as a histogram that is read back has it.
        let middle = shortest + (longest - shortest).div_ceil(2);
        self.sum = self.sum.saturating_add(middle.saturating_mul(n));
    }

    /// Reads V2 bytes that are not compressed.
    fn parse(&mut self, bytes: &[u8]) -> Result<(), HistogramError> {
        self.clear();
        let mut rest = bytes;
        let header = (|| {
            let (cookie, length) = (word(&mut rest)?, word(&mut rest)?);
            let (offset, digits) = (word(&mut rest)?, word(&mut rest)?);
            let (lowest, _highest) = (long(&mut rest)?, long(&mut rest)?);
            let ratio = f64::from_bits(long(&mut rest)?);
            let plain = cookie == PLAIN && offset == 0 && lowest == 1 && ratio == 1.0;
            plain.then_some((length, digits))
        })();
        let Some((length, digits)) = header else {
            return Err(damaged("its header is not that of times in nanoseconds"));
        };
        if digits != u32::from(DIGITS) {
            return Err(HistogramError::Digits {
                found: u8::try_from(digits).unwrap_or(u8::MAX),
                expected: DIGITS,
            });
        }
        let Some(mut counts) = rest.get(..length as usize) else {
            return Err(damaged("it ends too early"));
        };
        let mut at = 0_u64;
        while !counts.is_empty() {
            let number = number(&mut counts).ok_or_else(|| damaged("it ends in a count"))?;
            // Below zero: so many places hold nothing.
            let (steps, n) = match u64::try_from(number) {
                Ok(n) => (1, n),
                Err(_) => (number.unsigned_abs(), 0),
            };
            if n > 0 {
                let place = Some(at).filter(|at| *at < INDEX_END);
                let place = place.and_then(|at| u32::try_from(at).ok());
                self.hold(place.ok_or_else(|| damaged("it has too many counts"))?, n);
            }
            at = at.saturating_add(steps);
        }
        Ok(())
    }
}

/// Reads [`Buckets`] of many histograms, always into the same memory.
#[derive(Debug)]
pub(crate) struct Reader {
    inflate: ZlibDecoder<Cursor<Vec<u8>>>,
    plain: Vec<u8>,
    buckets: Buckets,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            inflate: ZlibDecoder::new(Cursor::default()),
            plain: Vec::new(),
            buckets: Buckets::none(),
        }
    }

    /// What these V2 bytes hold, which are not compressed.
    pub(crate) fn plain(&mut self, bytes: &[u8]) -> Result<&Buckets, HistogramError> {
        self.buckets.parse(bytes)?;
        Ok(&self.buckets)
    }

    /// What these hold, which are compressed and perhaps in a file.
    pub(crate) fn packed(&mut self, packed: &PackedLatency) -> Result<&Buckets, HistogramError> {
        let mut bytes = std::mem::take(self.inflate.get_mut().get_mut());
        packed.read_into(&mut bytes)?;
        let mut header = &bytes[..];
        let compressed = word(&mut header) == Some(COMPRESSED);
        let length = word(&mut header).map_or(0, u64::from);
        let mut bytes = Cursor::new(bytes);
        bytes.set_position(8);
        self.inflate.reset(bytes);
        self.plain.clear();
        if !compressed || length == 0 {
            return Err(damaged("it is not compressed V2"));
        }
        let read = (&mut self.inflate)
            .take(PLAIN_BYTES_MAX)
            .read_to_end(&mut self.plain);
        read.map_err(|error| damaged(&error.to_string()))?;
        self.buckets.parse(&self.plain)?;
        Ok(&self.buckets)
    }
}

/// Many [`Buckets`] added up.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// By place.
    counts: Vec<u64>,
    exact: Exact,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            exact: Exact {
                count: 0,
                min: u64::MAX,
                max: 0,
                sum: 0,
                clipped: 0,
            },
        }
    }
}

impl Pool {
    pub(crate) fn add(&mut self, buckets: &Buckets) {
        let Some((last, _)) = buckets.held.last() else {
            return;
        };
        if self.counts.len() <= *last as usize {
            self.counts.resize(*last as usize + 1, 0);
        }
        for (place, n) in &buckets.held {
            self.counts[*place as usize] += n;
        }
        let exact = &mut self.exact;
        exact.count += buckets.count;
        exact.min = exact.min.min(buckets.min);
        exact.max = exact.max.max(buckets.max);
        exact.sum = exact.sum.saturating_add(buckets.sum);
    }

    /// Longest time of each bucket in nanoseconds with its count, rising.
    pub(crate) fn values(&self) -> Vec<(u64, u64)> {
        self.held().collect()
    }

    /// The same as a distribution.
    pub(crate) fn latency(&self) -> Latency {
        Latency::of_values(self.held(), self.exact)
    }

    fn held(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        let all = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        // A place that was given came from 32 bits.
        all.map(|(place, n)| (longest(place as u32), *n))
    }
}

fn damaged(how: &str) -> HistogramError {
    HistogramError::Format(how.to_owned())
}

fn word(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_be_bytes(*first))
}

fn long(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_be_bytes(*first))
}

/// A signed number in zigzag, seven bits a byte from the lowest on; a ninth byte has eight.
fn number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0;
    for nth in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let last = nth == 8 || *byte < 0x80;
        let bits = if nth == 8 { *byte } else { *byte & 0x7f };
        number |= u64::from(bits) << (7 * nth);
        if last {
            break;
        }
    }
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// Place of a time in nanoseconds.
fn place(ns: u64) -> u32 {
    let bits = u64::BITS - (ns | 1).leading_zeros();
    let width = bits.saturating_sub(HALF_BITS + 1);
    // At most 11 bits are left.
    (width << HALF_BITS) + (ns >> width) as u32
}

/// Shortest time of a place, in nanoseconds.
fn shortest(place: u32) -> u64 {
    let width = (place >> HALF_BITS).saturating_sub(1);
    u64::from(place - (width << HALF_BITS)) << width
}

/// Longest time of a place, in nanoseconds.
fn longest(place: u32) -> u64 {
    let width = (place >> HALF_BITS).saturating_sub(1);
    shortest(place) | ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hdrhistogram::serialization::V2Serializer;
    use proptest::prelude::*;

    use super::*;

    fn latency(times: &[u64]) -> Latency {
        let mut latency = Latency::new();
        for ns in times {
            latency.record(Duration::from_nanos(*ns));
        }
        latency
    }

    fn told(latency: &Latency) -> impl PartialEq + std::fmt::Debug + use<> {
        let buckets: Vec<_> = latency.buckets().collect();
        let exact = (latency.min_ns(), latency.max_ns(), latency.sum_ns());
        (buckets, latency.count(), exact)
    }

    proptest! {
        #[test]
        fn bytes_are_read_as_the_histogram_reads_them(
            times in proptest::collection::vec((0_u32..42, any::<u64>()), 0..300)
        ) {
            let times: Vec<u64> = times.iter().map(|(bits, ns)| ns >> (63 - bits)).collect();
            let latency = latency(&times);
            let packed = PackedLatency::of(&latency);
            let read = packed.latency().unwrap();
            let mut reader = Reader::new();
            for _ in 0..2 {
                let mut pool = Pool::default();
                pool.add(reader.packed(&packed).unwrap());
                prop_assert_eq!(told(&pool.latency()), told(&read));
                let plain = latency.to_plain_bytes(&mut V2Serializer::new());
                prop_assert_eq!(reader.plain(&plain).unwrap(), &reader_of(&packed));
            }
            let mut pool = Pool::default();
            pool.add(&Buckets::of(&latency));
            prop_assert_eq!(told(&pool.latency()), told(&latency));
        }

        #[test]
        fn sums_are_those_of_histograms(
            times in proptest::collection::vec(proptest::collection::vec(0_u64..90_000, 1..90), 1..5)
        ) {
            let (mut all, mut pool) = (Latency::new(), Pool::default());
            let mut sum = Buckets::none();
            for times in &times {
                let some = latency(times);
                all.merge(&some);
                pool.add(&Buckets::of(&some));
                sum.add(&Buckets::of(&some));
            }
            prop_assert_eq!(told(&pool.latency()), told(&all));
            prop_assert_eq!(sum, Buckets::of(&all));
        }

        #[test]
        fn bytes_that_were_changed_or_cut_never_panic(place in 0_usize..64, byte in any::<u8>()) {
            let times = latency(&[7, 70_000, 700_000_000]);
            let mut bytes = times.to_plain_bytes(&mut V2Serializer::new());
            let mut reader = Reader::new();
            for length in 0..bytes.len() {
                prop_assert!(reader.plain(&bytes[..length]).is_err());
            }
            let length = bytes.len();
            bytes[place % length] = byte;
            let _ = reader.plain(&bytes);
        }
    }

    fn reader_of(packed: &PackedLatency) -> Buckets {
        Reader::new().packed(packed).unwrap().clone()
    }

    #[test]
    fn what_is_above_a_value_counts_its_own_bucket_half() {
        let buckets = Buckets::of(&latency(&[5, 5, 3000, 3001, 90_000]));
        assert_eq!(buckets.above(3000), 2.0);
        assert_eq!(buckets.above(5), 4.0);
        assert_eq!(buckets.above(6), 3.0);
        assert_eq!(buckets.above(1_000_000), 0.0);
    }

    #[test]
    fn garbage_is_refused() {
        let mut reader = Reader::new();
        let good = PackedLatency::of(&latency(&[1]));
        for bad in [
            &b""[..],
            b"nonsense",
            &[0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 4, 1, 2, 3, 4],
        ] {
            assert!(reader.packed(&PackedLatency::from_bytes(bad)).is_err());
            assert_eq!(reader.packed(&good).unwrap().count(), 1);
        }
    }
}
