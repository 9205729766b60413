use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use loadgen_timer::Timer;
use serde_json::{Map, Value};
use tokio::sync::{self, Notify};
use tokio::time::Instant;

use crate::faults::command::CommandError;
use crate::faults::connections;
use crate::faults::counts::{Applied, FaultCounts};
use crate::faults::draw::Draw;
use crate::faults::fault::Fault;
use crate::faults::leaked::Leaked;
use crate::faults::request::Misled;
use crate::faults::settings::Settings;
use crate::faults::snapshot::Snapshot;
use crate::server::ConnectionPolicy;

/// The faults of one replica: what is set, changed by commands while requests read it.
///
/// A request pays one load of a flag as long as nothing is wrong.
pub(crate) struct Faults {
    /// Whether anything is wrong.
    active: AtomicBool,
    snapshot: ArcSwap<Snapshot>,
    book: Mutex<Book>,
    /// Wakes those that wait for a freeze or a stall, since it may have ended early.
    changed: Notify,
    /// Whether waits end as punctually as the machine can, which does not follow paused time.
    punctual: AtomicBool,
    /// Held by the first of those that wait. Made in the first wait, since it belongs to a runtime.
    timer: sync::Mutex<Option<Timer>>,
    /// Requests and tool calls that came while something was wrong, for decisions by number.
    requests: AtomicU64,
    calls: AtomicU64,
    pub(super) applied: Applied,
    leaked: Leaked,
}

/// What the commands have set, for the next one to change.
struct Book {
    set: Map<String, Value>,
    current: Snapshot,
    /// Where faults of connections act, once there is a server.
    connections: Option<Arc<ConnectionPolicy>>,
}

impl Book {
    fn settle(&mut self, settings: Settings) {
        let before = std::mem::replace(&mut self.current.settings, settings);
        if let Some(policy) = &self.connections {
            connections::change(policy, &before, &self.current.settings);
        }
    }
}

impl Faults {
    /// Nothing is wrong. `instance` makes replicas decide apart.
    pub(crate) fn none(instance: u32) -> Self {
        let current = Snapshot {
            settings: Settings::default(),
            draw: Draw { seed: 0, instance },
            stall_from: Instant::now(),
            frozen_until: None,
        };
        Self {
            active: AtomicBool::new(false),
            snapshot: ArcSwap::from_pointee(current.clone()),
            book: Mutex::new(Book {
                set: Map::new(),
                current,
                connections: None,
            }),
            changed: Notify::new(),
            punctual: AtomicBool::new(false),
            timer: sync::Mutex::new(None),
            requests: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            applied: Applied::default(),
            leaked: Leaked::default(),
        }
    }

    /// Lets faults of connections act on these from now on. There are sockets then, so time is real.
    pub(crate) fn govern(&self, policy: Arc<ConnectionPolicy>) {
        self.punctual.store(true, Ordering::Relaxed);
        let mut book = self.lock();
        connections::change(&policy, &Settings::default(), &book.current.settings);
        book.connections = Some(policy);
    }

    /// What goes wrong with the request that begins now; `None` when nothing is wrong at all.
    #[inline]
    pub(crate) fn request(self: &Arc<Self>) -> Option<Misled> {
        self.is_active().then(|| {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            Misled::new(Arc::clone(self), self.snapshot.load_full(), number)
        })
    }

    /// Waits until neither a freeze nor a stall holds requests. Ready at once when nothing is wrong.
    pub(crate) async fn wait(&self) {
        let mut counted = None;
        while self.is_active() {
            let changed = self.changed.notified();
            let snapshot = self.snapshot.load_full();
            let now = Instant::now();
            let Some((fault, until)) = snapshot.held(now) else {
                if snapshot.is_spent(now) {
                    self.settle(now);
                }
                return;
            };
            if counted != Some(fault) {
                counted = Some(fault);
                self.applied.count(fault);
            }
            tokio::select! {
                () = self.until(until) => {}
                () = changed => {}
            }
        }
    }

    /// One timer for all: its holder is followed by the others in the order in which they came.
    async fn until(&self, moment: Instant) {
        let mut timer = self.timer.lock().await;
        let punctual = self.punctual.load(Ordering::Relaxed);
        timer
            .get_or_insert_with(|| {
                if punctual {
                    Timer::finest()
                } else {
                    Timer::coarse()
                }
            })
            .until(moment)
            .await;
    }

    /// Adds faults to those that are set; a value of null or false takes one away.
    ///
    /// # Errors
    /// Names the key that is wrong; nothing has changed then.
    pub(crate) fn set(&self, patch: Map<String, Value>, now: Instant) -> Result<(), CommandError> {
        let mut book = self.lock();
        let mut set = book.set.clone();
        let (stalls, seeds) = (patch.contains_key("stall"), patch.contains_key("seed"));
        for (key, value) in patch {
            if value.is_null() || value == false {
                // Unknown keys are refused even where they would be taken away.
                Settings::knows(&key)?;
                set.remove(&key);
            } else {
                set.insert(key, value);
            }
        }
        let settings = Settings::read(&set)?;
        if stalls {
            book.current.stall_from = now;
        }
        if seeds {
            self.requests.store(0, Ordering::Relaxed);
            self.calls.store(0, Ordering::Relaxed);
        }
        book.current.draw.seed = settings.seed.unwrap_or(0);
        book.settle(settings);
        book.set = set;
        self.publish(&book, now);
        Ok(())
    }

    /// Ends every fault and gives leaked memory back.
    pub(crate) fn clear(&self, now: Instant) {
        let mut book = self.lock();
        book.set.clear();
        book.settle(Settings::default());
        book.current.draw.seed = 0;
        book.current.frozen_until = None;
        self.requests.store(0, Ordering::Relaxed);
        self.calls.store(0, Ordering::Relaxed);
        self.leaked.give_back();
        self.publish(&book, now);
    }

    /// Answers nothing until `time` after `now`.
    pub(crate) fn freeze(&self, time: Duration, now: Instant) {
        let mut book = self.lock();
        book.current.frozen_until = Some(now + time);
        self.publish(&book, now);
    }

    /// What is set, as it was written, and how long a freeze lasts from `now` on.
    pub(crate) fn shown(&self, now: Instant) -> (Map<String, Value>, Duration) {
        let book = self.lock();
        let frozen = book.current.frozen_until.unwrap_or(now);
        (book.set.clone(), frozen.saturating_duration_since(now))
    }

    pub(crate) fn counts(&self) -> FaultCounts {
        self.applied.read()
    }

    /// The number of a tool call among those that came while something was wrong, from 1.
    pub(super) fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps this many bytes for nothing, up to a limit in all.
    pub(super) fn leak(&self, bytes: usize) {
        if self.leaked.leak(bytes) {
            self.applied.count(Fault::Leak);
        }
    }

    /// The flag is read with no order against what it announces: a request that comes while a
    /// command takes effect may be treated either way.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    fn publish(&self, book: &Book, now: Instant) {
        self.snapshot.store(Arc::new(book.current.clone()));
        self.active
            .store(!book.current.is_spent(now), Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Takes the flag down once a freeze is over and nothing else is wrong.
    fn settle(&self, now: Instant) {
        let book = self.lock();
        if book.current.is_spent(now) {
            self.active.store(false, Ordering::Release);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        // A panic in between leaves what was set before, which is whole.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(set: Value) -> Arc<Faults> {
        let faults = Arc::new(Faults::none(0));
        change(&faults, set).unwrap();
        faults
    }

    fn change(faults: &Faults, set: Value) -> Result<(), CommandError> {
        let Value::Object(set) = set else {
            panic!("no object");
        };
        faults.set(set, Instant::now())
    }

    fn shown(faults: &Faults) -> Map<String, Value> {
        faults.shown(Instant::now()).0
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// How long `wait` takes, in milliseconds of the paused clock.
    async fn waited(faults: &Faults) -> u128 {
        let start = Instant::now();
        faults.wait().await;
        start.elapsed().as_millis()
    }

    #[tokio::test]
    async fn what_is_set_adds_up_and_is_taken_away_by_null_and_false() {
        let faults = faults(json!({ "error_rate": 0.5, "no_expiry": true }));
        change(&faults, json!({ "error_kind": "rpc-200" })).unwrap();
        assert_eq!(
            Value::Object(shown(&faults)),
            json!({ "error_rate": 0.5, "no_expiry": true, "error_kind": "rpc-200" })
        );
        change(
            &faults,
            json!({ "error_rate": null, "error_kind": null, "no_expiry": false }),
        )
        .unwrap();
        assert_eq!(shown(&faults), Map::new());
        assert!(faults.request().is_none());
    }

    #[tokio::test]
    async fn a_refused_change_changes_nothing() {
        let faults = faults(json!({ "error_rate": 0.5, "error_kind": "rpc-200" }));
        for bad in [
            json!({ "error_rate": null }),
            json!({ "no_expiry": true, "latency_ms": -1 }),
            json!({ "latncy_ms": null }),
        ] {
            assert!(change(&faults, bad.clone()).is_err(), "{bad}");
            assert_eq!(shown(&faults).len(), 2);
        }
    }

    #[tokio::test]
    async fn requests_are_numbered_while_something_is_wrong_and_anew_with_a_seed() {
        let faults = Arc::new(Faults::none(0));
        assert!(faults.request().is_none());
        change(&faults, json!({ "no_expiry": true })).unwrap();
        let number = || faults.request().unwrap().number();
        assert_eq!((number(), number()), (0, 1));
        change(&faults, json!({ "error_rate": 0.5 })).unwrap();
        assert_eq!(number(), 2);
        change(&faults, json!({ "seed": 7 })).unwrap();
        assert_eq!(number(), 0);
        faults.clear(Instant::now());
        assert!(faults.request().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_freeze_holds_all_until_its_end_and_is_over_then() {
        let faults = Arc::new(Faults::none(0));
        faults.freeze(ms(2000), Instant::now());
        tokio::time::advance(ms(500)).await;
        let (one, two) = tokio::join!(waited(&faults), waited(&faults));
        assert_eq!((one, two), (1500, 1500));
        assert_eq!(faults.counts().of(Fault::Freeze), 2);
        assert_eq!(waited(&faults).await, 0);
        assert!(faults.request().is_none(), "nothing is wrong any more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_freeze_ends_early_with_a_clear_and_late_with_a_longer_one() {
        let faults = Arc::new(Faults::none(0));
        faults.freeze(ms(1000), Instant::now());
        let thaw = async {
            tokio::time::sleep(ms(300)).await;
            faults.freeze(ms(2000), Instant::now());
            tokio::time::sleep(ms(300)).await;
            faults.clear(Instant::now());
        };
        let (took, ()) = tokio::join!(waited(&faults), thaw);
        assert_eq!(took, 600);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_holds_those_who_come_into_its_pauses() {
        let faults = faults(json!({ "stall": { "for_ms": 200, "every_ms": 2000 } }));
        assert_eq!(waited(&faults).await, 200);
        assert_eq!(waited(&faults).await, 0);
        tokio::time::advance(ms(1850)).await;
        assert_eq!(waited(&faults).await, 150);
        // Other changes leave the pattern where it was; setting it begins anew.
        tokio::time::advance(ms(1000)).await;
        change(&faults, json!({ "no_expiry": true })).unwrap();
        assert_eq!(waited(&faults).await, 0);
        change(
            &faults,
            json!({ "stall": { "for_ms": 300, "every_ms": 2000 } }),
        )
        .unwrap();
        assert_eq!(waited(&faults).await, 300);
        assert_eq!(faults.counts().of(Fault::Stall), 3);
    }

    #[tokio::test]
    async fn a_clear_gives_leaked_memory_back() {
        let faults = faults(json!({ "leak_bytes": 1000 }));
        faults.leak(1000);
        assert_eq!(faults.leaked.held(), 1000);
        assert_eq!(faults.counts().of(Fault::Leak), 1);
        faults.clear(Instant::now());
        assert_eq!(faults.leaked.held(), 0);
    }
}
