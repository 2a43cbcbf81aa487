"""Tests of Dapr's Python SDK with mynah: errors and the API token."""

import json
import unittest
from collections.abc import Callable

from dapr.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc.conversation import (
    ConversationInput,
    ConversationTools,
    ConversationToolsFunction,
    create_user_message,
)
from grpc import RpcError, StatusCode

from support import TOKEN, guarded, inputs

HELLO = inputs(create_user_message('Hello'))
CLOCK = ConversationTools(function=ConversationToolsFunction(name='get_time'))
LIMIT = 4 * 1024 * 1024
PARAMS = 'failed conversing with component echo: invalid params'


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        self.client = DaprClient()
        self.addCleanup(self.client.close)

    def error_of(self, call: Callable[[], object]) -> DaprGrpcError:
        with self.assertRaises(DaprGrpcError) as raised:
            call()
        return raised.exception

    def assert_invalid(self, error: DaprGrpcError, reason: str) -> None:
        self.assertEqual(error.code(), StatusCode.INVALID_ARGUMENT)
        self.assertIn(reason, error.details())
        # As in daprd, conversation errors have no details.
        self.assertIsNone(error.get_grpc_status())
        self.assertEqual(error.error_code(), 'UNKNOWN')

    def test_rejects_unknown_component(self) -> None:
        reason = 'failed finding conversation component nope'
        self.assert_invalid(
            self.error_of(lambda: self.client.converse_alpha2('nope', HELLO)), reason
        )
        alpha1 = [ConversationInput(content='Hello')]
        self.assert_invalid(
            self.error_of(lambda: self.client.converse_alpha1('nope', alpha1)), reason
        )

    def test_rejects_missing_inputs(self) -> None:
        error = self.error_of(lambda: self.client.converse_alpha2('echo', []))
        self.assert_invalid(error, 'component echo: missing inputs in request')

    def test_rejects_tool_choice_without_matching_tool(self) -> None:
        for choice, tools, reason in (
            ('get_weather', [CLOCK], 'tool choice selected was not found'),
            ('GET_TIME', [CLOCK], 'tool choice selected was not found'),
            ('required', [], "tool choice must be 'auto', 'none', 'required'"),
        ):
            with self.subTest(choice):
                error = self.error_of(
                    lambda: self.client.converse_alpha2(
                        'echo', HELLO, tools=tools, tool_choice=choice
                    )
                )
                self.assert_invalid(error, reason)
                self.assertTrue(error.details().startswith(PARAMS), error.details())

    def test_rejects_too_large_message(self) -> None:
        large = inputs(create_user_message('x' * LIMIT))
        error = self.error_of(lambda: self.client.converse_alpha2('echo', large))
        self.assertEqual(error.code(), StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn('received message larger than max', error.details())

    def test_other_building_blocks_are_unimplemented(self) -> None:
        # For this call, the SDK raises the original gRPC error.
        with self.assertRaises(RpcError) as raised:
            self.client.get_secret('vault', 'key')
        self.assertEqual(raised.exception.code(), StatusCode.UNIMPLEMENTED)
        self.assertIn('ConverseAlpha2', raised.exception.details())

    def test_client_is_usable_after_an_error(self) -> None:
        self.error_of(lambda: self.client.converse_alpha2('nope', HELLO))
        answer = self.client.converse_alpha2('echo', HELLO)
        self.assertEqual(answer.outputs[0].choices[0].message.content, 'Hello')


class Token(unittest.TestCase):
    def test_accepts_the_correct_token(self) -> None:
        with guarded(TOKEN), DaprClient() as client:
            answer = client.converse_alpha2('echo', HELLO)
            self.assertEqual(answer.outputs[0].choices[0].message.content, 'Hello')
            self.assertEqual(client.get_metadata().application_id, 'mynah')

    def test_error_distinguishes_missing_from_wrong_token(self) -> None:
        for token, reason in (
            (None, 'missing api token in request metadata'),
            ('wrong', 'authentication error: api token mismatch'),
        ):
            # Health checks need no token, so the client can start.
            with self.subTest(token), guarded(token), DaprClient() as client:
                with self.assertRaises(DaprGrpcError) as raised:
                    client.converse_alpha2('echo', HELLO)
                error = raised.exception
                self.assertEqual(error.code(), StatusCode.UNAUTHENTICATED)
                self.assertEqual(error.details(), 'Unauthorized')
                self.assertEqual(error.error_code(), 'Unauthorized')
                info = json.loads(error.json())['details']['error_info']
                self.assertEqual(info['domain'], 'dapr.io')
                metadata = {'http.code': '401', 'http.error_message': reason}
                self.assertEqual(info['metadata'], metadata)


if __name__ == '__main__':
    unittest.main()
