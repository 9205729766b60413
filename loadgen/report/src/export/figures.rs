use loadgen_measure::{
    KindResult, LatencyFigures, Outcome, OutcomeFigures, RoundResult, RunResult, SizeFigures,
};

/// What a figure is of; what does not apply is `None`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place<'a> {
    pub(super) kind: Option<&'a str>,
    pub(super) phase: Option<&'a str>,
    pub(super) round: Option<u16>,
    pub(super) outcome: Option<Outcome>,
    pub(super) replica: Option<usize>,
}

/// One number of a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure<'a> {
    pub(super) name: &'static str,
    pub(super) statistic: &'static str,
    pub(super) unit: &'static str,
    pub(super) value: f64,
    pub(super) interval_95: Option<(u64, u64)>,
    pub(super) of: Place<'a>,
}

/// Takes figures; those that are not finite are dropped.
pub(super) struct Figures<'a>(Vec<Figure<'a>>);

/// Every figure of the run, of its phases, of its kinds and their rounds, and of its replicas.
pub(super) fn figures(result: &RunResult) -> Vec<Figure<'_>> {
    let mut figures = Figures(Vec::new());
    figures.run(result);
    figures.work(&result.all, Place::default());
    for phase in &result.phases {
        let of = Place {
            phase: Some(&phase.name),
            ..Place::default()
        };
        figures.some("throughput", "", "1/s", phase.throughput_per_s, of);
        figures.work(&phase.work, of);
    }
    for kind in &result.kinds {
        let of = Place {
            kind: Some(&kind.name),
            ..Place::default()
        };
        figures.work(kind, of);
    }
    for (replica, told) in result.replicas.iter().enumerate() {
        let of = Place {
            replica: Some(replica),
            ..Place::default()
        };
        figures.times("round.service", told.service.as_ref(), of);
    }
    figures.0
}

impl<'a> Figures<'a> {
    fn run(&mut self, result: &'a RunResult) {
        let (load, of) = (&result.load, Place::default());
        for (name, count) in [
            ("planned", load.planned),
            ("started", load.started),
            ("rounds", load.rounds),
            ("rounds.sent", load.rounds_sent),
            ("attempts", load.attempts),
            ("attempts.sent", load.attempts_sent),
        ] {
            self.count(name, count, of);
        }
        self.some("measured", "", "s", Some(load.measured_s), of);
        self.some("duration", "", "s", Some(result.clock.duration_s), of);
        self.some("offered", "", "1/s", load.offered_per_s, of);
        self.some("started", "", "1/s", load.started_per_s, of);
        self.some("throughput", "", "1/s", load.throughput_per_s, of);
        self.some("rounds", "", "1/s", load.rounds_per_s, of);
        self.times("lateness", result.generator.lateness.as_ref(), of);
    }

    fn work(&mut self, work: &'a KindResult, of: Place<'a>) {
        self.count("workflow.started", work.started, of);
        self.some("workflow.rounds", "mean", "count", work.mean_rounds, of);
        self.some("workflow.think", "mean", "ns", work.mean_think_ns, of);
        for (outcome, figures) in &work.workflows {
            let of = Place {
                outcome: Some(*outcome),
                ..of
            };
            let names = [
                "workflow",
                "workflow.response",
                "workflow.service",
                "workflow.time_to_error",
                "workflow.age",
            ];
            self.outcome(names, figures, of);
        }
        for round in &work.rounds {
            let of = Place {
                round: Some(round.round),
                ..of
            };
            self.round(round, of);
        }
    }

    fn round(&mut self, round: &'a RoundResult, of: Place<'a>) {
        self.count("round.attempts", round.attempts, of);
        for (outcome, figures) in &round.outcomes {
            let of = Place {
                outcome: Some(*outcome),
                ..of
            };
            let names = [
                "round",
                "round.response",
                "round.service",
                "round.time_to_error",
                "round.age",
            ];
            self.outcome(names, figures, of);
        }
        for (outcome, figures) in &round.superseded {
            let of = Place {
                outcome: Some(*outcome),
                ..of
            };
            self.count("round.superseded", figures.count, of);
        }
        self.sizes("round.request", round.request.as_ref(), of);
        self.sizes("round.response_body", round.response.as_ref(), of);
        self.sizes("round.state_sent", round.state_sent.as_ref(), of);
        self.sizes("round.state_received", round.state_received.as_ref(), of);
        self.times("server.open", round.server.open.as_ref(), of);
        self.times("server.handle", round.server.handle.as_ref(), of);
        self.times("server.seal", round.server.seal.as_ref(), of);
    }

    fn outcome(&mut self, names: [&'static str; 5], figures: &OutcomeFigures, of: Place<'a>) {
        let [count, response, service, time_to_error, age] = names;
        self.count(count, figures.count, of);
        self.times(response, figures.response.as_ref(), of);
        self.times(service, figures.service.as_ref(), of);
        self.times(time_to_error, figures.time_to_error.as_ref(), of);
        self.times(age, figures.age.as_ref(), of);
    }

    fn times(&mut self, name: &'static str, figures: Option<&LatencyFigures>, of: Place<'a>) {
        let Some(figures) = figures else { return };
        let intervals = figures.intervals_95.unwrap_or_default();
        self.count(name, figures.count, of);
        for (statistic, ns, interval_95) in [
            ("min", figures.min_ns as f64, None),
            ("mean", figures.mean_ns, None),
            ("p50", figures.p50_ns as f64, intervals.p50_ns),
            ("p90", figures.p90_ns as f64, intervals.p90_ns),
            ("p99", figures.p99_ns as f64, intervals.p99_ns),
            ("p999", figures.p999_ns as f64, intervals.p999_ns),
            ("max", figures.max_ns as f64, None),
        ] {
            self.push(Figure {
                name,
                statistic,
                unit: "ns",
                value: ns,
                interval_95,
                of,
            });
        }
    }

    fn sizes(&mut self, name: &'static str, figures: Option<&SizeFigures>, of: Place<'a>) {
        let Some(figures) = figures else { return };
        self.count(name, figures.count, of);
        for (statistic, bytes) in [
            ("min", figures.min_bytes as f64),
            ("mean", figures.mean_bytes),
            ("p50", figures.p50_bytes as f64),
            ("p99", figures.p99_bytes as f64),
            ("max", figures.max_bytes as f64),
        ] {
            self.some(name, statistic, "bytes", Some(bytes), of);
        }
    }

    fn count(&mut self, name: &'static str, count: u64, of: Place<'a>) {
        self.some(name, "count", "count", Some(count as f64), of);
    }

    fn some(
        &mut self,
        name: &'static str,
        statistic: &'static str,
        unit: &'static str,
        value: Option<f64>,
        of: Place<'a>,
    ) {
        let Some(value) = value else { return };
        self.push(Figure {
            name,
            statistic,
            unit,
            value,
            interval_95: None,
            of,
        });
    }

    fn push(&mut self, figure: Figure<'a>) {
        if figure.value.is_finite() {
            self.0.push(figure);
        }
    }
}
