//! The gRPC codec. Unlike tonic's own codec, it shortens decoding errors, which otherwise list
//! every field on the path to the invalid one.

use std::marker::PhantomData;

use bytes::Buf;
use prost::Message;
use tonic::{
    Status,
    codec::{DecodeBuf, Decoder},
};
use tonic_prost::ProstEncoder;

use super::{error::Error, undecoded::Protobuf};

/// A codec that encodes `T` and decodes `U`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Codec<T, U>(PhantomData<(T, U)>);

/// A decoder for `U` with short errors.
#[derive(Debug)]
pub(crate) struct ShortDecoder<U>(PhantomData<U>);

/// Encodes `T`, and leaves `U` undecoded.
#[derive(Debug)]
pub(crate) struct ServerCodec<T, U>(PhantomData<(T, U)>);

/// Returns messages undecoded.
#[derive(Debug)]
pub(crate) struct Undecoder<U>(PhantomData<U>);

impl<T, U> Default for ServerCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for ServerCodec<T, U>
where
    T: Message + Send + 'static,
    U: Send + 'static,
{
    type Encode = T;
    type Decode = Protobuf<U>;
    type Encoder = ProstEncoder<T>;
    type Decoder = Undecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        Undecoder(PhantomData)
    }
}

impl<U> Decoder for Undecoder<U> {
    type Item = Protobuf<U>;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<Protobuf<U>>, Status> {
        Ok(Some(Protobuf::new(buf.copy_to_bytes(buf.remaining()))))
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ShortDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        ShortDecoder(PhantomData)
    }
}

impl<U: Message + Default> Decoder for ShortDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        U::decode(buf).map(Some).map_err(|error| Error::from(error).into())
    }
}
