//! Instruction chains: steps in a user message.

// active_chain  finds the active chain and counts the turns after it
// tags          finds blocks between instruction tags
// chain         a parsed chain
// player        selects the step of a turn
// malformed     texts that look like chains, but are not
// strip         removes chains from requests

mod active_chain;
mod chain;
mod malformed;
mod player;
mod strip;
pub mod tags;

pub use self::active_chain::chain_ranges;
pub(super) use self::active_chain::{ActiveChain, find_active_chain, has_long_chain};
pub use self::chain::{Chain, schema};
pub(super) use self::chain::{NumberedStep, Turns};
pub(super) use self::player::{CallCounters, Plan, Planned};
pub(super) use self::strip::without_chains;
