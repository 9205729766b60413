use std::cell::{Cell, RefCell};
use std::mem::size_of_val;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use loadgen_measure::Shape;
use loadgen_timer::{Alarms, Timer};
use tokio::time::Instant;

use super::double::{Answer, Double};
use super::{Core, Play, Shared};
use crate::engine::flight::Flight;
use crate::engine::round::Due;
use crate::schedule::workflow_rng;
use crate::target::Target;
use crate::transport::Http;
use crate::workflow::Workflow;

#[tokio::test(start_paused = true)]
async fn a_workflow_that_waits_is_small() {
    let shape = Shape {
        kinds: vec!["t".to_owned()],
        replicas: vec!["r0".to_owned()],
    };
    let double = Double {
        script: |_: &_| Answer::complete(1),
        asked: Rc::new(RefCell::new(Vec::new())),
    };
    let core = Rc::new(Core::new(
        Arc::new(Play::new("rate_per_s = 1\nduration_s = 1").plan()),
        &shape,
        double,
        Instant::now(),
        Arc::new(Shared::of(shape.replicas.len())),
        Alarms::new(Timer::coarse()),
    ));
    // 10 000 of them think at one time, and each may cost 1 KiB with what it keeps on the heap: its
    // task, the state, the answers and its entry among those in flight. A round, which is much
    // larger, lives on the heap while it lasts.
    let waiting = core.workflow(0, Duration::ZERO);
    assert!(size_of_val(&waiting) <= 280, "{}", size_of_val(&waiting));
    assert!(size_of::<Flight>() <= 96, "{}", size_of::<Flight>());
}

#[tokio::test]
async fn a_round_is_no_large_block() {
    let shape = Shape {
        kinds: vec!["t".to_owned()],
        replicas: vec!["r0".to_owned()],
    };
    let plan = Arc::new(Play::new("rate_per_s = 1\nduration_s = 1").plan());
    let target = Target::resolve("http://127.0.0.1:9/").await.unwrap();
    let http = Http::new(&plan.http, &[target], None, 1, Instant::now());
    let core = Rc::new(Core::new(
        Arc::clone(&plan),
        &shape,
        http,
        Instant::now(),
        Arc::new(Shared::of(1)),
        Alarms::new(Timer::coarse()),
    ));
    let flight = Flight {
        place: 0,
        kind: 0,
        principal: 0,
        intended: Duration::ZERO,
        started: Duration::ZERO,
        think: Cell::default(),
        rounds: Cell::default(),
        first: Cell::default(),
        held: Cell::default(),
        sending: Cell::default(),
    };
    let mut workflow = Workflow::new(0, workflow_rng(1, 0), &plan, &plan.kinds[0]);
    let due = Due {
        id: 0,
        at: Duration::ZERO,
        minted_by: None,
    };
    // It is made, and moved to the heap, for each round: what not every round needs is boxed in it.
    let round = core.round(&flight, &mut workflow, due);
    assert!(size_of_val(&round) <= 1720, "{}", size_of_val(&round));
}
