"""Tests of Dapr Agents' chat client with mynah: tool loops and structured answers."""

import unittest

from dapr_agents import AgentTool, DaprChatClient, tool
from dapr_agents.types import AssistantMessage, BaseMessage, ToolCall, ToolMessage, UserMessage
from pydantic import BaseModel


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    return f'Sunny in {location}'


@tool
def get_time(timezone: str, twelve_hours: bool = False) -> str:
    """Returns the time in a time zone."""
    return f'12:00 in {timezone}'


TOOLS: dict[str, AgentTool] = {'get_weather': get_weather, 'get_time': get_time}


def run(call: ToolCall) -> ToolMessage:
    name = call.function.name
    result = TOOLS[name](**call.function.arguments_dict)
    return ToolMessage(tool_call_id=call.id, name=name, content=result)


class Report(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int
    sunny: bool
    remark: str | None = None


class ChatClient(unittest.TestCase):
    def setUp(self) -> None:
        # Without a name, the client uses the sidecar's only conversation component.
        self.llm = DaprChatClient()

    def ask(self, messages: list[BaseMessage]) -> AssistantMessage:
        answer = self.llm.generate(messages=messages, tools=list(TOOLS.values()))
        return answer.get_message()

    def test_tool_loop_ends_with_both_results(self) -> None:
        question = UserMessage(content='What are the weather and the time in San Francisco?')
        messages: list[BaseMessage] = [question]
        first = self.ask(messages)
        calls = first.tool_calls
        self.assertEqual({call.function.name for call in calls}, set(TOOLS))
        self.assertEqual(len({call.id for call in calls}), 2)
        messages.append(first)
        messages += map(run, calls)
        final = self.ask(messages)
        self.assertFalse(getattr(final, 'tool_calls', None))
        self.assertEqual(final.content, 'Sunny in San Francisco\n12:00 in UTC')

    def test_each_question_of_a_conversation_calls_its_tools(self) -> None:
        messages: list[BaseMessage] = []
        seen: set[str] = set()
        for question, expected, result in (
            ('What is the weather in Paris?', ['get_weather'], 'Sunny in Paris'),
            ('What time is it now?', ['get_time'], '12:00 in UTC'),
            (
                'What are the weather and the time in Rome?',
                ['get_weather', 'get_time'],
                'Sunny in Rome\n12:00 in UTC',
            ),
        ):
            messages.append(UserMessage(content=question))
            answer = self.ask(messages)
            calls = answer.tool_calls
            self.assertEqual([call.function.name for call in calls], expected)
            self.assertTrue(seen.isdisjoint(call.id for call in calls))
            seen.update(call.id for call in calls)
            messages += [answer, *map(run, calls)]
            final = self.ask(messages)
            self.assertEqual(final.content, result)
            messages.append(final)

    def test_respects_the_tool_choice(self) -> None:
        # The client does not support a tool name as the choice and sends `required` instead.
        for choice, question, expected in (
            ('none', 'What time is it?', []),
            ('auto', 'What time is it?', ['get_time']),
            ('required', 'Hello', ['get_weather']),
        ):
            with self.subTest(choice):
                answer = self.llm.generate(
                    messages=question, tools=list(TOOLS.values()), tool_choice=choice
                ).get_message()
                calls = getattr(answer, 'tool_calls', None) or []
                self.assertEqual([call.function.name for call in calls], expected)

    def test_structured_answer_is_an_instance_of_the_model(self) -> None:
        for mode in ('json', 'function_call'):
            with self.subTest(mode):
                report = self.llm.generate(
                    messages='Describe the place.', response_format=Report, structured_mode=mode
                )
                self.assertIsInstance(report, Report)
                self.assertEqual((report.city, report.degrees), ('San Francisco', 42))
                self.assertIs(report.sunny, True)

    def test_echoes_text_and_reports_usage(self) -> None:
        answer = self.llm.generate(messages='Hello, world!')
        self.assertEqual(answer.get_message().content, 'Hello, world!')
        self.assertEqual(answer.results[0].finish_reason, 'stop')
        self.assertEqual(answer.metadata['usage']['total_tokens'], 6)


if __name__ == '__main__':
    unittest.main()
