"""Tests of Dapr's Python SDK with components that own the tool `find_order`."""

import json
import unittest
from typing import Any

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationMessage,
    ConversationResponseAlpha2,
    ConversationResultAlpha2Choices,
    ConversationTools,
    ConversationToolsFunction,
    create_tool_message,
    create_user_message,
)

from support import inputs, owner

SHIPPED = '{"status":"shipped"}'
SEND_MAIL = ConversationTools(
    function=ConversationToolsFunction(
        name='send_mail',
        description='Sends a mail.',
        parameters={'type': 'object', 'properties': {'to': {'type': 'string'}}},
    )
)
STEPS = [
    {'messages': [{'tool_call': [{'name': 'find_order', 'args': {'order_id': '1001'}}]}]},
    {'messages': [{'tool_call': [{'name': 'find_order'}, {'name': 'send_mail'}]}]},
    {'messages': [{'text': 'It has been shipped.'}]},
]


class OwnedTools(unittest.TestCase):
    def setUp(self) -> None:
        with owner():
            self.client = DaprClient()
        self.addCleanup(self.client.close)

    def ask(
        self, component: str, *messages: ConversationMessage, **options: Any
    ) -> tuple[ConversationResponseAlpha2, ConversationResultAlpha2Choices]:
        answer = self.client.converse_alpha2(component, inputs(*messages), **options)
        (choice,) = answer.outputs[0].choices
        return answer, choice

    def answer_to(self, component: str, text: str) -> str:
        """Returns the answer to a question that calls the caller's tool once."""
        question = create_user_message(text)
        answer, choice = self.ask(component, question, tools=[SEND_MAIL])
        self.assertEqual((choice.message.content, choice.finish_reason), ('', 'tool_calls'))
        (call,) = choice.message.tool_calls
        self.assertEqual(call.function.name, 'send_mail')
        result = create_tool_message(call.id, 'send_mail', 'sent')
        history = [question, *answer.to_assistant_messages(), result]
        _, choice = self.ask(component, *history, tools=[SEND_MAIL])
        self.assertEqual((choice.message.tool_calls, choice.finish_reason), ([], 'stop'))
        return choice.message.content

    def test_caller_without_tools_gets_the_answer(self) -> None:
        _, choice = self.ask('orders', create_user_message('Find order 1001'))
        self.assertEqual((choice.message.content, choice.finish_reason), (SHIPPED, 'stop'))
        self.assertEqual(choice.message.tool_calls, [])

    def test_caller_gets_the_calls_of_its_own_tools(self) -> None:
        text = 'Find order 1001, and send mail to ann@example.com.'
        self.assertEqual(self.answer_to('orders', text), 'sent')

    def test_steps_that_the_caller_does_not_see_are_not_repeated(self) -> None:
        chain = json.dumps({'instruction_chain': STEPS})
        text = f'Go <|instruction_start|>{chain}<|instruction_end|>'
        self.assertEqual(self.answer_to('script', text), 'It has been shipped.')


if __name__ == '__main__':
    unittest.main()
