//! One round of a workflow.

use std::borrow::Cow;
use std::time::Instant;

use loadgen_protocol::Meta;
use loadgen_seal::{SealError, TokenId, UnixSeconds};
use serde_json::value::RawValue;

use crate::content::Content;
use crate::faults::Misled;
use crate::mrtr::{self, Answers, Ask, Pending, Round, Scope, States, Step, Turn};
use crate::notifier::Notifier;
use crate::refusal::Refusal;
use crate::replica::Replica;
use crate::replica::perform::Named;
use crate::store::Redemption;
use crate::surface::Call;
use crate::timing::{Part, Timing};
use crate::visit::Visit;

impl Replica {
    /// One round of a workflow: opens the state, runs the item, seals what it wants back.
    pub(super) async fn round<'a>(
        &self,
        visit: &mut Visit<'_>,
        named: &Named<'a, '_>,
        meta: &Meta<'a>,
        notifier: &Notifier,
        timing: &mut Timing,
    ) -> Result<Sealed<'a>, Refusal> {
        let arguments = named.params.arguments;
        let misled = named.misled;
        let mut token = named.params.state()?;
        let mut now_ms = self.clock.now_ms();
        if let Some(misled) = misled {
            token = token.map(|token| misled.respelt(token));
            now_ms = misled.now_ms(now_ms);
        }
        let now = UnixSeconds(now_ms / 1000);
        let scope = Scope {
            method: named.method,
            target: named.target,
            arguments: arguments.map(RawValue::get),
            principal: named.principal,
        };
        let bind = || match misled {
            Some(misled) if misled.binds_nothing() => States::bind_nothing(),
            _ => self.states.bind(&scope),
        };
        let opened = match &token {
            None => {
                visit.note(|entry| entry.no_state(named.params.input_responses.is_some()));
                None
            }
            Some(token) => {
                let (binding, opened) = timed(Part::Open, timing, misled, || {
                    let binding = bind();
                    let now = misled.map_or(now, |misled| misled.opening_time(token, now));
                    let opened = self.states.open(&binding, token, now);
                    (binding, opened)
                });
                let opened = opened.map_err(|refused| {
                    let own = || self.states.sealer().resembles_own(token.as_bytes());
                    visit.note(|entry| entry.not_opened(refused.reason(), own()));
                    Refusal::State
                })?;
                visit.note(|entry| entry.opened(&opened.id, opened.claims));
                Some((binding, opened))
            }
        };
        let (asked, state) = opened
            .as_ref()
            .and_then(|(_, opened)| Pending::split(&opened.state))
            .unzip();
        let mut answers = Answers::parse(named.params.input_responses)?;
        if named.params.input_responses.is_some() && misled.is_some_and(Misled::ignores_answers) {
            answers = Answers::default();
        }
        let suffix = misled.and_then(Misled::question_suffix);
        let call = Call {
            arguments: arguments.map_or("{}", RawValue::get),
            turn: Turn {
                state,
                asked,
                answers: &answers,
                suffix,
            },
            notifier,
            subscriptions: &self.subscriptions,
            meta,
            now_ms,
        };
        self.tally.started(named.item);
        let step = match named.item.turn(&call).await {
            Ok(Step::Once(content)) => {
                let used = opened.as_ref().map(|(_, opened)| &opened.id);
                let first = self.use_up(visit, used, now, timing).await;
                first.map(|()| Step::Done(content))
            }
            step => step,
        };
        let executed = matches!(step, Ok(Step::Done(_) | Step::Failed(_)));
        self.tally.ended(named.item, executed);
        if executed && let (Some(uses), Some((_, opened))) = (&self.token_uses, &opened) {
            uses.count(named.item, opened.id);
        }
        let mut ask = match step? {
            Step::Done(content) | Step::Once(content) => return Ok(Sealed::Done(content)),
            Step::Failed(text) => return Ok(Sealed::Failed(text)),
            Step::Ask(ask) => ask,
        };
        if let Some(misled) = misled {
            misled.reword(&mut ask.questions);
        }
        if let Some(lacking) = mrtr::gate::lacking(&ask.questions, &meta.capabilities())
            && !misled.is_some_and(Misled::asks_undeclared)
        {
            return Err(Refusal::Capability(Box::new(lacking)));
        }
        let Some(state) = &ask.state else {
            return Ok(Sealed::Ask(ask, None));
        };
        let sealed = timed(Part::Seal, timing, misled, || {
            let state = Pending::of(&ask.questions).before(state);
            match &opened {
                None => self.states.seal(&bind(), Round::FIRST, &state, now),
                Some((binding, opened)) => {
                    let round = Round::after(opened.claims);
                    let now = misled.map_or(now, |m| m.sealing_time(opened.claims, now));
                    self.states.seal(binding, round, &state, now)
                }
            }
        });
        match sealed {
            Ok(token) => Ok(Sealed::Ask(ask, Some(token))),
            // Padding and answers made it so, which the caller chose.
            Err(e @ SealError::TooLong { .. }) if named.item.is_tool() => {
                Ok(Sealed::Failed(e.to_string().into()))
            }
            Err(e) => Err(Refusal::Seal(e.to_string())),
        }
    }

    /// Notes in the record that a state is used now.
    ///
    /// # Errors
    /// When there is none, it was used before, or the record cannot be asked and has to be.
    async fn use_up(
        &self,
        visit: &mut Visit<'_>,
        state: Option<&TokenId>,
        now: UnixSeconds,
        timing: &mut Timing,
    ) -> Result<(), Refusal> {
        let Some(state) = state else {
            return Err(Refusal::State);
        };
        let started = Instant::now();
        let redemption = self.used.redeem(state, now).await;
        if self.used.is_kept() {
            timing.add(Part::Store, started.elapsed());
        }
        match redemption {
            Redemption::First | Redemption::Unrecorded => Ok(()),
            Redemption::Again => {
                let refused = self.states.sealer().replayed();
                visit.note(|entry| entry.not_opened(refused.reason(), true));
                Err(Refusal::State)
            }
            Redemption::Unavailable => Err(Refusal::StoreDown),
        }
    }
}

/// Opens or seals a state as this part of the request, more slowly if that is wrong.
fn timed<T>(
    part: Part,
    timing: &mut Timing,
    misled: Option<&Misled>,
    work: impl FnOnce() -> T,
) -> T {
    timing.run(part, || match misled {
        None => work(),
        Some(misled) => misled.slowed(work),
    })
}

/// A [`Step`] whose state has been sealed.
pub(super) enum Sealed<'a> {
    Done(Content<'a>),
    Failed(Cow<'a, str>),
    Ask(Ask, Option<String>),
}
