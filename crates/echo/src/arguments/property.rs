//! The properties of a call that take facts from messages.

use std::{ops::Deref, rc::Rc};

use serde_json::Value;

use super::{describe::Description, generator::StatedValue, origin::Origin};
use crate::facts::Fact;

/// A property of a call, or one of a nested object.
#[derive(Clone)]
pub(super) struct Property<'a> {
    description: &'a Description<'a>,
    /// What the property may take from a message, best first.
    pub(super) offers: Rc<[Offer]>,
    pub(super) value: Option<Value>,
    /// The fact that gave the value.
    pub(super) fact: Option<Rc<Fact>>,
    /// Where the value comes from, if that is traced.
    pub(super) origin: Option<Origin>,
}

/// A fact that a property may take.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) fact: Rc<Fact>,
    /// The value in `enum` that the fact states.
    pub(super) choice: Option<Value>,
}

impl<'a> Deref for Property<'a> {
    type Target = Description<'a>;

    fn deref(&self) -> &Description<'a> {
        self.description
    }
}

impl<'a> Property<'a> {
    /// Creates a property without a value.
    pub(super) fn new(description: &'a Description<'a>) -> Self {
        Self { description, offers: Rc::new([]), value: None, fact: None, origin: None }
    }

    /// Returns the value, if there is one, by the path of the property.
    pub(super) fn into_stated(self) -> Option<(&'a [String], StatedValue<'a>)> {
        let Description { path, schemas, .. } = self.description;
        Some((path, StatedValue { value: self.value?, satisfied: schemas, origin: self.origin }))
    }

    /// Takes the value of the property in another call, or none.
    pub(super) fn repeat(&mut self, other: Option<&Self>) {
        self.value = other.and_then(|other| other.value.clone());
        self.fact = other.and_then(|other| other.fact.clone());
        self.origin = other.and_then(|other| other.origin.clone());
    }

    pub(super) fn is_open(&self) -> bool {
        self.value.is_none()
    }

    /// Returns `true` for a text that must be there and may be any words.
    pub(super) fn waits_for_words(&self) -> bool {
        self.is_open() && self.is_wanted && self.is_any_text()
    }

    /// Returns `true` for a list of any words that need not be there.
    pub(super) fn waits_for_list(&self) -> bool {
        self.is_open() && !self.is_wanted && self.is_array && self.is_any_text()
    }

    /// Returns `true` for a number, of any value, that the property has not.
    pub(super) fn waits_for_number(&self) -> bool {
        self.is_open_and_single() && self.is_numeric()
    }

    /// Returns `true` if the property has no value, takes only one and may take any.
    pub(super) fn is_open_and_single(&self) -> bool {
        self.is_open() && !self.is_array && !self.has_choices()
    }
}
