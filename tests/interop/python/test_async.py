"""Tests of the asyncio client of Dapr's Python SDK with mynah."""

import asyncio
import json
import unittest

from dapr.aio.clients import DaprClient
from dapr.clients.exceptions import DaprGrpcError
from dapr.clients.grpc.conversation import (
    ConversationInput,
    ConversationMessage,
    ConversationResponseAlpha2,
    ConversationTools,
    ConversationToolsFunction,
    FunctionBackend,
    create_tool_message,
    create_user_message,
)
from google.protobuf.struct_pb2 import Struct
from grpc import StatusCode

from support import TOKEN, guarded, inputs

CONCURRENT_CALLS = 50


async def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    await asyncio.sleep(0)
    return f'Sunny in {location}'


WEATHER = ConversationTools(
    function=ConversationToolsFunction(
        name='get_weather',
        description='Returns the weather in a place.',
        parameters={
            'type': 'object',
            'properties': {'location': {'type': 'string'}},
            'required': ['location'],
        },
    ),
    backend=FunctionBackend(get_weather),
)


async def ask(client: DaprClient, *messages: ConversationMessage) -> ConversationResponseAlpha2:
    return await client.converse_alpha2('echo', inputs(*messages), tools=[WEATHER])


def text(answer: ConversationResponseAlpha2) -> str:
    ((choice,),) = (output.choices for output in answer.outputs)
    return choice.message.content


class AsyncConversation(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.client = DaprClient()
        self.addAsyncCleanup(self.client.close)

    async def test_echoes_with_both_versions(self) -> None:
        alpha1 = [ConversationInput(content='Hello', role='user')]
        answer = await self.client.converse_alpha1('echo', alpha1, context_id='chat-1')
        self.assertEqual([output.result for output in answer.outputs], ['Hello'])
        self.assertEqual(answer.context_id, 'chat-1')
        self.assertEqual(text(await ask(self.client, create_user_message('Hello'))), 'Hello')

    async def test_metadata_lists_the_component(self) -> None:
        metadata = await self.client.get_metadata()
        self.assertEqual([c.name for c in metadata.registered_components], ['echo'])

    async def test_tool_loop_ends_with_the_result(self) -> None:
        question = create_user_message('What is the weather in Paris?')
        first = await ask(self.client, question)
        (call,) = first.outputs[0].choices[0].message.tool_calls
        result = await WEATHER.ainvoke(json.loads(call.function.arguments))
        messages = [question, *first.to_assistant_messages()]
        messages.append(create_tool_message(call.id, call.function.name, result))
        self.assertEqual(text(await ask(self.client, *messages)), 'Sunny in Paris')

    async def test_structured_answer_matches_its_schema(self) -> None:
        schema = Struct()
        schema.update({'type': 'object', 'properties': {'city': {'type': 'string'}}})
        question = inputs(create_user_message('Report, please'))
        answer = await self.client.converse_alpha2('echo', question, response_format=schema)
        self.assertEqual(json.loads(text(answer)), {'city': 'San Francisco'})

    async def test_concurrent_calls_get_their_own_answers(self) -> None:
        words = [f'Hello {n}' for n in range(CONCURRENT_CALLS)]
        answers = await asyncio.gather(
            *(ask(self.client, create_user_message(text)) for text in words)
        )
        self.assertEqual([text(answer) for answer in answers], words)

    async def test_errors_have_codes_and_messages(self) -> None:
        hello = inputs(create_user_message('Hello'))
        for call, reason in (
            (self.client.converse_alpha2('nope', hello), 'component nope'),
            (self.client.converse_alpha2('echo', []), 'missing inputs in request'),
            (
                self.client.converse_alpha2('echo', hello, tools=[WEATHER], tool_choice='x'),
                'tool choice selected was not found',
            ),
        ):
            with self.subTest(reason), self.assertRaises(DaprGrpcError) as raised:
                await call
            self.assertEqual(raised.exception.code(), StatusCode.INVALID_ARGUMENT)
            self.assertIn(reason, raised.exception.details())

    async def test_requires_the_token(self) -> None:
        hello = create_user_message('Hello')
        with guarded(TOKEN):
            async with DaprClient() as client:
                self.assertEqual(text(await ask(client, hello)), 'Hello')
        for token in (None, 'wrong'):
            with self.subTest(token), guarded(token):
                async with DaprClient() as client:
                    with self.assertRaises(DaprGrpcError) as raised:
                        await ask(client, hello)
                self.assertEqual(raised.exception.code(), StatusCode.UNAUTHENTICATED)
                self.assertEqual(raised.exception.details(), 'Unauthorized')


if __name__ == '__main__':
    unittest.main()
