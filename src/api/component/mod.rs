//! The component socket, over which daprd uses mynah as a pluggable component: as a conversation
//! component and as an output binding.

mod binding;
mod conversation;
mod pluggable;
mod service;

pub(crate) use self::service::Service;
