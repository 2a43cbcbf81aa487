"""A durable agent, on a daprd that mynah is in front of."""

import asyncio
import json

import pytest
from dapr_agents import DaprChatClient, DurableAgent, tool
from dapr_agents.agents.configs import AgentStateConfig
from dapr_agents.storage.daprstores.stateservice import StateStoreService
from dapr_agents.workflow.runners import AgentRunner


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    return f'Sunny in {location}'


@pytest.fixture
def agent(mynah):
    return DurableAgent(
        name='Weatherwoman',
        role='Weather agent',
        goal='Tell the weather.',
        tools=[get_weather],
        llm=DaprChatClient(),
        state=AgentStateConfig(store=StateStoreService(store_name='store')),
    )


def run(mynah, agent, task):
    """Returns the answer when the workflow has completed."""
    runner = AgentRunner()
    try:
        return asyncio.run(runner.run(agent, payload={'task': task}, timeout_in_seconds=60))
    finally:
        mynah.end_waits()  # Otherwise, the shutdown waits for a call that hangs.
        runner.shutdown(agent)


def test_weather(mynah, agent):
    summary = {'starts_with': 'Summarize the following conversation'}
    mynah.when(user=summary).respond([{'json': {'summary': 'Rome is sunny.'}}])
    mynah.when(user='Rome').call_tool('get_weather', location='Rome').respond('Take sunglasses.')
    answer = run(mynah, agent, 'How is the weather in Rome?')
    assert json.loads(answer)['content'] == 'Take sunglasses.'
    mynah.verify(count=1, tool_result={'tool': 'get_weather', 'contains': 'Sunny in Rome'})
