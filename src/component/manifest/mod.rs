//! Component YAML as written, before its meaning is checked.

mod documents;
mod fields;
mod item;
mod read;
mod resource;

pub(super) use fields::Located;
pub(super) use item::{Item, SecretKeyRef, Source};
pub(super) use read::{Entry, read_paths};
pub(super) use resource::{Manifest, UNAPPLIED_POLICIES};
