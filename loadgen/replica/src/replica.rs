mod answer;
mod misled;
mod perform;
mod round;

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, request};
use hyper::body::Body;
use loadgen_seal::Sealer;
use serde_json::value::RawValue;

use crate::access_log::AccessLog;
use crate::catalogue::Catalogue;
use crate::clock::Clock;
use crate::completions::Completions;
use crate::config::Config;
use crate::counters::Counters;
use crate::faults::Faults;
use crate::fifo::Line;
use crate::http::body::BodyFault;
use crate::http::gate::Gate;
use crate::http::param_headers::ParamHeaders;
use crate::http::reply::{self, Reply};
use crate::limit::{LimitCounters, Limiter};
use crate::mrtr::States;
use crate::redis_link::RedisLink;
use crate::refusal::Refusal;
use crate::reply_form::ReplyForm;
use crate::setup_error::SetupError;
use crate::store::{StoreCounters, UsedTokens};
use crate::subscriptions::Subscriptions;
use crate::surface::Surface;
use crate::tally::Tally;
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
