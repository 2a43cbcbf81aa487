"""Tests of workflows and of Dapr Agents' DurableAgent with mynah in front of daprd."""

import asyncio
import json
import os
import unittest
from contextlib import redirect_stdout
from io import StringIO
from urllib.request import Request, urlopen

from dapr.clients import DaprClient
from dapr.clients.grpc.interceptors import DaprClientInterceptor
from dapr.ext.workflow import (
    DaprWorkflowClient,
    DaprWorkflowContext,
    WorkflowActivityContext,
    WorkflowRuntime,
)
from dapr_agents import DaprChatClient, DurableAgent, tool
from dapr_agents.agents.configs import AgentStateConfig
from dapr_agents.storage.daprstores.stateservice import StateStoreService
from dapr_agents.workflow.runners import AgentRunner

SCRIPT = [
    {'messages': [{'tool_call': [{'name': 'get_weather', 'args': {'location': 'Paris'}}]}]},
    {'messages': [{'tool_call': [{'name': 'get_time', 'args': {'timezone': 'UTC'}}]}]},
    {'messages': [{'text': 'It is sunny at noon.'}]},
]
TASK = f'<|instruction_start|>{json.dumps({"instruction_chain": SCRIPT})}<|instruction_end|>'


def set_rules(session: str, *rules: dict) -> None:
    port = os.environ['DAPR_HTTP_PORT']
    url = f'http://127.0.0.1:{port}/mynah/v1/rules?session={session}'
    with urlopen(Request(url, json.dumps({'rules': rules}).encode(), method='PUT')) as response:
        assert response.status == 204


def connect(session: str) -> DaprClient:
    return DaprClient(interceptors=[DaprClientInterceptor([('mynah-session', session)])])


class Workflows(unittest.TestCase):
    def test_activities_run_one_after_another(self) -> None:
        runtime = WorkflowRuntime()

        @runtime.activity(name='add')
        def add(_: WorkflowActivityContext, number: int) -> int:
            return number + 1

        @runtime.workflow(name='add_twice')
        def add_twice(context: DaprWorkflowContext, number: int):
            number = yield context.call_activity(add, input=number)
            number = yield context.call_activity(add, input=number)
            return number

        runtime.start()
        self.addCleanup(runtime.shutdown)
        client = DaprWorkflowClient()
        instance = client.schedule_new_workflow(add_twice, input=5)
        state = client.wait_for_workflow_completion(instance, timeout_in_seconds=60)
        self.assertEqual(state.serialized_output, '7')


class Agents(unittest.TestCase):
    def test_agent_follows_a_script(self) -> None:
        calls: list[tuple[str, str]] = []

        @tool
        def get_weather(location: str) -> str:
            """Returns the weather in a place."""
            calls.append(('get_weather', location))
            return f'Sunny in {location}'

        @tool
        def get_time(timezone: str) -> str:
            """Returns the time in a time zone."""
            calls.append(('get_time', timezone))
            return f'12:00 in {timezone}'

        # The agent prints the conversation.
        self.enterContext(redirect_stdout(StringIO()))
        agent = DurableAgent(
            name='Weatherman',
            role='Weather agent',
            goal='Tell weather and time.',
            tools=[get_weather, get_time],
            state=AgentStateConfig(store=StateStoreService(store_name='store')),
        )
        # Otherwise, the agent asks for a summary of the conversation, which contains the script.
        agent.memory = None
        runner = AgentRunner()
        self.addCleanup(runner.shutdown, agent)
        answer = asyncio.run(runner.run(agent, payload={'task': TASK}, timeout_in_seconds=60))
        self.assertEqual(json.loads(answer)['content'], 'It is sunny at noon.')
        self.assertEqual(calls, [('get_weather', 'Paris'), ('get_time', 'UTC')])

    def test_agent_follows_the_rules_of_a_session(self) -> None:
        @tool
        def get_weather(location: str) -> str:
            """Returns the weather in a place."""
            return f'Sunny in {location}'

        call = {'tool_call': [{'name': 'get_weather', 'args': {'location': 'Rome'}}]}
        summary = {'starts_with': 'Summarize the following conversation'}
        set_rules(
            'weather',
            {'match': {'user': summary}, 'respond': [{'json': {'summary': 'Sunny.'}}]},
            {'match': {'user': 'Rome'}, 'respond': [call]},
            {'match': {'last_tool_result': {'contains': 'Sunny'}}, 'respond': 'Take sunglasses.'},
        )
        self.enterContext(redirect_stdout(StringIO()))
        agent = DurableAgent(
            name='Weatherwoman',
            role='Weather agent',
            goal='Tell the weather.',
            tools=[get_weather],
            llm=DaprChatClient(component_name='echo', client_factory=lambda: connect('weather')),
            state=AgentStateConfig(store=StateStoreService(store_name='store')),
        )
        runner = AgentRunner()
        self.addCleanup(runner.shutdown, agent)
        task = {'task': 'How is the weather in Rome?'}
        answer = asyncio.run(runner.run(agent, payload=task, timeout_in_seconds=60))
        self.assertEqual(json.loads(answer)['content'], 'Take sunglasses.')

    def test_agent_finds_the_component_of_mynah(self) -> None:
        with DaprClient() as client:
            components = client.get_metadata().registered_components
        types = {component.name: component.type for component in components}
        self.assertEqual(types['echo'], 'conversation.echo')
        self.assertEqual(types['store'], 'state.in-memory')


if __name__ == '__main__':
    unittest.main()
