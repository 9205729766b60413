use std::cell::RefCell;
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
