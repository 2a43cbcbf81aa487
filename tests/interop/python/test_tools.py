"""Tests of Dapr's Python SDK with mynah: tool calls and their results."""

import json
import unittest
from typing import Any, Literal

from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import (
    ConversationInputAlpha2,
    ConversationMessage,
    ConversationResponseAlpha2,
    create_tool_message,
    create_user_message,
    execute_registered_tool,
    get_registered_tools,
    tool,
)

QUESTION = 'Get weather and time for San Francisco and calculate 10+5'


@tool
def get_weather(location: str, unit: Literal['celsius', 'fahrenheit']) -> str:
    """Returns the weather in a place."""
    return f'18 degrees {unit} in {location}'


@tool
def get_time(timezone: str) -> str:
    """Returns the time in a time zone."""
    return f'12:00 in {timezone}'


@tool
def calculate(expression: str) -> str:
    """Computes an arithmetic expression."""
    return f'{expression} is 15'


class Tools(unittest.TestCase):
    def setUp(self) -> None:
        self.client = DaprClient()
        self.addCleanup(self.client.close)

    def ask(self, *messages: ConversationMessage, **options: Any) -> ConversationResponseAlpha2:
        inputs = [ConversationInputAlpha2(messages=list(messages))]
        tools = get_registered_tools()
        return self.client.converse_alpha2('echo', inputs, tools=tools, **options)

    def called_tools(self, question: str, **options: Any) -> list[str]:
        choice = self.ask(create_user_message(question), **options).outputs[0].choices[0]
        return [call.function.name for call in choice.message.tool_calls]

    def test_one_answer_calls_every_mentioned_tool(self) -> None:
        output = self.ask(create_user_message(QUESTION)).outputs[0]
        (choice,) = output.choices
        calls = choice.message.tool_calls
        self.assertEqual((choice.message.content, choice.finish_reason), ('', 'tool_calls'))
        self.assertEqual(
            [(call.function.name, json.loads(call.function.arguments)) for call in calls],
            [
                ('get_weather', {'location': 'San Francisco', 'unit': 'celsius'}),
                ('get_time', {'timezone': 'UTC'}),
                ('calculate', {'expression': '10+5'}),
            ],
        )
        self.assertEqual(len({call.id for call in calls}), 3)
        for call in calls:
            self.assertRegex(call.id, r'^call_echo_\d{19}$')
        generated = sum(len(call.function.name + call.function.arguments) for call in calls)
        self.assertEqual(output.usage.prompt_tokens, len(QUESTION) // 4)
        self.assertEqual(output.usage.completion_tokens, generated // 4)

    def test_tool_loop_ends_with_the_results(self) -> None:
        first = self.ask(create_user_message(QUESTION))
        messages = [create_user_message(QUESTION), *first.to_assistant_messages()]
        for call in first.outputs[0].choices[0].message.tool_calls:
            result = execute_registered_tool(call.function.name, call.function.arguments)
            messages.append(create_tool_message(call.id, call.function.name, result))
        (choice,) = self.ask(*messages).outputs[0].choices
        results = ['18 degrees celsius in San Francisco', '12:00 in UTC', '10+5 is 15']
        self.assertEqual(choice.message.content, '\n'.join(results))
        self.assertEqual((choice.message.tool_calls, choice.finish_reason), ([], 'stop'))

    def test_each_question_calls_the_tool_with_a_new_id(self) -> None:
        messages: list[ConversationMessage] = []
        seen: set[str] = set()
        for city in ('Paris', 'Rome', 'Oslo'):
            messages.append(create_user_message(f'What is the weather in {city}?'))
            answer = self.ask(*messages)
            (call,) = answer.outputs[0].choices[0].message.tool_calls
            self.assertEqual(json.loads(call.function.arguments)['location'], city)
            self.assertNotIn(call.id, seen)
            seen.add(call.id)
            messages += answer.to_assistant_messages()
            messages.append(create_tool_message(call.id, call.function.name, 'sunny'))

    def test_respects_the_tool_choice(self) -> None:
        self.assertEqual(self.called_tools(QUESTION, tool_choice='none'), [])
        self.assertEqual(self.called_tools(QUESTION, tool_choice='get_time'), ['get_time'])
        self.assertEqual(self.called_tools('Hello', tool_choice='auto'), [])
        self.assertEqual(self.called_tools('Hello', tool_choice='required'), ['get_weather'])


if __name__ == '__main__':
    unittest.main()
