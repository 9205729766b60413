use std::time::Duration;

use loadgen_driver::{Act, Event, FleetPlan, LimitRate};
use loadgen_measure::{EventResult, KeyTurn};
use loadgen_replica::Config;

use super::Fleet;
use super::rotation::Rotation;

/// How often a replica that is busy with an event is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The events of a run: what is still to come, what goes on, what is done.
#[derive(Debug)]
pub(crate) struct Script {
    scenes: Vec<Scene>,
    rotation: Rotation,
}

/// One event.
#[derive(Debug)]
struct Scene {
    event: Event,
    /// Replicas that have been begun with, in the order of the event.
    begun: usize,
    begun_at: Option<Duration>,
    /// When the next replica is due.
    due: Duration,
    /// Replicas that are busy with it.
    busy: Vec<usize>,
    done_at: Option<Duration>,
    errors: Vec<String>,
}

impl Script {
    /// The events of a plan, for the fleet that it starts, if any.
    pub(crate) fn new(events: &[Event], fleet: Option<&FleetPlan>) -> Self {
        let ttl_s = fleet.and_then(|fleet| fleet.ttl_s);
        let ttl = Duration::from_secs(ttl_s.unwrap_or(Config::TTL_S.into()));
        let replicas = fleet.map_or(0, |fleet| fleet.replicas.len());
        let scene = |event: &Event| Scene {
            event: event.clone(),
            begun: 0,
            begun_at: None,
            due: event.at,
            busy: Vec::new(),
            done_at: None,
            errors: Vec::new(),
        };
        Self {
            scenes: events.iter().map(scene).collect(),
            rotation: Rotation::new(replicas, ttl),
        }
    }

    /// Does what is due at this time of the run. Gives what could not be done.
    pub(crate) fn play(&mut self, now: Duration, fleet: &mut Fleet) -> Vec<String> {
        let mut told = Vec::new();
        for scene in &mut self.scenes {
            let known = scene.errors.len();
            scene.play(now, fleet, &mut self.rotation);
            let new = scene.errors[known..].iter();
            told.extend(new.map(|error| format!("event {}: {error}", scene.event.name)));
        }
        told
    }

    /// When something has to be done or looked at next.
    pub(crate) fn next(&self, now: Duration) -> Option<Duration> {
        let open = self.scenes.iter().filter(|scene| scene.done_at.is_none());
        // What is due and was not begun waits for a replica that answers another event.
        open.map(|scene| match scene.busy.is_empty() && scene.due > now {
            true => scene.due,
            false => now + LOOK_EVERY,
        })
        .min()
    }

    /// What became of the events.
    pub(crate) fn results(&self) -> Vec<EventResult> {
        let result = |scene: &Scene| scene.result(&self.rotation);
        self.scenes.iter().map(result).collect()
    }
}

impl Scene {
    fn play(&mut self, now: Duration, fleet: &mut Fleet, rotation: &mut Rotation) {
        if self.done_at.is_some() || now < self.event.at {
            return;
        }
        // What follows one after the other begins in the order of the event, whoever is done first.
        loop {
            let errors = &mut self.errors;
            let begun = self.busy.len();
            self.busy.retain(|&number| match fleet.settle(number) {
                Ok(done) => {
                    if done {
                        rotation.note(&self.event.act, number, now);
                    }
                    !done
                }
                Err(e) => {
                    errors.push(format!("replica {number}: {e:#}"));
                    false
                }
            });
            if self.busy.len() < begun && self.follows() {
                self.due = now + self.event.pause;
            }
            let Some(&number) = self.event.replicas.get(self.begun) else {
                break;
            };
            if now < self.due || (self.follows() && !self.busy.is_empty()) {
                return;
            }
            if fleet.is_asked(number) {
                return;
            }
            self.begun += 1;
            self.begun_at.get_or_insert(now);
            if !self.follows() {
                self.due += self.event.pause;
            }
            match fleet.begin(&self.event.act, number) {
                Ok(()) => self.busy.push(number),
                Err(e) => self.errors.push(format!("replica {number}: {e:#}")),
            }
        }
        if self.busy.is_empty() {
            self.done_at = Some(now);
        }
    }

    /// Whether the next replica waits for the one before it to be ready.
    fn follows(&self) -> bool {
        matches!(self.event.act, Act::Restart)
    }

    fn result(&self, rotation: &Rotation) -> EventResult {
        let event = &self.event;
        let seconds = |time: Duration| time.as_secs_f64();
        EventResult {
            name: event.name.clone(),
            act: event.act.name().to_owned(),
            replicas: event.replicas.clone(),
            at_s: seconds(event.at),
            begun_s: self.begun_at.map(seconds),
            done_s: self.done_at.map(seconds),
            ends_s: event.ends().map(seconds),
            key: rotation
                .harmless_from(&event.act)
                .map(|(key, from)| KeyTurn {
                    key,
                    harmless_from_s: from.map(seconds),
                }),
            limit_per_s: match event.act {
                Act::Limit(rate) => rate.map(LimitRate::per_s),
                _ => None,
            },
            errors: self.errors.clone(),
        }
    }
}
