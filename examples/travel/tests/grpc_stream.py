"""Streams over gRPC. The SDK has no streaming call, so this uses mynah's proto files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc_tools
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from grpc_tools import protoc

PROTO = Path(__file__).parents[3] / 'proto'
WELL_KNOWN = Path(grpc_tools.__file__).parent / '_proto'
PACKAGE = 'dapr.proto.runtime.v1'


class GrpcStream:
    """Calls `ConverseStreamAlpha2`."""

    def __init__(self, folder: Path, address: str) -> None:
        pool = compile_files(folder / 'mynah.pb')
        self.request = message_class(pool, 'ConversationRequestAlpha2')
        self.response = message_class(pool, 'ConversationStreamResponseAlpha2')
        self.address = address

    def __call__(self, component: str, question: str) -> Iterator[Any]:
        messages = [{'of_user': {'content': [{'text': question}]}}]
        request = self.request(name=component, inputs=[{'messages': messages}])
        with grpc.insecure_channel(self.address) as channel:
            call = channel.unary_stream(
                f'/{PACKAGE}.Dapr/ConverseStreamAlpha2',
                request_serializer=self.request.SerializeToString,
                response_deserializer=self.response.FromString,
            )
            yield from call(request)


def compile_files(output: Path) -> descriptor_pool.DescriptorPool:
    """Compiles the proto files into a pool of their own, apart from the messages of the SDK."""
    arguments = [f'--proto_path={PROTO}', f'--proto_path={WELL_KNOWN}', '--include_imports']
    file = 'dapr/proto/runtime/v1/dapr.proto'
    assert protoc.main(['protoc', *arguments, f'--descriptor_set_out={output}', file]) == 0
    pool = descriptor_pool.DescriptorPool()
    for proto in descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file:
        pool.Add(proto)
    return pool


def message_class(pool: descriptor_pool.DescriptorPool, name: str) -> type[Message]:
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f'{PACKAGE}.{name}'))
