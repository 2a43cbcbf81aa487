//! The texts of a call that conditions are about.

use std::borrow::Cow;

use mynah_core::chat::Message;

use super::{MatchedCall, user::UserText};

/// A text of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Field {
    Component,
    Model,
    Session,
    ContextId,
    User(UserText),
    System,
    LastMessage,
}

impl Field {
    /// Returns the text in a call.
    pub(in super::super) fn of<'t>(self, call: &'t MatchedCall<'_>) -> Option<&'t str> {
        match self {
            Self::Component => Some(call.component),
            Self::Model => call.model,
            Self::Session => Some(call.session),
            Self::ContextId => call.request.context_id.as_deref(),
            Self::User(text) => call.user(text),
            Self::System => call.system(),
            Self::LastMessage => call.last_message(),
        }
    }

    /// Returns the key of conditions on the text.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Model => "model",
            Self::Session => "session",
            Self::ContextId => "context_id",
            Self::User(_) => "user",
            Self::System => "system",
            Self::LastMessage => "last_message",
        }
    }
}

/// The texts of a call of which one must meet a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Searched {
    One(Field),
    AllMessages,
    Results,
    ResultTools,
    ResultIds,
}

impl Searched {
    /// Returns the texts in a call.
    pub(in super::super) fn of<'t>(self, call: &'t MatchedCall<'_>) -> Vec<Cow<'t, str>> {
        let results = call.results().iter();
        match self {
            Self::One(field) => field.of(call).map(Cow::Borrowed).into_iter().collect(),
            Self::AllMessages => call.request.messages.iter().map(Message::text).collect(),
            Self::Results => results.map(|it| Cow::Borrowed(&*it.text)).collect(),
            Self::ResultTools => results.map(|it| Cow::Borrowed(it.tool)).collect(),
            Self::ResultIds => results.filter_map(|it| it.id.map(Cow::Borrowed)).collect(),
        }
    }
}
