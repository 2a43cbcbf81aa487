"""Tests that the final answer of a tool loop with Dapr Agents' tools contains the results.

Dapr Agents' chat client does not run tools, so this module has its own loop.
"""

import json
import unittest
from typing import Any

from dapr_agents import AgentTool, DaprChatClient, tool
from dapr_agents.types import AssistantMessage, BaseMessage, ToolCall, ToolMessage, UserMessage
from pydantic import BaseModel, Field

MAX_TURNS = 12


class WeatherSchema(BaseModel):
    location: str = Field(description='City and state, e.g. San Francisco, CA')


@tool(args_model=WeatherSchema)
def get_weather(location: str) -> str:
    """Get current weather conditions"""
    return f'Weather in {location}: 72°F, sunny'


@tool
def calculate_tip(amount: float, percentage: float = 18.0) -> dict[str, float]:
    """Calculate tip amount"""
    tip = amount * percentage / 100
    return {'tip': round(tip, 2), 'total': round(amount + tip, 2)}


@tool
def search_database(query: str) -> dict[str, Any]:
    """Search company database"""
    return {'results': [f'Result for: {query}'], 'count': 1}


@tool
def get_time() -> str:
    """Get the time"""
    return '12:00 PM'


@tool
def fail() -> str:
    """Always fails"""
    raise RuntimeError('out of order')


class Loop:
    """Calls the model and runs the tools that it calls, until it answers."""

    def __init__(self, *tools: AgentTool, component: str | None = None) -> None:
        self.llm = DaprChatClient(component_name=component)
        self.tools = {tool.name: tool for tool in tools}
        self.results: list[str] = []

    def run(self, question: str) -> str:
        messages: list[BaseMessage] = [UserMessage(content=question)]
        for _ in range(MAX_TURNS):
            answer: AssistantMessage = self.llm.generate(
                messages=messages, tools=list(self.tools.values())
            ).get_message()
            calls = getattr(answer, 'tool_calls', None)
            if not calls:
                return answer.content
            messages += [answer, *map(self.call, calls)]
        raise AssertionError(f'no answer in {MAX_TURNS} turns')

    def call(self, call: ToolCall) -> ToolMessage:
        name = call.function.name
        try:
            result = self.tools[name].run(**call.function.arguments_dict)
            content = result if isinstance(result, str) else json.dumps(result)
        except Exception as error:
            content = f'Error executing {name}: {error}'
        self.results.append(content)
        return ToolMessage(tool_call_id=call.id, name=name, content=content)


class ToolLoop(unittest.TestCase):
    def ask(self, question: str, *tools: AgentTool) -> tuple[str, list[str]]:
        loop = Loop(*tools)
        answer = loop.run(question)
        for result in loop.results:
            self.assertIn(result, answer)
        return answer, loop.results

    def test_calls_a_tool_without_arguments(self) -> None:
        self.assertEqual(self.ask('What time is it?', get_time), ('12:00 PM', ['12:00 PM']))

    def test_one_question_calls_two_tools(self) -> None:
        question = "What's the weather in San Francisco and calculate a 20% tip on $45.60?"
        _, results = self.ask(question, get_weather, calculate_tip)
        self.assertEqual(results[0], 'Weather in San Francisco: 72°F, sunny')
        self.assertEqual(set(json.loads(results[1])), {'tip', 'total'})

    def test_accepts_a_result_that_is_not_text(self) -> None:
        question = 'Use search_database for customer John Doe and write a summary'
        answer, _ = self.ask(question, search_database)
        self.assertEqual(json.loads(answer)['count'], 1)

    def test_failed_tool_does_not_end_the_conversation(self) -> None:
        answer, _ = self.ask('Call fail and get_time', fail, get_time)
        self.assertIn('Error executing fail:', answer)
        self.assertIn('out of order', answer)
        self.assertIn('12:00 PM', answer)


if __name__ == '__main__':
    unittest.main()
