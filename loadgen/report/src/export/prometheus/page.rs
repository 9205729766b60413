use std::fmt;

use loadgen_measure::{HistogramError, LatencyFigures};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// Upper edges of buckets, in nanoseconds: 1, 2.5 and 5 of each decade from 100 us to 10 s, and a
/// minute.
const EDGES_NS: [u64; 17] = [
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    60_000_000_000,
];

/// Names and values of labels.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Families of metrics, in order. One without a sample is left out.
#[derive(Debug, Default)]
pub(super) struct Page(Vec<Family>);

#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    samples: Vec<(Labels, Value)>,
}

#[derive(Debug)]
enum Value {
    Gauge(f64),
    Counter(u64),
    Histogram(Histogram),
}

/// Times in buckets.
#[derive(Debug)]
pub(super) struct Histogram {
    sum_s: f64,
    count: u64,
    /// Upper edge in seconds, and the count between the edge before it and itself.
    buckets: Vec<(f64, u64)>,
}

impl Page {
    /// Values; those that are not finite are left out.
    pub(super) fn gauges(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = (Labels, f64)>,
    ) {
        let finite = samples.into_iter().filter(|(_, value)| value.is_finite());
        let samples = finite.map(|(labels, value)| (labels, Value::Gauge(value)));
        self.add(name, help, MetricType::Gauge, samples.collect());
    }

    /// Counts; `_total` is added to the name.
    pub(super) fn counters(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = (Labels, u64)>,
    ) {
        let samples = samples.into_iter();
        let samples = samples.map(|(labels, count)| (labels, Value::Counter(count)));
        self.add(name, help, MetricType::Counter, samples.collect());
    }

    pub(super) fn histograms(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = (Labels, Histogram)>,
    ) {
        let samples = samples.into_iter();
        let samples = samples.map(|(labels, times)| (labels, Value::Histogram(times)));
        self.add(name, help, MetricType::Histogram, samples.collect());
    }

    fn add(
        &mut self,
        name: &'static str,
        help: &'static str,
        kind: MetricType,
        samples: Vec<(Labels, Value)>,
    ) {
        if !samples.is_empty() {
            self.0.push(Family {
                name,
                help,
                kind,
                samples,
            });
        }
    }
}

impl Histogram {
    /// Of a stored distribution. A time is counted below an edge if its histogram bucket ends there at
    /// the latest, so counts are exact to 3 digits of the edge.
    pub(super) fn of(figures: &LatencyFigures) -> Result<Self, HistogramError> {
        let latency = figures.latency()?;
        let mut buckets: Vec<(f64, u64)> =
            EDGES_NS.iter().map(|ns| (*ns as f64 / 1e9, 0)).collect();
        for (ns, count) in latency.buckets() {
            let bucket = EDGES_NS.partition_point(|edge| *edge < ns);
            if let Some((_, sum)) = buckets.get_mut(bucket) {
                *sum += count;
            }
        }
        Ok(Self {
            sum_s: figures.sum_ns as f64 / 1e9,
            count: figures.count,
            buckets,
        })
    }
}

impl Collector for Page {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in &self.0 {
            let mut to = encoder.encode_descriptor(family.name, family.help, None, family.kind)?;
            for (labels, value) in &family.samples {
                let mut to = to.encode_family(labels)?;
                match value {
                    Value::Gauge(value) => ConstGauge::new(*value).encode(to)?,
                    Value::Counter(count) => ConstCounter::new(*count).encode(to)?,
                    Value::Histogram(times) => to.encode_histogram::<NoLabelSet>(
                        times.sum_s,
                        times.count,
                        &times.buckets,
                        None,
                    )?,
                }
            }
        }
        Ok(())
    }
}
