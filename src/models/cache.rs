//! Keeps the answers of sidecars in a folder.

use std::{
    collections::BTreeMap,
    fs,
    future::Future,
    hash::Hasher,
    io, mem,
    path::{Path, PathBuf},
    process,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use crate::{
    base::{blocking::run_blocking, files},
    chat::{Response, ToolCall, Usage},
    provider::{EXHAUSTED, ProviderError},
};

/// Maximum size of an answer that is kept, in bytes. Files may have 4 MiB.
const MAX_ANSWER: usize = 1 << 20;
/// Maximum size of all answers in bytes.
const MAX_SIZE: u64 = 1 << 30;
/// What a file takes at least.
const BLOCK: u64 = 4096;

/// Answers by their requests, each in a file of a folder. They are never removed.
pub(super) struct Cache {
    folder: PathBuf,
    /// The requests that are being answered. The same request waits for the first answer.
    pending: Mutex<BTreeMap<Key, Weak<tokio::sync::Mutex<()>>>>,
    size: Mutex<Size>,
}

/// The hash of a request and of where it goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64, u64);

/// The size of the folder.
enum Size {
    Unknown,
    Bytes(u64),
    /// Nothing more is kept.
    Full,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), pending: Mutex::default(), size: Size::Unknown.into() }
    }

    /// Returns the key of an encoded request to an address.
    pub(super) fn key(&self, address: &str, request: &[u8]) -> Key {
        let hash = |seed| {
            let mut hasher = XxHash3_64::with_seed(seed);
            hasher.write(&(address.len() as u64).to_le_bytes());
            hasher.write(address.as_bytes());
            hasher.write(request);
            hasher.finish()
        };
        Key(hash(0), hash(1))
    }

    /// Returns the answer that is kept, or else asks for it and keeps it. Errors are not kept.
    pub(super) async fn get_or_ask(
        self: &Arc<Self>,
        key: Key,
        ask: impl Future<Output = Result<Response, ProviderError>>,
    ) -> Result<Response, ProviderError> {
        let pending = self.pending(key);
        let _first = pending.lock().await;
        let file = self.folder.join(format!("{:016x}{:016x}.json", key.0, key.1));
        let path = file.clone();
        if let Ok(Some(answer)) = run_blocking(move || read(&path)).await {
            return Ok(answer);
        }
        let answer = ask.await?;
        let (cache, kept) = (self.clone(), answer.clone());
        // A panic is logged, and the answer is still useful.
        let _ = run_blocking(move || cache.keep(&file, kept)).await;
        Ok(answer)
    }

    /// Returns the lock for the requests with a key.
    fn pending(&self, key: Key) -> Arc<tokio::sync::Mutex<()>> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|_, lock| lock.strong_count() > 0);
        let known = pending.get(&key).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let lock = Arc::default();
            pending.insert(key, Arc::downgrade(&lock));
            lock
        })
    }

    fn keep(&self, file: &Path, answer: Response) {
        // The types of an answer can always be converted to JSON.
        let json = serde_json::to_string(&Answer::from(answer)).unwrap_or_default();
        if json.is_empty() || json.len() > MAX_ANSWER || !self.reserve(json.len() as u64) {
            return;
        }
        if let Err(error) = write(file, &json) {
            tracing::warn!("the answer is not kept: {}: {error}", file.display());
        }
    }

    /// Returns `true` if the folder has room for a file.
    fn reserve(&self, bytes: u64) -> bool {
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        let used = match mem::replace(&mut *size, Size::Full) {
            Size::Full => return false,
            Size::Unknown => size_of(&self.folder),
            Size::Bytes(used) => used,
        };
        let used = used.saturating_add(bytes.max(BLOCK));
        if used > MAX_SIZE {
            tracing::warn!("{} has 1 GiB of answers; no more are kept", self.folder.display());
            return false;
        }
        *size = Size::Bytes(used);
        true
    }
}

/// Returns the size of the files in a folder, which may not exist.
fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|it| it.len().max(BLOCK)).sum()
}

/// Returns the answer in a file, if there is one. After a power failure, a file may be damaged.
fn read(file: &Path) -> Option<Response> {
    if !file.exists() {
        return None;
    }
    let text = files::read_regular(file).map_err(|error| error.to_string());
    let answer = text.and_then(|it| {
        let answer = serde_json::from_str::<Answer>(&it);
        answer.map_err(|error| format!("{}: not an answer: {error}", file.display()))
    });
    answer.inspect_err(|error| tracing::warn!("{error}; asking again")).ok().map(Into::into)
}

/// Writes a file atomically. Processes that write the same file do not disturb each other.
fn write(file: &Path, text: &str) -> io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    let unfinished = file.with_added_extension(format!("{}.tmp", process::id()));
    fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, file)).inspect_err(|_| {
        // The file may not exist.
        let _ = fs::remove_file(&unfinished);
    })
}

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Answer {
    content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
    finish_reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The tokens of the prompt, of the completion, of reasoning, and of the prompt from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<[u64; 4]>,
}

#[derive(Serialize, Deserialize)]
struct Call {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    arguments: String,
}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        let call = |ToolCall { id, name, arguments }| Call { id, name, arguments };
        Self {
            content: response.content,
            tool_calls: response.tool_calls.into_iter().map(call).collect(),
            finish_reason: response.finish_reason.as_str().to_owned(),
            model: response.model,
            usage: response.usage.map(|it| {
                [it.prompt_tokens, it.completion_tokens, it.reasoning_tokens, it.cached_tokens]
            }),
        }
    }
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        let call = |Call { id, name, arguments }| ToolCall { id, name, arguments };
        let usage = |[prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens]: [_;
                         4]| Usage {
            prompt_tokens,
            completion_tokens,
            reasoning_tokens,
            cached_tokens,
        };
        Self {
            is_exhausted: answer.content == EXHAUSTED,
            content: answer.content,
            tool_calls: answer.tool_calls.into_iter().map(call).collect(),
            finish_reason: answer.finish_reason.as_str().into(),
            model: answer.model,
            usage: answer.usage.map(usage),
            ..Self::default()
        }
    }
}
