"""Tests of Dapr Agents with components that own the tool `find_order`."""

import json
import os
import unittest
from contextlib import redirect_stdout
from io import StringIO
from unittest.mock import patch

from dapr.conf import settings
from dapr_agents import DaprChatClient, DurableAgent, tool

from durable import Activities
from test_tool_loop import Loop

STEPS = [
    {'messages': [{'tool_call': [{'name': 'find_order', 'args': {'order_id': '1001'}}]}]},
    {'messages': [{'tool_call': [{'name': 'find_order'}, {'name': 'send_mail'}]}]},
    {'messages': [{'text': 'It has been shipped.'}]},
]


@tool
def send_mail(to: str = 'ann') -> str:
    """Sends a mail."""
    return f'sent to {to}'


class OwnedTools(unittest.TestCase):
    def setUp(self) -> None:
        # The SDK reads the environment only once.
        ports = {f'DAPR_{api}_PORT': os.environ[f'OWNER_{api}_PORT'] for api in ('GRPC', 'HTTP')}
        patched = patch.multiple(settings, **ports)
        patched.start()
        self.addCleanup(patched.stop)

    def test_caller_without_tools_gets_the_answer(self) -> None:
        llm = DaprChatClient(component_name='orders')
        answer = llm.generate(messages='Find order 1001').get_message()
        self.assertEqual(answer.content, '{"status":"shipped"}')
        self.assertFalse(getattr(answer, 'tool_calls', None))

    def test_caller_gets_the_calls_of_its_own_tools(self) -> None:
        loop = Loop(send_mail, component='orders')
        answer = loop.run('Find order 1001, and send mail to ann@example.com.')
        self.assertEqual(answer, 'sent to ann@example.com')
        self.assertEqual(loop.results, [answer])

    def test_steps_that_the_caller_does_not_see_are_not_repeated(self) -> None:
        chain = json.dumps({'instruction_chain': STEPS})
        loop = Loop(send_mail, component='script')
        answer = loop.run(f'Go <|instruction_start|>{chain}<|instruction_end|>')
        self.assertEqual((answer, loop.results), ('It has been shipped.', ['sent to ann']))

    def test_durable_agent_runs_only_its_own_tools(self) -> None:
        # The activities print the conversation.
        self.enterContext(redirect_stdout(StringIO()))
        agent = DurableAgent(
            name='Clerk', llm=DaprChatClient(component_name='script'), tools=[send_mail]
        )
        chain = json.dumps({'instruction_chain': STEPS})
        orders = Activities(agent, 'orders-1')
        first = orders.call_llm(f'Go <|instruction_start|>{chain}<|instruction_end|>')
        names = [call['function']['name'] for call in first['tool_calls']]
        self.assertEqual(names, ['send_mail'])
        (result,) = orders.run_tools(first['tool_calls'])
        self.assertEqual(result['content'], 'sent to ann')
        final = orders.call_llm()
        self.assertFalse(final.get('tool_calls'))
        self.assertEqual(final['content'], 'It has been shipped.')


if __name__ == '__main__':
    unittest.main()
