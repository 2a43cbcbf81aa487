"""Tests of Dapr Agents' DurableAgent with mynah."""

import unittest
from contextlib import redirect_stdout
from io import StringIO

from dapr_agents import DurableAgent, tool

from durable import Activities

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

    def test_finds_the_sidecar_and_the_component(self) -> None:
        self.assertEqual(self.agent.appid, 'mynah')
        self.assertEqual(self.agent.llm.component_name, 'echo')

    def test_tool_loop_ends_for_each_question(self) -> None:
        weather = Activities(self.agent, 'weather-1')
        first = weather.call_llm(QUESTIONS[0])
        names = [call['function']['name'] for call in first['tool_calls']]
        self.assertEqual(names, ['get_weather', 'get_time'])
        weather.run_tools(first['tool_calls'])
        final = weather.call_llm()
        self.assertFalse(final.get('tool_calls'))
        self.assertEqual(final['content'], 'Sunny in Paris\n12:00 in UTC')

        second = weather.call_llm(QUESTIONS[1])
        (call,) = second['tool_calls']
        self.assertEqual(call['function']['arguments'], '{"location":"Rome"}')
        self.assertNotIn(call['id'], [earlier['id'] for earlier in first['tool_calls']])
        weather.run_tools([call])
        self.assertEqual(weather.call_llm()['content'], 'Sunny in Rome')


if __name__ == '__main__':
    unittest.main()
