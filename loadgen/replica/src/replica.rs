use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, Request};
use hyper::body::Body;
use loadgen_seal::{ConfigError, SealError, Sealer};
use serde_json::value::RawValue;

use crate::SUPPORTED_VERSIONS;
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::config::Config;
use crate::counters::{Counters, Event, Tally};
use crate::http::reply::{self, Reply};
use crate::http::{body, gate, mirror};
use crate::message::{self, Message};
use crate::method::Method;
use crate::mrtr::{Answers, Ask, Round, Scope, States, Step, Turn};
use crate::outcome::Outcome;
use crate::params::{Meta, Params};
use crate::refusal::Refusal;
use crate::surface::Item;
use crate::timing::{Part, Timing};

/// One stateless server: everything it needs to know about a request is in the request.
pub struct Replica {
    catalogue: Catalogue,
    states: States,
    clock: Clock,
    body_limit_bytes: usize,
    tally: Tally,
}

impl Replica {
    /// Schedules the keys and writes the fixed replies.
    ///
    /// # Errors
    /// When the backend lacks the algorithm, or a limit makes no sense.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let seal = loadgen_seal::Config {
            max_token_len: config.state_limit(),
            ..loadgen_seal::Config::new(config.algorithm, config.backend, config.ring, config.ttl)
        };
        Ok(Self {
            catalogue: Catalogue::new(config.instance),
            states: States::new(
                Sealer::new(&seal)?,
                config.audience,
                config.flow_ttl.as_secs(),
            ),
            clock: config.clock,
            body_limit_bytes: config.body_limit_bytes,
            tally: Tally::default(),
        })
    }

    /// What this replica has answered so far.
    pub fn counters(&self) -> Counters {
        self.tally.read(self.states.sealer().counters())
    }

    /// Answers one HTTP request. Checks run in this order, and the first that fails is the answer:
    ///
    /// 1. path (404), `Origin` (403), HTTP method (405), `Accept` (406), `Content-Type` (415),
    ///    `Authorization` (400);
    /// 2. body limit, counted while it arrives (413);
    /// 3. JSON (-32700), JSON-RPC (-32600); a notification ends here (202);
    /// 4. `params` and the keys of `_meta` (-32602);
    /// 5. `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` against the body (-32020);
    /// 6. version (-32022);
    /// 7. method (404, -32601);
    /// 8. the other members of `params`, then what they name (-32602);
    /// 9. `requestState` (-32602), answers (-32602);
    /// 10. capability, only when the client must be asked (-32021).
    ///
    /// The last five are HTTP 400 where nothing else is said. An error repeats the request's id
    /// once that could be read.
    pub async fn reply<B>(&self, request: Request<B>) -> Reply
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let (head, body) = request.into_parts();
        let waits = gate::waits(&head.headers);
        if let Err(refusal) = gate::check(&head) {
            // A client that is still sending would miss the reply if its body were left unread.
            if !waits {
                body::drain(body).await;
            }
            return self.refuse(None, &refusal, None);
        }
        match body::collect(body, self.body_limit_bytes, waits).await {
            Ok(body) => self.handle(&head.headers, &body),
            Err(body::Incomplete::TooLarge) => self.refuse(None, &Refusal::BodySize, None),
            Err(body::Incomplete::Broken) => self.refuse(None, &Refusal::BodyBroken, None),
        }
    }

    fn handle(&self, headers: &HeaderMap, body: &[u8]) -> Reply {
        let mut timing = Timing::start();
        let request = match Message::parse(body) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification) => {
                self.tally.count(Event::Notified);
                return reply::accepted();
            }
            Err(unusable) => return self.refuse(unusable.id, &unusable.refusal, Some(timing)),
        };
        match self.perform(headers, &request, &mut timing) {
            Ok((event, outcome)) => {
                self.tally.count(event);
                reply::result(request.id, &outcome, timing)
            }
            Err(refusal) => self.refuse(Some(request.id), &refusal, Some(timing)),
        }
    }

    fn perform<'a>(
        &'a self,
        headers: &HeaderMap,
        request: &message::Request<'a>,
        timing: &mut Timing,
    ) -> Result<(Event, Outcome<'a>), Refusal> {
        let params = Params::parse(request.params)?;
        let meta = params.meta()?;
        let method = Method::of(&request.method);
        let target = method
            .and_then(Method::naming)
            .map(|naming| params.target(naming));
        let named = target.as_ref().and_then(|t| t.as_deref().ok());
        mirror::check(headers, &meta.version, &request.method, named)?;
        if !SUPPORTED_VERSIONS.contains(&&*meta.version) {
            return Err(Refusal::Version(meta.version.into_owned()));
        }
        let Some(method) = method else {
            return Err(Refusal::Method);
        };
        let Some(target) = target else {
            return self.list(method, &params);
        };
        let target = target?;
        let item = match method {
            Method::ToolsCall => Item::tool(&target)?,
            Method::PromptsGet => Item::prompt(&target)?,
            _ => Item::resource(&target)?,
        };
        let call = Call {
            item,
            method: &request.method,
            target: &target,
            params: &params,
            principal: gate::principal(headers),
        };
        let step = self.round(&call, &meta, timing)?;
        let about = &*self.catalogue.meta;
        Ok(match step {
            Sealed::Ask(ask, state) => (Event::Asked, Outcome::input_required(ask, state, about)),
            Sealed::Failed(text) => (Event::Failed, Outcome::tool(text.into(), true, about)),
            Sealed::Done(text) => {
                let outcome = match method {
                    Method::ToolsCall => Outcome::tool(text, false, about),
                    Method::PromptsGet => Outcome::prompt(text, about),
                    _ => Outcome::resource(target, text, about),
                };
                (Event::Completed, outcome)
            }
        })
    }

    fn list<'a>(
        &'a self,
        method: Method,
        params: &Params<'_>,
    ) -> Result<(Event, Outcome<'a>), Refusal> {
        let Catalogue {
            discover,
            tools,
            prompts,
            resources,
            templates,
            ..
        } = &self.catalogue;
        let (fixed, has_pages) = match method {
            Method::ToolsList => (tools, true),
            Method::PromptsList => (prompts, true),
            Method::ResourcesList => (resources, true),
            Method::TemplatesList => (templates, true),
            _ => (discover, false),
        };
        if has_pages {
            params.no_cursor()?;
        }
        Ok((Event::Listed, Outcome::Fixed(fixed)))
    }

    /// One round of a workflow: opens the state, runs the item, seals what it wants back.
    fn round<'a>(
        &self,
        call: &Call<'a, '_>,
        meta: &Meta<'_>,
        timing: &mut Timing,
    ) -> Result<Sealed<'a>, Refusal> {
        let arguments = call.params.arguments;
        let token = call.params.state()?;
        let now = self.clock.now();
        let scope = Scope {
            method: call.method,
            target: call.target,
            arguments: arguments.map(RawValue::get),
            principal: call.principal,
        };
        let opened = match token {
            None => None,
            Some(token) => Some(timing.run(Part::Open, || {
                let binding = self.states.bind(&scope);
                self.states
                    .open(&binding, &token, now)
                    .map(|opened| (binding, opened))
                    .map_err(|_| Refusal::State)
            })?),
        };
        let answers = Answers::parse(call.params.input_responses)
            .map_err(|malformed| Refusal::Answer(malformed.0))?;
        let turn = Turn {
            state: opened.as_ref().map(|(_, opened)| &*opened.state),
            answers: &answers,
        };
        let ask = match call.item.turn(arguments, &turn)? {
            Step::Done(text) => return Ok(Sealed::Done(text)),
            Step::Failed(text) => return Ok(Sealed::Failed(text)),
            Step::Ask(ask) => ask,
        };
        if !meta.takes_forms() {
            return Err(Refusal::Capability);
        }
        let sealed = timing.run(Part::Seal, || match &opened {
            None => {
                let binding = self.states.bind(&scope);
                self.states.seal(&binding, Round::FIRST, &ask.state, now)
            }
            Some((binding, opened)) => {
                let round = Round::after(opened.claims);
                self.states.seal(binding, round, &ask.state, now)
            }
        });
        match sealed {
            Ok(state) => Ok(Sealed::Ask(ask, state)),
            // Padding and answers made it so, which the caller chose.
            Err(e @ SealError::TooLong { .. }) if call.item.is_tool() => {
                Ok(Sealed::Failed(e.to_string()))
            }
            Err(e) => Err(Refusal::Seal(e.to_string())),
        }
    }

    fn refuse(&self, id: Option<&RawValue>, refusal: &Refusal, timing: Option<Timing>) -> Reply {
        self.tally.refused(refusal.cause());
        reply::refusal(id, refusal, timing)
    }
}

/// A request that runs an item: `'a` is the body's life.
struct Call<'a, 'b> {
    item: Item<'b>,
    method: &'b str,
    target: &'b str,
    params: &'b Params<'a>,
    principal: Option<&'b str>,
}

/// A [`Step`] whose state has been sealed.
enum Sealed<'a> {
    Done(Cow<'a, str>),
    Failed(String),
    Ask(Ask, String),
}
