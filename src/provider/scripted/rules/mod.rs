//! Rules, which answer requests that meet their conditions.

#[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "not all callers exist yet"))]
pub mod index;
#[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "not all callers exist yet"))]
pub mod matching;
#[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "not all callers exist yet"))]
pub mod template;
