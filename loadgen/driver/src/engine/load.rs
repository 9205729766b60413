use std::rc::Rc;
use std::time::Duration;

use loadgen_measure::{NotStarted, Outcome};
use loadgen_timer::Pacer;
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio::time::{sleep, sleep_until};

use super::core::Core;
use super::part::Part;
use super::run::Stop;
use crate::plan::{Load, Pace, Plan};
use crate::schedule::Schedule;
use crate::transport::Transport;

/// Pause of a user of a closed load whose workflow got no connection. A refused connection costs
/// microseconds: without a pause the failures of one dead replica would crowd out all other work
/// and pass for a rate.
const AFTER_NO_CONNECTION: Duration = Duration::from_millis(100);

/// Starts this thread's workflows and waits for them: as long as the drain allows, and no longer
/// than the user does. Gives the time at which the load ended.
pub(super) async fn offer<T: Transport + 'static>(
    core: &Rc<Core<T>>,
    part: Part,
    pacer: &Pacer,
    mut stop: watch::Receiver<Stop>,
) -> Duration {
    let bell = Rc::clone(core);
    let ringing = spawn_local(async move { bell.alarms.ring().await });
    match &core.plan().load {
        Load::Open {
            schedule,
            max_in_flight,
            pace,
            ..
        } => {
            let limit = u64::from(part.share(*max_in_flight, core.plan()));
            open(core, part, (pacer, *pace), schedule, limit, &mut stop).await;
        }
        Load::Closed { concurrency } => closed(core, part, *concurrency, &mut stop).await,
    }
    let ended = core.now().min(core.plan().duration);
    core.with_recorder(|r| r.load_ended(ended));
    let outcome = drain(core, &mut stop).await;
    core.cut(outcome);
    ringing.abort();
    if let Some(awake) = pacer.awake() {
        core.with_recorder(|r| r.awake(awake));
    }
    ended
}

async fn open<T: Transport + 'static>(
    core: &Rc<Core<T>>,
    part: Part,
    (pacer, pace): (&Pacer, Pace),
    schedule: &Schedule,
    limit: u64,
    stop: &mut watch::Receiver<Stop>,
) {
    let last = latest(core.plan());
    let end = schedule.count();
    let mut id = part.next(core.plan(), 0, end);
    let mut arrivals = schedule.arrivals(core.plan().seed);
    while id < end {
        let due = arrivals.due(id);
        tokio::select! {
            biased;
            () = stopped(stop) => {
                return give_up(core, part, schedule, id, NotStarted::Interrupted).await;
            }
            () = pacer.until(core.epoch() + due) => {}
        }
        let now = core.now();
        if now > last {
            return give_up(core, part, schedule, id, NotStarted::RunEnded).await;
        }
        let late = now.saturating_sub(due);
        if pace.skip_after.is_some_and(|most| late > most) {
            core.with_recorder(|r| r.not_started(NotStarted::Late, due));
        } else if core.in_flight() >= limit {
            core.with_recorder(|r| r.not_started(NotStarted::NoFreeWorker, due));
        } else {
            // As it is: a future around it would hold it twice.
            spawn_local(Rc::clone(core).workflow(id, due));
        }
        id = part.next(core.plan(), id + 1, end);
        // Workflows that were just started send before the next one is looked at, also when the
        // generator is behind and never waits.
        tokio::task::yield_now().await;
    }
    // The load lasts as long as the scenario says, also after its last arrival.
    tokio::select! {
        biased;
        () = stopped(stop) => {}
        () = sleep_until(core.epoch() + core.plan().duration) => {}
    }
}

/// How late a workflow may still be started: a generator that is further behind gives up.
fn latest(plan: &Plan) -> Duration {
    plan.duration + plan.drain
}

/// Counts what is left of this thread's arrivals, from `from` on, under their phases.
async fn give_up<T: Transport>(
    core: &Rc<Core<T>>,
    part: Part,
    schedule: &Schedule,
    from: u64,
    cause: NotStarted,
) {
    let plan = core.plan();
    let mut from = from;
    for (index, phase) in plan.phases.iter().enumerate() {
        let end = if index + 1 == plan.phases.len() {
            schedule.count()
        } else {
            schedule.first_from(plan.seed, phase.to)
        };
        let left = part.count(plan, from, end).await;
        core.with_recorder(|r| r.given_up(cause, index, left));
        from = from.max(end);
    }
}

async fn closed<T: Transport + 'static>(
    core: &Rc<Core<T>>,
    part: Part,
    concurrency: u32,
    stop: &mut watch::Receiver<Stop>,
) {
    let users = (0..concurrency).filter(|user| part.has(core.plan(), u64::from(*user)));
    for user in users {
        let (core, stop) = (Rc::clone(core), stop.clone());
        spawn_local(async move {
            let mut id = u64::from(user);
            loop {
                let now = core.now();
                if now >= core.plan().duration || !goes_on(&stop) {
                    break;
                }
                let outcome = Rc::clone(&core).workflow(id, now).await;
                if matches!(outcome, Outcome::ConnectError | Outcome::GeneratorFault) {
                    sleep(AFTER_NO_CONNECTION).await;
                }
                id += u64::from(concurrency);
            }
        });
    }
    tokio::select! {
        biased;
        () = stopped(stop) => {}
        () = sleep_until(core.epoch() + core.plan().duration) => {}
    }
}

/// Waits until nothing is in flight, at most for the drain time. What is left after it ends with
/// the given outcome.
async fn drain<T: Transport>(core: &Rc<Core<T>>, stop: &mut watch::Receiver<Stop>) -> Outcome {
    let end = core.epoch() + core.now() + core.plan().drain;
    while core.in_flight() > 0 {
        tokio::select! {
            biased;
            () = hurried(stop) => return Outcome::Abandoned,
            () = core.landed.notified() => {}
            () = sleep_until(end) => return Outcome::Unfinished,
        }
    }
    Outcome::Unfinished
}

/// Whether workflows may still be started. A closed channel means that nobody holds the run any
/// more: it ends, here and below.
fn goes_on(stop: &watch::Receiver<Stop>) -> bool {
    *stop.borrow() == Stop::No && stop.has_changed().is_ok()
}

/// Ready once the run is to stop starting workflows.
async fn stopped(stop: &mut watch::Receiver<Stop>) {
    let _ = stop.wait_for(|stop| *stop != Stop::No).await;
}

/// Ready once the run is to end without waiting.
async fn hurried(stop: &mut watch::Receiver<Stop>) {
    let _ = stop.wait_for(|stop| *stop == Stop::Now).await;
}
