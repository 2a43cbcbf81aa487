//! Values that are validated when the file is parsed.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::BaseTimestamp;

/// A whole number in a range.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Count<const MIN: u32, const MAX: u32>(pub(crate) u32);

impl<const MIN: u32, const MAX: u32> TryFrom<i64> for Count<MIN, MAX> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        let valid = u32::try_from(number).ok().filter(|number| (MIN..=MAX).contains(number));
        valid.map(Self).ok_or_else(|| format!("{number} is out of range; use {MIN} to {MAX}"))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Count<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Count_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A point in time such as 2026-05-01T09:00:00Z, or now.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct StartTime(pub(crate) BaseTimestamp);

impl TryFrom<String> for StartTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "now" {
            return Ok(Self(BaseTimestamp::Now));
        }
        text.parse().map(|time| Self(BaseTimestamp::At(time))).map_err(|_| {
            let expected = "use now or RFC 3339, such as 2026-05-01T09:00:00Z";
            format!("{text:?} is not a point in time; {expected}")
        })
    }
}
