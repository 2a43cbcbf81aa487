//! Looks up components by name and takes each call through its steps.

mod component;
mod components;
pub(crate) mod decoded;
pub(crate) mod explain;
pub(crate) mod faults;
pub(crate) mod journal;
mod labels;
pub(crate) mod lines;
mod lookups;
mod metrics;
mod recording;
pub(crate) mod redactor;
pub(crate) mod report;
mod responses;
pub(crate) mod verdict;
pub(crate) mod verify;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use arc_swap::ArcSwap;

pub use self::{
    component::Component, components::Components, labels::Labels, metrics::Metrics,
    recording::Recording,
};
pub(crate) use self::{
    component::ReachedCall,
    components::{Instances, InstancesFull, MAX_INSTANCES, Properties, Replaced},
    lookups::{Lookup, Lookups},
    recording::ReachedElsewhere,
};
use self::{
    faults::FaultTable,
    journal::Journal,
    redactor::{CurrentRedactor, Redactor},
    responses::Responses,
};
use crate::{
    base::{environment::Environment, kept_memory::KeptMemory},
    component::{Change, ComponentSpec},
    provider::{
        CallContext,
        counters::Counters,
        scripted::{Rules, rules::SessionRules},
        sessions::SessionLimits,
        waiting::WaitingCalls,
    },
    wire::{error::Error, sent::SentRequest},
};

/// The version of Dapr whose API mynah implements. It must lie between 1.16 and 2.0, the range that
/// Dapr Agents accepts.
pub const RUNTIME_VERSION: &str = "1.18.0";

/// Answers the calls to one sidecar, whichever surface they arrive through.
#[derive(Debug)]
pub struct Engine {
    /// The id of the application that the sidecar belongs to.
    pub app_id: String,
    /// The loaded components.
    pub components: Components,
    /// The metrics of the sidecar.
    pub metrics: Metrics,
    /// The counters of the sessions.
    pub(crate) counters: Arc<Counters>,
    /// The calls that wait because of a delay or a fault.
    pub(crate) waiting: Arc<WaitingCalls>,
    /// The journal; `None` if it is off.
    pub(crate) journal: Option<Arc<Journal>>,
    /// Looks up components that are not loaded; `None` if no daprd calls real models.
    pub(crate) lookups: Option<Lookups>,
    /// Removes the secrets of components from what is shown.
    pub(crate) redactor: CurrentRedactor,
    /// The instances of each component socket.
    sockets: Mutex<Vec<Arc<Instances>>>,
    /// The rules that tests have set for their sessions.
    session_rules: Arc<SessionRules>,
    /// The faults that tests have set.
    pub(crate) faults: Arc<FaultTable>,
    /// The responses of OpenAI's API that requests may continue.
    pub(crate) responses: Responses,
    /// The labels that clients have set.
    pub labels: Labels,
}

impl Engine {
    /// Creates the engine for an application's sidecar.
    pub fn new(app_id: impl Into<String>, components: &[ComponentSpec]) -> Self {
        let app_id = app_id.into();
        let metrics = Metrics::new(&app_id);
        let counters = Arc::new(Counters::new(metrics.counts_dropped.clone()));
        let (session_rules, faults) = (Arc::default(), Arc::default());
        let component = |spec| Component::new(spec, &metrics, &session_rules, &faults);
        let components = components.iter().map(component).collect();
        let (waiting, labels) = (Arc::default(), Labels::default());
        let redactor = Arc::new(ArcSwap::from_pointee(Redactor::new(&[])));
        let (sockets, responses) = (Mutex::default(), Responses::default());
        Self {
            app_id,
            components,
            metrics,
            counters,
            waiting,
            journal: None,
            lookups: None,
            redactor,
            sockets,
            session_rules,
            faults,
            responses,
            labels,
        }
    }

    /// Returns `true` if a component is not loaded, but may be one of daprd.
    pub(crate) fn must_look_up(&self, name: &str) -> bool {
        self.lookups.is_some() && self.components.find(name).is_err()
    }

    /// Loads the components that daprd has by now, if one calls real models.
    ///
    /// # Errors
    ///
    /// Fails if daprd cannot be reached.
    pub(crate) async fn look_up(&self) -> Result<(), Error> {
        match &self.lookups {
            Some(lookups) => lookups.wait().await,
            None => Ok(()),
        }
    }

    /// Returns the journal if it keeps entries that can be read.
    pub(crate) fn readable_journal(&self) -> Option<Arc<Journal>> {
        self.journal.clone().filter(|journal| journal.is_readable())
    }

    /// Hides the secrets of components, even those in calls that are stored already.
    pub(crate) fn set_secrets(&self, environment: &Environment) {
        self.redactor.store(Arc::new(Redactor::new(&environment.hidden())));
    }

    /// Starts to record a call. `request` is only needed if the journal is on.
    pub(crate) fn record(
        &self,
        context: &mut CallContext,
        is_streamed: bool,
        request: impl FnOnce() -> Option<SentRequest>,
    ) -> Recording {
        Recording::start(self, context, is_streamed, request)
    }

    /// Creates a component whose calls are counted here.
    fn component(&self, spec: &ComponentSpec) -> Component {
        Component::new(spec, &self.metrics, &self.session_rules, &self.faults)
    }

    /// Returns the instances of a new component socket.
    pub(crate) fn add_socket(&self) -> Arc<Instances> {
        let instances = Arc::<Instances>::default();
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(instances.clone());
        instances
    }

    /// Returns the current components together with the instances of all component sockets. Of those
    /// with the same name, the instance is taken.
    pub(crate) fn with_instances(&self) -> Components {
        self.components_and_instances().into_iter().collect()
    }

    /// Returns the current components, and then the instances of all component sockets.
    fn components_and_instances(&self) -> Vec<Arc<Component>> {
        let sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let instances = sockets.iter().flat_map(|instances| instances.all());
        self.components.all().into_iter().chain(instances).collect()
    }

    /// Replaces the rules of a session. Rules that stay as they are keep their counters.
    pub(crate) fn set_rules(&self, session: &str, rules: &Arc<Rules>, memory: KeptMemory) {
        if let Some(old) = self.session_rules.set(session, rules.clone(), memory) {
            self.counters.remove(session, &old.changed_counters(rules));
        }
    }

    /// Removes the rules of a session and what they have counted, or those of all sessions.
    pub(crate) fn remove_rules(&self, session: Option<&str>) {
        for (session, rules) in self.session_rules.remove(session) {
            self.counters.remove(&session, &rules.counters());
        }
    }

    /// Removes the rules of sessions that have not been used for an hour, as their counters are.
    pub(crate) fn drop_idle_rules(&self) {
        let idle = self.session_rules.idle(SessionLimits::IDLE);
        idle.iter().for_each(|session| self.remove_rules(Some(session)));
    }

    /// Returns the rules of a session, if it has any.
    pub(crate) fn rules_of(&self, session: &str) -> Option<Arc<Rules>> {
        self.session_rules.get(session)
    }

    /// Returns the rules that calls are expected to use: those of the session, if it has any, or else those
    /// of all components. Without a session, those of all components and sessions.
    pub(crate) fn rules_to_use(&self, session: Option<&str>) -> Vec<Arc<Rules>> {
        let own = session.and_then(|session| self.session_rules.get(session));
        if let Some(own) = own {
            return vec![own];
        }
        let components = self.components_and_instances();
        let of_components = components.iter().filter_map(|it| it.rules.component.clone());
        let of_sessions = session.is_none().then(|| self.session_rules.all());
        of_components.chain(of_sessions.into_iter().flatten()).collect()
    }

    /// Removes the faults that tests have set for a session, or for all, and ends the waits of its calls.
    pub(crate) fn clear_faults(&self, session: Option<&str>) {
        self.faults.clear(session);
        self.waiting.end(session);
    }

    /// Drops what is kept of a session, or of all sessions, except for the journal.
    pub(crate) fn reset(&self, session: Option<&str>) {
        self.counters.reset(session);
        drop(self.session_rules.remove(session));
        self.clear_faults(session);
        self.responses.reset(session);
        self.components_and_instances().iter().for_each(|component| component.reset(session));
    }

    /// Applies a change to the components. Calls in flight finish on the components that they
    /// started with.
    pub(crate) fn apply(&self, change: &Change) {
        let specs = change.added.iter().chain(&change.changed);
        let components = specs.map(|spec| self.component(spec)).collect();
        self.components.change(&change.removed, components);
        change.removed.iter().for_each(|name| self.metrics.remove_component(name));
    }

    /// Returns the labels that clients have set together with the sidecar's own, which take
    /// precedence.
    pub(crate) fn extended_metadata(&self) -> BTreeMap<String, String> {
        let mut labels = self.labels.all();
        labels.insert("daprRuntimeVersion".to_owned(), RUNTIME_VERSION.to_owned());
        labels.insert("mynahVersion".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        labels
    }
}
