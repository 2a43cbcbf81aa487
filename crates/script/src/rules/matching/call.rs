//! A call, as conditions see it.

use std::{
    borrow::Cow,
    cell::{OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use mynah_core::{
    base::redactor::Redactor,
    chat::{Attachment, Message, Request, Role, ToolCall},
    provider::turns::count_turns,
};
use serde_json::Value;

use super::{
    parameter::text_of,
    request::{NormalizedForm, Normalizer, RequestCondition, RequestForm},
    user::UserText,
};

/// Where a call comes from, and where it goes.
#[derive(Debug, Clone, Copy)]
pub struct CallOrigin<'c> {
    /// Name of the component.
    pub component: &'c str,
    /// Name of the component's model.
    pub model: Option<&'c str>,
    /// Name of the session.
    pub session: &'c str,
    /// Whether the call arrived through the first version of Dapr's API, which has no tools.
    pub alpha1: bool,
    /// What removes secrets before the request is compared with recorded ones.
    pub redactor: &'c Redactor,
}

/// A call, as conditions see it.
#[derive(Debug)]
pub struct MatchedCall<'c> {
    /// The request.
    pub request: &'c Request,
    /// Name of the component.
    pub component: &'c str,
    /// Name of the model: the one that the client asks for, or else that of the component.
    pub model: Option<&'c str>,
    /// Name of the session.
    pub session: &'c str,
    /// Whether the call arrived through the first version of Dapr's API, which has no tools.
    pub alpha1: bool,
    /// What removes secrets before the request is compared with recorded ones.
    pub redactor: &'c Redactor,
    /// The text of the last user message, for each way to find it.
    user: [OnceCell<Option<Cow<'c, str>>>; 4],
    system: OnceCell<Option<String>>,
    last_message: OnceCell<Option<Cow<'c, str>>>,
    /// The results of tools at the end of the history.
    results: OnceCell<Vec<ToolText<'c>>>,
    tool_calls: OnceCell<Vec<ToolText<'c>>>,
    response_format: OnceCell<Option<String>>,
    turns: OnceCell<u64>,
    /// The forms that conditions have asked for.
    normalized: RefCell<Vec<AskedForm>>,
}

/// The canonical form of a request, with its normalization.
#[derive(Debug)]
struct AskedForm {
    normalizer: Arc<Normalizer>,
    /// Whether it has no secrets.
    is_redacted: bool,
    form: Rc<NormalizedForm>,
}

/// A result of a tool, or the arguments of a call.
#[derive(Debug)]
pub(super) struct ToolText<'c> {
    pub(super) id: Option<&'c str>,
    pub(super) tool: &'c str,
    pub(super) text: Cow<'c, str>,
    json: OnceCell<Option<Value>>,
}

impl<'c> MatchedCall<'c> {
    /// Creates a call of version 2 of Dapr's API in the default session.
    pub fn new(request: &'c Request, component: &'c str) -> Self {
        let session = mynah_core::provider::call::DEFAULT_SESSION;
        let redactor = Redactor::of_patterns();
        let origin = CallOrigin { component, model: None, session, alpha1: false, redactor };
        Self::with_origin(request, origin)
    }

    /// Creates a call. Its model is the one that the client asks for, or else that of the component.
    pub fn with_origin(request: &'c Request, origin: CallOrigin<'c>) -> Self {
        let CallOrigin { component, model, session, alpha1, redactor } = origin;
        Self {
            request,
            component,
            model: request.model.as_deref().or(model),
            session,
            alpha1,
            redactor,
            user: Default::default(),
            system: OnceCell::new(),
            last_message: OnceCell::new(),
            results: OnceCell::new(),
            tool_calls: OnceCell::new(),
            response_format: OnceCell::new(),
            turns: OnceCell::new(),
            normalized: RefCell::default(),
        }
    }

    /// Returns the text of the last user message.
    pub(super) fn user(&self, text: UserText) -> Option<&str> {
        let UserText { joins_directly, skips_empty } = text;
        let text_of = |message: &'c Message| match joins_directly {
            true if message.parts.len() > 1 => Cow::Owned(message.parts.concat()),
            _ => message.text(),
        };
        let find = || {
            let users = self.request.messages.iter().rev();
            let mut users = users.filter(|message| matches!(message.role, Role::User));
            users.find(|it| !skips_empty || it.parts.iter().any(|part| !part.is_empty()))
        };
        let index = usize::from(joins_directly) * 2 + usize::from(skips_empty);
        self.user[index].get_or_init(|| find().map(text_of)).as_deref()
    }

    /// Returns the texts of all system and developer messages, one per line.
    pub(super) fn system(&self) -> Option<&str> {
        let read = || {
            let is_system = |it: &&Message| matches!(it.role, Role::System | Role::Developer);
            let texts: Vec<_> =
                self.request.messages.iter().filter(is_system).map(Message::text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        self.system.get_or_init(read).as_deref()
    }

    /// Returns the text of the last message.
    pub(super) fn last_message(&self) -> Option<&str> {
        self.last_message.get_or_init(|| self.request.messages.last().map(Message::text)).as_deref()
    }

    /// Returns the number of turns of the model so far.
    pub(super) fn turns(&self) -> u64 {
        *self.turns.get_or_init(|| count_turns(self.request.messages.iter()) as u64)
    }

    /// Returns `true` if the last user message has a part of this kind.
    pub(super) fn has(&self, kind: Attachment) -> bool {
        self.request.last_user().is_some_and(|message| message.attachments.contains(&kind))
    }

    /// Returns the text of a parameter, which is the JSON of a value that is not a text.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        text_of(self.request.parameters.get(name)?.value.read())
    }

    /// Returns the canonical form of the request.
    pub(in super::super) fn form(&self) -> RequestForm {
        RequestForm::new(self.request, self.component)
    }

    /// Returns `true` if the call has a recorded request.
    pub(super) fn has_request(&self, recorded: &RequestCondition) -> bool {
        let normalizer = recorded.normalizer();
        recorded.equals(&self.normalized(normalizer)) || recorded.equals(&self.redacted(normalizer))
    }

    /// Returns the canonical form of the request with normalized texts, and the secrets that it may have.
    pub(in super::super) fn normalized(&self, normalizer: &Arc<Normalizer>) -> Rc<NormalizedForm> {
        self.asked(normalizer, None)
    }

    /// Returns the canonical form of the request with normalized texts, and without secrets.
    pub(in super::super) fn redacted(&self, normalizer: &Arc<Normalizer>) -> Rc<NormalizedForm> {
        self.asked(normalizer, Some(self.redactor))
    }

    fn asked(
        &self,
        normalizer: &Arc<Normalizer>,
        redactor: Option<&Redactor>,
    ) -> Rc<NormalizedForm> {
        let mut known = self.normalized.borrow_mut();
        let is_redacted = redactor.is_some();
        let is_same = |it: &&AskedForm| {
            Arc::ptr_eq(&it.normalizer, normalizer) && it.is_redacted == is_redacted
        };
        if let Some(known) = known.iter().find(is_same) {
            return known.form.clone();
        }
        let form = Rc::new(NormalizedForm::new(self.form(), normalizer, redactor));
        let normalizer = normalizer.clone();
        known.push(AskedForm { normalizer, is_redacted, form: form.clone() });
        form
    }

    /// Returns the JSON of the response format.
    pub(super) fn response_format(&self) -> Option<&str> {
        let read = || Some(self.request.response_format.as_ref()?.read().to_string());
        self.response_format.get_or_init(read).as_deref()
    }

    /// Returns the maximum number of generated tokens, if the request has one.
    pub(super) fn max_tokens(&self) -> Option<u64> {
        self.request.max_tokens.and_then(|max| max.try_into().ok())
    }

    /// Returns the version of Dapr's API.
    pub(super) fn alpha(&self) -> u8 {
        if self.alpha1 { 1 } else { 2 }
    }

    /// Returns `true` if the request offers the tool.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.request.tools.iter().any(|tool| tool.name == name)
    }

    /// Returns `true` if there is a result of a tool after the last user message.
    pub(super) fn has_result_since_user(&self) -> bool {
        let newest_first = self.request.messages.iter().rev();
        let mut since = newest_first.take_while(|message| !matches!(message.role, Role::User));
        since.any(|message| matches!(message.role, Role::Tool { .. }))
    }

    /// Returns the results of tools at the end of the history.
    pub(super) fn results(&self) -> &[ToolText<'c>] {
        self.results.get_or_init(|| {
            self.request.tool_results().iter().filter_map(ToolText::of_result).collect()
        })
    }

    /// Returns the tool calls in the history, with their arguments.
    pub(super) fn tool_calls(&self) -> &[ToolText<'c>] {
        self.tool_calls.get_or_init(|| {
            self.request
                .messages
                .iter()
                .flat_map(Message::tool_calls)
                .map(ToolText::of_call)
                .collect()
        })
    }
}

impl<'c> ToolText<'c> {
    fn of_call(call: &'c ToolCall) -> Self {
        let (id, text) = (call.id.as_deref(), Cow::Borrowed(&*call.arguments));
        Self { id, tool: &call.name, text, json: OnceCell::new() }
    }

    fn of_result(message: &'c Message) -> Option<Self> {
        let Role::Tool { id, name } = &message.role else { return None };
        let (text, json) = (message.text(), OnceCell::new());
        Some(Self { id: id.as_deref(), tool: name, text, json })
    }

    /// Returns the text as JSON, if it is JSON.
    pub(super) fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_str(&self.text).ok()).as_ref()
    }
}
