//! What functions that are tools return.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use serde_json::Value;

use super::{ToolError, ToolOutput};

/// What a [function](super::ToolFunction) that is a tool returns: a value, or a `Result` with a
/// [`ToolError`].
///
/// Any value that can be serialized can be returned as `Ok(value)`. Texts, numbers, booleans, JSON,
/// lists, maps and options can also be returned without a `Result`. Implement this trait for types
/// of your own that should also be:
///
/// ```
/// use mynah_agent::tool_loop::{ToolError, ToolOutput, ToolRegistry, ToolReturn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Bill { amount: f64 }
///
/// #[derive(serde::Serialize)]
/// struct Tip { tip: f64 }
///
/// impl ToolReturn for Tip {
///     fn into_output(self) -> Result<ToolOutput, ToolError> {
///         Ok(ToolOutput::new(&self)?)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register("calculate_tip", "A tip of 20%", |bill: Bill| Tip { tip: bill.amount / 5.0 })?;
/// assert_eq!(registry.run("calculate_tip", r#"{"amount": 60}"#).await?, r#"{"tip":12.0}"#);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a text, a number, JSON or a `Result` with a `ToolError`",
    note = "return `Ok(value)` if the value implements `serde::Serialize`"
)]
pub trait ToolReturn {
    /// Returns the output for the model.
    ///
    /// # Errors
    ///
    /// Fails if the tool failed, or if the value cannot be represented as JSON.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl<T: Serialize> ToolReturn for Result<T, ToolError> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(&self?)?)
    }
}

/// Implements the trait for types that can be serialized. It cannot be implemented for all of them:
/// `Ok(value)` alone would no longer say which type of error it has.
macro_rules! serialized {
    ($([$($generic:tt)*] $type:ty,)*) => {$(
        impl<$($generic)*> ToolReturn for $type {
            fn into_output(self) -> Result<ToolOutput, ToolError> {
                Ok(ToolOutput::new(&self)?)
            }
        }
    )*};
}

serialized! {
    [] (), [] bool, [] char,
    [] u8, [] u16, [] u32, [] u64, [] usize, [] i8, [] i16, [] i32, [] i64, [] isize, [] f32, [] f64,
    [T: Serialize] Vec<T>, [T: Serialize] Option<T>, [K: Serialize, V: Serialize] BTreeMap<K, V>,
}

/// Implements the trait for types that are converted without being serialized.
macro_rules! converted {
    ($($type:ty),*) => {$(
        impl ToolReturn for $type {
            fn into_output(self) -> Result<ToolOutput, ToolError> {
                Ok(self.into())
            }
        }
    )*};
}

converted! { ToolOutput, Value, String, &str }

impl ToolReturn for Cow<'_, str> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self.into_owned().into())
    }
}
