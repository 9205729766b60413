//! What a request that can be read asks for, after the checks that come before it.

use std::time::Instant;

use loadgen_protocol::Params;

use crate::SUPPORTED_VERSIONS;
use crate::content::Content;
use crate::faults::Misled;
use crate::fifo::Full;
use crate::http::gate::Head;
use crate::http::mirror;
use crate::http::reply::Field;
use crate::limit::{Admission, Limiter, signal};
use crate::method::Method;
use crate::notifier::Notifier;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::replica::Replica;
use crate::replica::round::Sealed;
use crate::reply_form::ReplyForm;
use crate::subscriptions::{self, Filter};
use crate::surface::Item;
use crate::tally::Event;
use crate::timing::{Part, Timing};
use crate::visit::Visit;

impl Replica {
    pub(super) async fn perform<'a>(
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
        mirror::check(head.fields, &meta.version, &request.method, named)?;
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
            let headers = head.fields.all;
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
            if params.state()?.is_none() {
                visit.note(|entry| entry.no_state(params.input_responses.is_some()));
            }
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
}

/// A request that runs an item: `'a` is the body's life.
pub(super) struct Named<'a, 'b> {
    pub(super) item: Item<'b>,
    pub(super) method: &'b str,
    pub(super) target: &'b str,
    pub(super) params: &'b Params<'a>,
    pub(super) principal: Option<&'b str>,
    pub(super) misled: Option<&'b Misled>,
}
