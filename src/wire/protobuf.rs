//! Splits encoded protobuf messages into fields, without copying and without descriptors.

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Field<'m> {
    Varint(u64),
    Fixed64(u64),
    Fixed32,
    /// A text, a message or bytes.
    Bytes(&'m [u8]),
}

/// A field: its number, its value and its encoded form.
type RawField<'m> = (u64, Field<'m>, &'m [u8]);

/// Iterates over the numbers and values of the fields of a message. Ends with `None` at the first
/// malformed field.
pub(super) fn fields(message: &[u8]) -> impl Iterator<Item = Option<(u64, Field<'_>)>> {
    raw_fields(message).map(|field| field.map(|(number, value, _)| (number, value)))
}

/// Iterates over the fields of a message. Ends with `None` at the first malformed field.
pub(super) fn raw_fields(mut message: &[u8]) -> impl Iterator<Item = Option<RawField<'_>>> {
    std::iter::from_fn(move || {
        if message.is_empty() {
            return None;
        }
        let field = split_field(message).map(|(number, value, rest)| {
            let (raw, rest) = message.split_at(message.len() - rest.len());
            ((number, value, raw), rest)
        });
        message = field.map_or(&[], |(_, rest)| rest);
        Some(field.map(|(field, _)| field))
    })
}

/// Splits off the first field of a message. Returns its number, its value and the rest, or `None` if
/// the message is empty or malformed.
fn split_field(message: &[u8]) -> Option<(u64, Field<'_>, &[u8])> {
    const VARINT: u64 = 0;
    const FIXED_64: u64 = 1;
    const LENGTH_DELIMITED: u64 = 2;
    const FIXED_32: u64 = 5;
    let (tag, rest) = split_varint(message)?;
    let (value, rest) = match tag & 7 {
        VARINT => {
            let (number, rest) = split_varint(rest)?;
            (Field::Varint(number), rest)
        }
        FIXED_64 => {
            let (number, rest) = rest.split_first_chunk()?;
            (Field::Fixed64(u64::from_le_bytes(*number)), rest)
        }
        LENGTH_DELIMITED => {
            let (len, rest) = split_varint(rest)?;
            let (bytes, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
            (Field::Bytes(bytes), rest)
        }
        FIXED_32 => (Field::Fixed32, rest.get(4..)?),
        _ => return None,
    };
    Some((tag >> 3, value, rest))
}

/// Splits off a number of up to ten bytes, as in protobuf's specification of its encoding.
fn split_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    const MAX_LEN: usize = 10;
    // Most numbers have one byte.
    if let Some((byte @ ..0x80, rest)) = bytes.split_first() {
        return Some((u64::from(*byte), rest));
    }
    let len = bytes.iter().take(MAX_LEN).position(|byte| byte & 0x80 == 0)? + 1;
    let (number, rest) = bytes.split_at_checked(len)?;
    let number = number.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f));
    Some((number, rest))
}
