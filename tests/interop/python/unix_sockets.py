"""Tests of gRPC's Python client over Unix sockets. They need a sidecar of their own."""

import os
import unittest

import grpc

AUTHORITY = [('grpc.default_authority', 'localhost')]
COMPONENT = f'unix:{os.environ["DAPR_COMPONENTS_SOCKETS_FOLDER"]}/mynah.sock'
REFLECTION = '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo'
# An encoded ServerReflectionRequest with an empty `list_services`.
LIST_SERVICES = b'\x3a\x00'


class UnixSockets(unittest.TestCase):
    def channel(self, address: str, authority: list[tuple[str, str]]) -> grpc.Channel:
        channel = grpc.insecure_channel(address, options=authority)
        self.addCleanup(channel.close)
        return channel

    def test_the_authority_makes_calls_possible(self) -> None:
        for address, method in [
            (os.environ['DAPR_GRPC_ENDPOINT'], '/dapr.proto.runtime.v1.Dapr/GetMetadata'),
            (COMPONENT, '/dapr.proto.components.v1.Conversation/Ping'),
        ]:
            with self.subTest(address):
                self.channel(address, AUTHORITY).unary_unary(method)(b'', timeout=30)
                # By default, the path of the socket is the authority, which is not a host.
                call = self.channel(address, []).unary_unary(method)
                with self.assertRaisesRegex(grpc.RpcError, 'RST_STREAM'):
                    call(b'', timeout=30)

    def test_the_component_socket_reflects_its_services(self) -> None:
        reflect = self.channel(COMPONENT, AUTHORITY).stream_stream(REFLECTION)
        answer = next(reflect(iter([LIST_SERVICES]), timeout=30))
        self.assertIn(b'dapr.proto.components.v1.Conversation', answer)


if __name__ == '__main__':
    unittest.main()
