"""Tests of the OpenAI Agents SDK with mynah."""

import json
import os
import unittest
from typing import Any

from agents import (
    Agent,
    Model,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent

set_tracing_disabled(True)
URL = f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/v1'


@function_tool
def get_weather(city: str) -> str:
    """Returns the weather in a city."""
    return f'{city}: 3 degrees'


def script(prompt: str, *steps: Any) -> str:
    chain = json.dumps({'instruction_chain': steps})
    return f'{prompt}<|instruction_start|>{chain}<|instruction_end|>'


class Agents(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        client = AsyncOpenAI(api_key='any', base_url=URL, max_retries=0)
        self.addAsyncCleanup(client.close)
        self.models: list[Model] = [
            OpenAIChatCompletionsModel('echo', client),
            OpenAIResponsesModel('echo', client),
        ]

    def agents(self, **options: Any) -> list[Agent]:
        return [Agent('Assistant', model=model, **options) for model in self.models]

    async def test_tools_run_until_the_model_answers(self) -> None:
        for agent in self.agents(tools=[get_weather]):
            with self.subTest(agent.model):
                result = await Runner.run(agent, 'What is the weather in Oslo?')
                self.assertEqual(result.final_output, 'Oslo: 3 degrees')

    async def test_answers_are_streamed(self) -> None:
        for agent in self.agents():
            with self.subTest(agent.model):
                result = Runner.run_streamed(agent, 'Hello, nice world!')
                deltas = [
                    event.data.delta
                    async for event in result.stream_events()
                    if event.type == 'raw_response_event'
                    and isinstance(event.data, ResponseTextDeltaEvent)
                ]
                self.assertEqual(deltas, ['Hello,', ' nice', ' world!'])
                self.assertEqual(result.final_output, 'Hello, nice world!')

    async def test_agents_hand_over(self) -> None:
        for model, other in zip(self.models, self.agents()):
            with self.subTest(model):
                other.name = 'Refunds'
                first = Agent('Desk', model=model, handoffs=[other])
                call = {'name': 'transfer_to_refunds', 'args': {}}
                steps = [{'messages': [{'tool_call': [call]}]}, {'messages': [{'text': 'Refunded.'}]}]
                result = await Runner.run(first, script('Give me my money back', *steps))
                self.assertEqual(result.final_output, 'Refunded.')
                self.assertEqual(result.last_agent.name, 'Refunds')


if __name__ == '__main__':
    unittest.main()
