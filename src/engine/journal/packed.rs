//! Responses in few bytes, and the memory that a shard copies them into.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::chat::{MissingPart, Response, ToolCall, Usage};

/// The maximum size of what is not text: lengths, numbers, and the name of a known finish reason.
const FIXED: usize = 72;
/// The maximum size of what is not text in a tool call.
const CALL: usize = 16;

/// A response that is unpacked only when it is read.
#[derive(Debug, Clone)]
pub(crate) struct PackedResponse(Bytes);

impl PackedResponse {
    pub(super) fn new(response: &Response, memory: &mut Memory) -> Self {
        // Many small pieces are appended faster to a `Vec` than to the memory.
        let mut packed = Vec::with_capacity(max_size(response));
        pack(response, &mut packed);
        Self(memory.store(&packed))
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        self.0.len()
    }

    pub(super) fn copied(&self, memory: &mut Memory) -> Self {
        Self(memory.store(&self.0))
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Returns the response.
    pub(crate) fn unpack(&self) -> Response {
        // Nothing but `pack` has written the bytes.
        unpack(&mut &self.0[..]).unwrap_or_default()
    }
}

fn max_size(response: &Response) -> usize {
    let call = |call: &ToolCall| {
        CALL + call.id.as_ref().map_or(0, String::len) + call.name.len() + call.arguments.len()
    };
    FIXED
        + response.reasoning.len()
        + response.content.len()
        + response.finish_reason.as_str().len()
        + response.model.as_ref().map_or(0, String::len)
        + response.tool_calls.iter().map(call).sum::<usize>()
}

fn pack(response: &Response, packed: &mut Vec<u8>) {
    // The journal shows the first choice, and not whether a script is exhausted.
    let Response {
        reasoning,
        content,
        tool_calls,
        finish_reason,
        model,
        usage,
        missing,
        others: _,
        is_exhausted: _,
        served_by: _,
    } = response;
    put_text(packed, reasoning);
    put_text(packed, content);
    put_text(packed, finish_reason.as_str());
    put_option(packed, model.as_deref());
    packed.put_u8(usage.is_some().into());
    if let Some(Usage { prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens }) = usage
    {
        for count in [prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens] {
            packed.put_u64(*count);
        }
    }
    let part = MissingPart::ALL.iter().position(|part| Some(*part) == *missing);
    packed.put_u8(part.map_or(u8::MAX, |part| part as u8));
    packed.put_u32(tool_calls.len() as u32);
    for ToolCall { id, name, arguments } in tool_calls {
        put_option(packed, id.as_deref());
        put_text(packed, name);
        put_text(packed, arguments);
    }
}

fn put_text(packed: &mut Vec<u8>, text: &str) {
    packed.put_u32(text.len() as u32);
    packed.put_slice(text.as_bytes());
}

fn put_option(packed: &mut Vec<u8>, text: Option<&str>) {
    packed.put_u8(text.is_some().into());
    text.into_iter().for_each(|text| put_text(packed, text));
}

fn unpack(packed: &mut &[u8]) -> Option<Response> {
    // The fields are read in this order.
    Some(Response {
        served_by: None,
        others: Vec::new(),
        reasoning: take_text(packed)?,
        content: take_text(packed)?,
        finish_reason: take_text(packed)?.as_str().into(),
        model: take_option(packed, take_text)?,
        usage: take_option(packed, take_usage)?,
        missing: MissingPart::ALL.get(usize::from(take_u8(packed)?)).copied(),
        tool_calls: {
            let count = packed.try_get_u32().ok()?;
            (0..count).map(|_| take_call(packed)).collect::<Option<_>>()?
        },
        is_exhausted: false,
    })
}

fn take_u8(packed: &mut &[u8]) -> Option<u8> {
    packed.try_get_u8().ok()
}

fn take_option<T>(
    packed: &mut &[u8],
    take: impl FnOnce(&mut &[u8]) -> Option<T>,
) -> Option<Option<T>> {
    if take_u8(packed)? == 0 { Some(None) } else { take(packed).map(Some) }
}

fn take_text(packed: &mut &[u8]) -> Option<String> {
    let length = packed.try_get_u32().ok()? as usize;
    let (text, rest) = packed.split_at_checked(length)?;
    *packed = rest;
    String::from_utf8(text.to_vec()).ok()
}

fn take_usage(packed: &mut &[u8]) -> Option<Usage> {
    let mut count = || packed.try_get_u64().ok();
    Some(Usage {
        prompt_tokens: count()?,
        completion_tokens: count()?,
        reasoning_tokens: count()?,
        cached_tokens: count()?,
    })
}

fn take_call(packed: &mut &[u8]) -> Option<ToolCall> {
    let (id, name) = (take_option(packed, take_text)?, take_text(packed)?);
    Some(ToolCall { id, name, arguments: take_text(packed)? })
}

/// The size of a segment in bytes, if the journal may be much larger.
const SEGMENT: usize = 256 * 1024;

/// Appends bytes to segments. A segment is used again when the last entry in it is dropped.
#[derive(Debug)]
pub(super) struct Memory {
    /// The rest of the current segment.
    open: BytesMut,
    /// A segment that is free.
    spare: Option<BytesMut>,
    segment: usize,
}

impl Memory {
    /// Creates the memory of a journal of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { open: BytesMut::new(), spare: None, segment: SEGMENT.min(limit / 8) }
    }

    /// Stores a copy.
    pub(super) fn store(&mut self, bytes: &[u8]) -> Bytes {
        // Memory of its own, so that little of a segment stays unused.
        if bytes.len() > self.segment / 16 {
            return BytesMut::from(bytes).freeze();
        }
        if self.open.capacity() < bytes.len() {
            let new = || BytesMut::with_capacity(self.segment);
            self.open = self.spare.take().unwrap_or_else(new);
        }
        self.open.extend_from_slice(bytes);
        self.open.split().freeze()
    }

    /// Frees bytes. Their segment is used again if no others are in it.
    pub(super) fn free(&mut self, bytes: Bytes) {
        if let Ok(mut segment) = bytes.try_into_mut() {
            segment.clear();
            // A request that was not copied may have more.
            if segment.try_reclaim(self.segment) && segment.capacity() <= 2 * self.segment {
                self.spare = Some(segment);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::FinishReason;

    #[test]
    fn unpacks_what_was_packed() {
        let call = |id: Option<&str>| ToolCall {
            id: id.map(str::to_owned),
            name: "get".to_owned(),
            arguments: "{}".to_owned(),
        };
        let usage = Usage {
            prompt_tokens: 1,
            completion_tokens: u64::MAX,
            reasoning_tokens: 2,
            cached_tokens: 3,
        };
        let full = Response {
            served_by: None,
            reasoning: "why".to_owned(),
            content: "é".repeat(100),
            tool_calls: vec![call(Some("call_1")), call(None)],
            finish_reason: FinishReason::Other("paused".into()),
            model: Some(String::new()),
            usage: Some(usage),
            missing: Some(MissingPart::Message),
            others: Vec::new(),
            is_exhausted: false,
        };
        for response in [full, Response::default()] {
            let mut memory = Memory::new(1 << 20);
            assert_eq!(PackedResponse::new(&response, &mut memory).unpack(), response);
        }
    }

    #[test]
    fn uses_segments_again() {
        let mut memory = Memory::new(SEGMENT);
        let bytes = [7; 1024];
        let stored: Vec<_> = (0..32).map(|_| memory.store(&bytes)).collect();
        assert!(stored.iter().all(|stored| stored[..] == bytes));
        let first = stored[0].as_ptr();
        // The next piece is in another segment, so that nothing but these refers to the first.
        let kept = memory.store(&bytes);
        stored.into_iter().for_each(|bytes| memory.free(bytes));
        let again: Vec<_> = (0..32).map(|_| memory.store(&bytes)).collect();
        assert!(again.iter().any(|bytes| bytes.as_ptr() == first));
        assert_eq!(kept, bytes[..]);
    }

    #[test]
    fn gives_large_pieces_their_own_memory() {
        let mut memory = Memory::new(8 * SEGMENT);
        let large = memory.store(&vec![1; SEGMENT]);
        assert_eq!(memory.open.capacity(), 0);
        memory.free(large);
        assert_eq!(memory.store(b"a"), b"a"[..]);
    }
}
