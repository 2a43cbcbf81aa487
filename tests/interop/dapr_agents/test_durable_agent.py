"""Tests of Dapr Agents' DurableAgent with mynah.

The agent's workflow engine requires daprd, so these tests call the workflow activities directly.
"""

import unittest
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from dapr.ext.workflow import WorkflowActivityContext
from dapr.ext.workflow._durabletask.task import ActivityContext
from dapr_agents import DurableAgent, tool

INSTANCE = 'weather-1'
QUESTIONS = ('What are the weather and the time in Paris?', 'And the weather in Rome?')


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    return f'Sunny in {location}'


@tool
def get_time(timezone: str) -> str:
    """Returns the time in a time zone."""
    return f'12:00 in {timezone}'


class Agent(unittest.TestCase):
    def setUp(self) -> None:
        # The activities print the conversation.
        self.enterContext(redirect_stdout(StringIO()))
        # The constructor reads the app id and the conversation component from the sidecar.
        self.agent = DurableAgent(
            name='Weatherman',
            role='Weather agent',
            goal='Tell weather and time.',
            instructions=['Be brief.'],
            tools=[get_weather, get_time],
        )
        self.tasks = 0

    def context(self) -> WorkflowActivityContext:
        self.tasks += 1
        return WorkflowActivityContext(ActivityContext(INSTANCE, self.tasks))

    def call_llm(self, task: str | None = None) -> dict[str, Any]:
        return self.agent.call_llm(self.context(), {'instance_id': INSTANCE, 'task': task})

    def run_tools(self, calls: list[dict[str, Any]]) -> None:
        results = [
            self.agent.run_tool(self.context(), {'instance_id': INSTANCE, 'tool_call': call})
            for call in calls
        ]
        payload = {'instance_id': INSTANCE, 'tool_results': results}
        self.agent.save_tool_results(self.context(), payload)

    def test_finds_the_sidecar_and_the_component(self) -> None:
        self.assertEqual(self.agent.appid, 'mynah')
        self.assertEqual(self.agent.llm.component_name, 'echo')

    def test_tool_loop_ends_for_each_question(self) -> None:
        first = self.call_llm(QUESTIONS[0])
        names = [call['function']['name'] for call in first['tool_calls']]
        self.assertEqual(names, ['get_weather', 'get_time'])
        self.run_tools(first['tool_calls'])
        final = self.call_llm()
        self.assertFalse(final.get('tool_calls'))
        self.assertEqual(final['content'], 'Sunny in Paris\n12:00 in UTC')

        second = self.call_llm(QUESTIONS[1])
        (call,) = second['tool_calls']
        self.assertEqual(call['function']['arguments'], '{"location":"Rome"}')
        self.assertNotIn(call['id'], [earlier['id'] for earlier in first['tool_calls']])
        self.run_tools([call])
        self.assertEqual(self.call_llm()['content'], 'Sunny in Rome')


if __name__ == '__main__':
    unittest.main()
