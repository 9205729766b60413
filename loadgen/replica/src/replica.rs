mod misled;

use std::borrow::Cow;
use std::future::ready;
use std::mem;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, Request, request};
use hyper::body::Body;
use loadgen_protocol::names::method;
use loadgen_protocol::{Message, Meta, Params};
use loadgen_seal::{SealError, Sealer, TokenId, UnixSeconds};
use serde_json::value::RawValue;

use crate::SUPPORTED_VERSIONS;
use crate::access_log::AccessLog;
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::completions::Completions;
use crate::config::Config;
use crate::content::Content;
use crate::counters::Counters;
use crate::faults::{Faults, Misled};
use crate::fifo::{Full, Line};
use crate::http::body::BodyFault;
use crate::http::event_stream::{EventStream, Work};
use crate::http::gate::{self, Caller, Gate, Head};
use crate::http::param_headers::ParamHeaders;
use crate::http::reply::{self, Field, Reply};
use crate::http::{body, mirror};
use crate::limit::{Admission, LimitCounters, Limiter, signal};
use crate::method::Method;
use crate::mrtr::{self, Answers, Ask, Pending, Round, Scope, States, Step, Turn};
use crate::notifier::Notifier;
use crate::outcome::Outcome;
use crate::redis_link::RedisLink;
use crate::refusal::Refusal;
use crate::reply_form::ReplyForm;
use crate::setup_error::SetupError;
use crate::store::{Redemption, StoreCounters, UsedTokens};
use crate::subscriptions::{self, Filter, REQUEST_MAX_BYTES, Subscriptions};
use crate::surface::{Call, Item, Surface};
use crate::tally::{Event, Tally};
use crate::timing::{Part, Timing};
use crate::token_uses::{TokenCounters, TokenUses};
use crate::visit::Visit;

/// One stateless server: everything it needs to know about a request is in the request.
pub struct Replica {
    gate: Gate,
    catalogue: Catalogue,
    completions: Completions,
    param_headers: ParamHeaders,
    subscriptions: Subscriptions,
    surface: Surface,
    states: States,
    limiter: Option<Limiter>,
    used: UsedTokens,
    redis: Option<Arc<RedisLink>>,
    clock: Clock,
    /// The queue for items, in the fifo mode.
    line: Option<Line>,
    body_limit_bytes: usize,
    replies: ReplyForm,
    tally: Tally,
    access_log: Option<AccessLog>,
    token_uses: Option<TokenUses>,
    faults: Arc<Faults>,
}

impl Replica {
    /// Schedules the keys and writes the fixed replies.
    ///
    /// # Errors
    /// When the backend lacks the algorithm, a limit makes no sense, or what shall be kept in Redis
    /// cannot be.
    pub fn new(config: Config) -> Result<Self, SetupError> {
        let surface = Surface {
            fixtures: config.conformance,
        };
        let seal = loadgen_seal::Config {
            max_token_len: config.state_limit(),
            ..loadgen_seal::Config::new(config.algorithm, config.backend, config.ring, config.ttl)
        };
        let redis = match config.redis {
            Some(redis) => Some(Arc::new(RedisLink::new(redis)?)),
            None => None,
        };
        let limiter = match config.limit {
            Some(limit) => Some(Limiter::new(
                limit,
                &config.audience,
                config.principals.is_some(),
                redis.as_ref(),
            )?),
            None => None,
        };
        let used = UsedTokens::new(config.store, &config.audience, redis.as_ref())
            .ok_or(SetupError::NoRedisForStore)?;
        let watched = config
            .watch_tokens_of
            .into_iter()
            .map(|name| surface.tool(&name).ok_or(SetupError::NoToolToWatch(name)))
            .collect::<Result<Vec<_>, _>>()?;
        let token_uses = (!watched.is_empty()).then(|| TokenUses::of(watched));
        Ok(Self {
            faults: Arc::new(Faults::none(config.instance)),
            gate: Gate {
                hosts: config.hosts,
                origins: config.origins,
                principals: config.principals,
            },
            catalogue: Catalogue::new(
                config.instance,
                surface,
                config.page_size,
                config.replies != ReplyForm::Json,
            ),
            subscriptions: Subscriptions::new(),
            completions: Completions::new(surface),
            param_headers: ParamHeaders::new(),
            surface,
            states: States::new(
                Sealer::new(&seal)?,
                config.audience,
                config.flow_ttl.as_secs(),
            ),
            limiter,
            used,
            redis,
            clock: config.clock,
            line: config.fifo.map(Line::new),
            body_limit_bytes: config.body_limit_bytes,
            replies: config.replies,
            tally: Tally::new(),
            access_log: config.access_log,
            token_uses,
        })
    }

    /// What this replica has answered so far.
    pub fn counters(&self) -> Counters {
        self.tally.read(self.states.sealer().counters())
    }

    /// Where the lines about its requests go.
    pub(crate) fn access_log(&self) -> Option<&AccessLog> {
        self.access_log.as_ref()
    }

    /// The largest request body that is read, in bytes.
    pub(crate) fn body_limit_bytes(&self) -> usize {
        self.body_limit_bytes
    }

    /// Ends every subscription, so that a server which stops need not wait for them.
    pub(crate) fn end_subscriptions(&self) {
        self.subscriptions.end();
    }

    /// What the rate limiter has decided so far; `None` without one.
    pub fn limit_counters(&self) -> Option<LimitCounters> {
        self.limiter.as_ref().map(Limiter::counters)
    }

    /// What the record of used tokens has said so far.
    pub fn store_counters(&self) -> StoreCounters {
        self.used.counters()
    }

    /// How often states were used for the tools of [`Config::watch_tokens_of`]; `None` when it names
    /// none.
    pub fn token_counters(&self) -> Option<TokenCounters> {
        self.token_uses.as_ref().map(TokenUses::counters)
    }

    /// Commands that Redis did not carry out, for whichever reason.
    pub fn redis_failures(&self) -> u64 {
        self.redis.as_ref().map_or(0, |redis| redis.failures())
    }

    /// Answers one HTTP request. Checks run in this order, and the first that fails is the answer:
    ///
    /// 1. path (404), `Host` (421; 400 without one), `Origin` (403), HTTP method (405), `Accept`
    ///    (406), `Content-Type` (415), `Authorization` (400; 401 with a table of principals);
    /// 2. body limit, counted while it arrives (413), and its slowness (408);
    /// 3. JSON (-32700), JSON-RPC (-32600); a notification ends here (202), and a request to listen
    ///    that is longer than 16 KiB (-32602);
    /// 4. `params` and the keys of `_meta`, a log level among them (-32602);
    /// 5. `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` against the body (-32020);
    /// 6. version (-32022);
    /// 7. method (404, -32601);
    /// 8. the other members of `params`, then what they name (-32602); a request to listen finds
    ///    its seat here, or 1024 others before it (503, -32603), and is told of changes until the
    ///    replica stops;
    /// 9. whether the caller may call this tool (403);
    /// 10. `Mcp-Param-*` against the arguments that the tool has marked for them (-32020);
    /// 11. the rate limit, for tool calls, prompts and resource reads (as a
    ///     [`Signal`](crate::Signal) says it; 503 and -32603 when it is kept in a Redis that gives no
    ///     answer, unless it then fails open); then, in the fifo mode, a request waits its turn, or
    ///     finds the queue full (503, -32603);
    /// 12. `requestState` (-32602), answers (-32602);
    /// 13. capability, only when the client must be asked (-32021); or whether the state was used
    ///     before, only where that matters (-32602; 503 and -32603 when the record of used states
    ///     cannot be asked, unless it then fails open).
    ///
    /// From 3 on they are HTTP 400 where nothing else is said. An error repeats the request's id
    /// once that could be read.
    ///
    /// A client that closes the connection before the reply ends whatever was still being done.
    pub fn reply<B>(self: &Arc<Self>, request: Request<B>) -> impl Future<Output = Reply>
    where
        B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
    {
        let (mut head, mut body) = request.into_parts();
        async move { self.reply_to(&mut head, &mut body).await }
    }

    /// [`Self::reply`] to a request in its two parts. They are lent, because what an async function
    /// is given for good makes its future longer, and those of its callers, and futures are moved.
    pub(crate) async fn reply_to<B>(
        self: &Arc<Self>,
        head: &mut request::Parts,
        body: &mut B,
    ) -> Reply
    where
        B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
    {
        let mut visit = Visit::begin(&self.tally, self.access_log.as_ref());
        if self.faults.is_active() {
            Box::pin(self.misled_reply(&mut visit, head, body)).await
        } else {
            self.answer(&mut visit, head, body, None).await
        }
    }

    async fn answer<B>(
        self: &Arc<Self>,
        visit: &mut Visit<'_>,
        head: &mut request::Parts,
        body: &mut B,
        misled: Option<&Arc<Misled>>,
    ) -> Reply
    where
        B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
    {
        let waits = gate::waits(&head.headers);
        let caller = match self.gate.check(head) {
            Ok(caller) => caller,
            Err(refusal) => {
                // A client that is still sending would miss the reply if its body were left unread.
                if !waits {
                    Box::pin(body::drain(body)).await;
                }
                return self.refuse(visit, &refusal);
            }
        };
        let from = Head {
            caller,
            headers: &head.headers,
        };
        visit.note(|entry| {
            let verified = caller != Caller::Anybody;
            entry.principal(self.gate.name(from), verified);
        });
        let body = match body::collect(body, self.body_limit_bytes, waits).await {
            Ok(body) => body,
            Err(body::Incomplete::TooLarge) => return self.refuse(visit, &Refusal::BodySize),
            Err(body::Incomplete::Broken) => return self.refuse(visit, &Refusal::BodyBroken),
            Err(body::Incomplete::Slow) => return self.refuse(visit, &Refusal::BodySlow),
        };
        visit.note(|entry| entry.body(body.len()));
        if let Some(instead) = misled.and_then(|misled| misled.instead(&body)) {
            visit.note(|entry| entry.outcome("fault"));
            visit.answered(&instead);
            return instead;
        }
        if self.may_stream(&head.headers) {
            let misled = misled.cloned();
            let headers = mem::take(&mut head.headers);
            return self.stream(visit, caller, headers, body, misled).await;
        }
        let misled = misled.map(|misled| &**misled);
        let reply = self
            .handle(visit, from, &body, &Notifier::none(), misled)
            .await;
        if self.replies == ReplyForm::Sse {
            reply::as_events(reply)
        } else {
            reply
        }
    }

    /// Whether the reply may have to be a stream. The headers tell before the body is read, and
    /// headers that say something else than the body are refused in either form.
    fn may_stream(&self, headers: &HeaderMap) -> bool {
        self.replies != ReplyForm::Json
            && (mirror::name(headers).is_some_and(|name| self.surface.may_speak(&name))
                || mirror::is_listen(headers))
    }

    /// Answers with events if anything comes before the last message; else as any other request.
    async fn stream(
        self: &Arc<Self>,
        visit: &mut Visit<'_>,
        caller: Caller,
        headers: HeaderMap,
        body: Bytes,
        misled: Option<Arc<Misled>>,
    ) -> Reply {
        let (notifier, mut notices) = Notifier::channel();
        let replica = Arc::clone(self);
        let paused = visit.pause();
        // Polled at once, so that the visit is resumed before its client can be lost.
        let mut work = Box::pin(self.faults.hold(async move {
            let mut visit = Visit::resume(paused, &replica.tally, replica.access_log.as_ref());
            let head = Head {
                caller,
                headers: &headers,
            };
            let misled = misled.as_deref();
            replica
                .handle(&mut visit, head, &body, &notifier, misled)
                .await
        }));
        let (first, last): (_, Work) = tokio::select! {
            biased;
            Some(first) = notices.recv() => {
                (first, Box::pin(async move { reply::message(work.await) }))
            }
            reply = &mut work => match notices.try_recv() {
                Ok(first) => (first, Box::pin(ready(reply::message(reply)))),
                Err(_) if self.replies == ReplyForm::Sse => return reply::as_events(reply),
                Err(_) => return reply,
            },
        };
        reply::streaming(EventStream::new(first, notices, last))
    }

    /// Answers with one whole reply.
    async fn handle(
        &self,
        visit: &mut Visit<'_>,
        head: Head<'_>,
        body: &[u8],
        notifier: &Notifier,
        misled: Option<&Misled>,
    ) -> Reply {
        let mut timing = Timing::start();
        let message = Message::parse(body);
        let mut reply = match &message {
            Ok(Message::Request(request))
                if request.method == method::LISTEN && body.len() > REQUEST_MAX_BYTES =>
            {
                let why = "The request to listen is too long";
                self.refusal(visit, Some(request.id), &Refusal::Params(why.into()))
            }
            Ok(Message::Request(request)) => {
                visit.note(|entry| entry.request(request.id, &request.method));
                let performed = self
                    .perform(visit, head, request, notifier, misled, &mut timing)
                    .await;
                match performed {
                    Ok((event, outcome)) => {
                        self.tally.count(event);
                        visit.note(|entry| entry.outcome(event.name()));
                        match misled.and_then(|misled| misled.rewrite(&outcome)) {
                            None => reply::outcome(request.id, &outcome),
                            Some(wrong) => reply::result(request.id, &wrong),
                        }
                    }
                    Err(refusal) => match misled {
                        None => self.refusal(visit, Some(request.id), &refusal),
                        Some(misled) => self.misled_refusal(visit, request, &refusal, misled),
                    },
                }
            }
            Ok(Message::Notification) => {
                self.tally.count(Event::Notified);
                visit.note(|entry| entry.outcome(Event::Notified.name()));
                let reply = reply::accepted();
                visit.answered(&reply);
                return reply;
            }
            Err(unusable) => self.refusal(visit, unusable.id, &unusable.fault.into()),
        };
        reply::add(&mut reply, &visit.fields);
        let spent = timing.finish();
        reply::say_timing(&mut reply, &spent);
        self.tally.spent(&spent);
        visit.note(|entry| entry.spent(&spent));
        // A freeze may have begun since.
        if self.faults.is_active() {
            Box::pin(self.faults.wait()).await;
        }
        visit.answered(&reply);
        reply
    }

    async fn perform<'a>(
        &'a self,
        visit: &mut Visit<'_>,
        head: Head<'_>,
        request: &loadgen_protocol::Request<'a>,
        notifier: &Notifier,
        misled: Option<&Misled>,
        timing: &mut Timing,
    ) -> Result<(Event, Outcome<'a>), Refusal> {
        let params = request.params.as_ref().map_err(|&fault| fault)?;
        let meta = params.meta()?;
        let method = Method::of(&request.method);
        let target = method
            .and_then(Method::naming)
            .map(|naming| params.target(naming));
        let named = target.as_ref().and_then(|t| t.as_deref().ok());
        mirror::check(head.headers, &meta.version, &request.method, named)?;
        let only = misled.and_then(Misled::only_version);
        if only.map_or(!SUPPORTED_VERSIONS.contains(&&*meta.version), |only| {
            only != meta.version
        }) {
            return Err(Refusal::Version {
                requested: meta.version.into_owned(),
                only: only.map(str::to_owned),
            });
        }
        let Some(method) = method else {
            return Err(Refusal::Method);
        };
        if method == Method::Listen {
            return Box::pin(self.listen(request, params, notifier, timing)).await;
        }
        let Some(target) = target else {
            return self.list(method, params);
        };
        let target = target?;
        visit.note(|entry| entry.target(&target));
        let item = self.surface.item(method, &target)?;
        if !self.gate.permits(head.caller, item) {
            return Err(Refusal::Scope(target.into_owned()));
        }
        if let Item::Tool(tool) = item {
            let Head { headers, .. } = head;
            self.param_headers.check(tool, headers, params.arguments)?;
        }
        let named = Named {
            item,
            method: &request.method,
            target: &target,
            params,
            principal: self.gate.name(head),
            misled,
        };
        // What waits in a box is paid for only where there is a limit or a line.
        if let Some(limiter) = &self.limiter {
            // Resources are one item: their names are as many as clients care to make up.
            let name = match method {
                Method::ToolsCall | Method::PromptsGet => &*target,
                _ => "",
            };
            visit.fields = Box::pin(self.admit(limiter, &named, name, timing)).await?;
        }
        if let Some(line) = &self.line {
            Box::pin(line.serve()).await.map_err(|Full| Refusal::Full)?;
        }
        if method == Method::ToolsCall && misled.is_some_and(Misled::fails_call) {
            let text = Content::Text("The replica was told to let this call fail.".into());
            let outcome = Outcome::tool(text, true, &self.catalogue.meta);
            return Ok((Event::Failed, outcome));
        }
        let step = self.round(visit, &named, &meta, notifier, timing).await?;
        let about = &*self.catalogue.meta;
        Ok(match step {
            Sealed::Ask(mut ask, state) => {
                if let Some(misled) = misled {
                    misled.shuffle(&mut ask.questions);
                }
                let outcome = Outcome::input_required(ask.questions, state, about);
                (Event::Asked, outcome)
            }
            Sealed::Failed(text) => {
                let outcome = Outcome::tool(Content::Text(text), true, about);
                (Event::Failed, outcome)
            }
            Sealed::Done(content) => {
                let outcome = match item {
                    Item::Tool(_) => Outcome::tool(content, false, about),
                    Item::Prompt(_) => Outcome::prompt(content, about),
                    Item::Resource(resource) => {
                        let caching = resource.caching();
                        Outcome::resource(target, content, caching, about)
                    }
                };
                (Event::Completed, outcome)
            }
        })
    }

    /// Asks the limiter; gives the fields that the reply tells the quota in.
    async fn admit(
        &self,
        limiter: &Limiter,
        named: &Named<'_, '_>,
        name: &str,
        timing: &mut Timing,
    ) -> Result<Vec<Field>, Refusal> {
        let started = Instant::now();
        let admission = limiter.admit(named.principal, named.method, name).await;
        timing.add(Part::Limit, started.elapsed());
        let now = self.clock.now();
        match admission {
            Admission::Admitted(None) => Ok(Vec::new()),
            Admission::Admitted(Some(left)) => Ok(limiter.signal().admitted(&left, now)),
            Admission::Unavailable => Err(Refusal::LimiterDown),
            Admission::Limited(left) => {
                let is_tool = named.item.is_tool();
                let mut signalled = limiter.signal().refusal(&left, now, is_tool);
                if let signal::Body::Result(result) = &mut signalled.body {
                    let about = serde_json::from_str(self.catalogue.meta.get());
                    result.insert("_meta".to_owned(), about.expect("it is JSON"));
                }
                Err(Refusal::Limited(Box::new(signalled)))
            }
        }
    }

    /// Tells a client of changes until the replica stops.
    async fn listen<'a>(
        &self,
        request: &loadgen_protocol::Request<'a>,
        params: &Params<'_>,
        notifier: &Notifier,
        timing: &mut Timing,
    ) -> Result<(Event, Outcome<'a>), Refusal> {
        if self.replies == ReplyForm::Json {
            // There is no way to tell anything before a result.
            return Err(Refusal::Method);
        }
        let wanted = Filter::parse(params.notifications)?
            .only_resources(|uri| self.surface.resource(uri).is_some());
        let since = Instant::now();
        let listened = self.subscriptions.listen(request.id, &wanted, notifier);
        listened.await?;
        timing.leave_out(since);
        let closed = subscriptions::closed(request.id, &self.catalogue.meta);
        Ok((Event::Listened, Outcome::Closed(closed)))
    }

    fn list<'a>(
        &'a self,
        method: Method,
        params: &Params<'_>,
    ) -> Result<(Event, Outcome<'a>), Refusal> {
        let catalogue = &self.catalogue;
        let pages = match method {
            Method::ToolsList => &catalogue.tools,
            Method::PromptsList => &catalogue.prompts,
            Method::ResourcesList => &catalogue.resources,
            Method::TemplatesList => &catalogue.templates,
            Method::Complete => {
                let completion = self.completions.complete(params)?;
                let outcome = Outcome::completion(completion, &catalogue.meta);
                return Ok((Event::Listed, outcome));
            }
            _ => return Ok((Event::Listed, Outcome::Fixed(&catalogue.discover))),
        };
        let page = pages
            .at(params.cursor()?.as_deref())
            .ok_or(Refusal::Params("There is no such cursor".into()))?;
        Ok((Event::Listed, Outcome::Fixed(page)))
    }

    /// One round of a workflow: opens the state, runs the item, seals what it wants back.
    async fn round<'a>(
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
                let (binding, opened) = timing.run(Part::Open, || {
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
        let sealed = timing.run(Part::Seal, || {
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

    /// Refuses a request of which nothing but its head is known.
    fn refuse(&self, visit: &mut Visit<'_>, refusal: &Refusal) -> Reply {
        let reply = self.refusal(visit, None, refusal);
        visit.answered(&reply);
        reply
    }

    fn refusal(&self, visit: &mut Visit<'_>, id: Option<&RawValue>, refusal: &Refusal) -> Reply {
        self.count_refused(visit, refusal);
        reply::refusal(id, refusal)
    }

    fn count_refused(&self, visit: &mut Visit<'_>, refusal: &Refusal) {
        self.tally.refused(refusal.cause());
        visit.note(|entry| entry.refused(refusal));
    }
}

/// A request that runs an item: `'a` is the body's life.
struct Named<'a, 'b> {
    item: Item<'b>,
    method: &'b str,
    target: &'b str,
    params: &'b Params<'a>,
    principal: Option<&'b str>,
    misled: Option<&'b Misled>,
}

/// A [`Step`] whose state has been sealed.
enum Sealed<'a> {
    Done(Content<'a>),
    Failed(Cow<'a, str>),
    Ask(Ask, Option<String>),
}
