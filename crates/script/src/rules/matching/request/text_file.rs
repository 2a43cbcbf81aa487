//! The files of long texts of recorded requests.

use std::path::Path;

use mynah_core::base::{files, mapping::Mapping, text::shorten};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use twox_hash::XxHash3_64;

/// The folder with the texts, beside the file of rules.
pub const REQUESTS: &str = "requests";
/// Texts of more bytes have files of their own.
const MAX_INLINE: usize = 2 << 10;
/// Maximum number of characters of the beginning of a text.
const MAX_BEGINNING: usize = 64;
/// Maximum size of a file in MiB.
const MAX_MIB: u64 = 64;

/// A text, or the file that has it.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "RecordedText")]
#[expect(dead_code, reason = "describes the format only")]
pub(super) enum TextSource {
    /// The text.
    Text(String),
    /// The file of a long text.
    File(TextFile),
}

/// The file of a long text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordedTextFile")]
pub struct TextFile {
    /// The path of the file from that of the rules: requests/, the hash of the text and .json.
    #[schemars(regex(pattern = "^requests/[0-9a-f]{16}[.]json$"))]
    pub file: String,
    /// How the text begins. For readers; has no effect.
    #[schemars(with = "Option<String>")]
    begins: String,
}

/// The content of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredText {
    text: String,
}

impl TextFile {
    /// The keys in rules.
    pub(crate) const KEYS: [&str; 2] = ["file", "begins"];

    /// Returns the file of a text, if the text is long.
    pub fn of(text: &str) -> Option<Self> {
        if !Self::is_long(text) {
            return None;
        }
        let first_line = text.trim_start().lines().next().unwrap_or_default();
        let file = format!("{REQUESTS}/{}.json", hash(text));
        Some(Self { file, begins: shorten(first_line.trim_end(), MAX_BEGINNING).into_owned() })
    }

    /// Returns `true` if a text has a file of its own.
    pub(super) fn is_long(text: &str) -> bool {
        text.len() > MAX_INLINE
    }

    /// Returns the content of the file of a text.
    pub fn content(text: &str) -> String {
        format!("{:#}\n", json!({ "text": text }))
    }

    /// Returns `true` if a file in the folder has the name of a text.
    pub fn is_name(name: &str) -> bool {
        hash_in(name).is_some()
    }

    /// Reads a text. `file` is relative to the folder of the rules.
    pub(crate) fn read(folder: &Path, file: &str) -> Result<String, String> {
        let name = file.strip_prefix(REQUESTS).and_then(|it| it.strip_prefix('/'));
        let expected = || {
            format!(
                "{file:?} is not the file of a text; expected {REQUESTS}/, 16 hexadecimal digits and .json"
            )
        };
        let hash = name.and_then(hash_in).ok_or_else(expected)?;
        let failed = |reason: String| {
            format!("{file} {reason}; restore the file, or write the text in the rule instead")
        };
        let json = files::read_large(&folder.join(file), MAX_MIB);
        let json = json.map_err(|error| failed(error.message))?;
        checked(&json, hash).map_err(failed)
    }
}

/// Returns the text of a file, which must have this hash.
fn checked(json: &str, expected: &str) -> Result<String, String> {
    let damaged = |_| "is damaged: expected a JSON object with the key text".to_owned();
    let Mapping(stored): Mapping<StoredText> = serde_json::from_str(json).map_err(damaged)?;
    match hash(&stored.text) {
        seen if seen == expected => Ok(stored.text),
        seen => Err(format!("does not have the recorded text: the hash of its text is {seen}")),
    }
}

fn hash(text: &str) -> String {
    format!("{:016x}", XxHash3_64::oneshot(text.as_bytes()))
}

/// Returns the hash in the name of a file.
fn hash_in(name: &str) -> Option<&str> {
    let is_digit = |it: u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    let hash = name.strip_suffix(".json")?;
    (hash.len() == 16 && hash.bytes().all(is_digit)).then_some(hash)
}
