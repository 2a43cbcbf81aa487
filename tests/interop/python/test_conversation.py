"""Tests of Dapr's Python SDK with mynah: text, structured answers and personal data."""

import json
import unittest
from typing import Any

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInput,
    ConversationMessage,
    ConversationResponseAlpha2,
    create_system_message,
    create_user_message,
)
from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import Int32Value

from support import inputs


class Conversation(unittest.TestCase):
    def setUp(self) -> None:
        # The constructor waits for the sidecar's health endpoint.
        self.client = DaprClient()
        self.addCleanup(self.client.close)

    def converse(
        self, *messages: ConversationMessage, **options: Any
    ) -> ConversationResponseAlpha2:
        return self.client.converse_alpha2('echo', inputs(*messages), **options)

    def test_metadata_lists_the_component(self) -> None:
        metadata = self.client.get_metadata()
        components = [(c.name, c.type, c.version) for c in metadata.registered_components]
        self.assertEqual(metadata.application_id, 'mynah')
        self.assertEqual(components, [('echo', 'conversation.echo', 'v1')])
        self.assertEqual(metadata.extended_metadata['daprRuntimeVersion'], '1.18.0')

    def test_alpha1_echoes_the_last_user_message(self) -> None:
        answer = self.client.converse_alpha1(
            name='echo',
            inputs=[
                ConversationInput(content='First', role='user'),
                ConversationInput(content='Noted', role='assistant'),
                ConversationInput(content='Hello, world!', role='user', scrub_pii=False),
            ],
            context_id='chat-1',
            parameters={'max_tokens': 100},
            metadata={'model': 'small'},
            temperature=0.7,
        )
        self.assertEqual([output.result for output in answer.outputs], ['Hello, world!'])
        self.assertEqual(answer.context_id, 'chat-1')
        number = Int32Value()
        self.assertTrue(answer.outputs[0].parameters['max_tokens'].Unpack(number))
        self.assertEqual(number.value, 100)

    def test_alpha2_echoes_the_last_user_message(self) -> None:
        answer = self.converse(
            create_system_message('Be brief.'),
            create_user_message('Hello, world!'),
            context_id='chat-1',
            temperature=0.0,
        )
        self.assertEqual(answer.context_id, 'chat-1')
        (output,) = answer.outputs
        (choice,) = output.choices
        self.assertEqual(choice.message.content, 'Hello, world!')
        self.assertEqual(choice.message.tool_calls, [])
        self.assertEqual((choice.index, choice.finish_reason), (0, 'stop'))
        self.assertEqual(output.model, 'echo')
        # Four bytes count as one token. The prompt messages have 9 and 13 bytes, and the completion
        # has 13.
        usage = output.usage
        self.assertEqual((usage.prompt_tokens, usage.completion_tokens), (2 + 3, 3))
        self.assertEqual(usage.total_tokens, 8)

    def test_structured_answer_matches_its_schema(self) -> None:
        schema = Struct()
        properties = {'city': {'type': 'string'}, 'degrees': {'type': 'integer', 'maximum': 40}}
        schema.update({'type': 'object', 'properties': properties, 'required': ['city', 'degrees']})
        answer = self.converse(create_user_message('Report, please'), response_format=schema)
        content = json.loads(answer.outputs[0].choices[0].message.content)
        self.assertEqual(content, {'city': 'San Francisco', 'degrees': 40})

    def test_scrubs_personal_data_in_requests_and_responses(self) -> None:
        message = create_user_message('Mail ann@example.org')
        for question, options in (
            (inputs(message, scrub_pii=True), {}),
            (inputs(message), {'scrub_pii': True}),
        ):
            answer = self.client.converse_alpha2('echo', question, **options)
            self.assertEqual(
                answer.outputs[0].choices[0].message.content, 'Mail <EMAIL_ADDRESS>'
            )


if __name__ == '__main__':
    unittest.main()
