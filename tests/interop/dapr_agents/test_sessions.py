"""Tests of many sessions at once, whose clients send nothing that names them."""

import json
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from urllib.request import Request, urlopen

from dapr.clients import DaprClient
from dapr_agents import DaprChatClient
from dapr_agents.types import UserMessage

CONTROL = f'http://127.0.0.1:{os.environ["DAPR_HTTP_PORT"]}/mynah/v1'
RULES = 'rules: [{match: {user: Who}, respond: I am %s.}]'


def control(method: str, path: str, body: str = '') -> bytes:
    with urlopen(Request(CONTROL + path, body.encode(), method=method)) as response:
        return response.read()


def ask(session: str) -> str:
    """Opens a session with a rule of its own, and asks at its address."""
    address = json.loads(control('PUT', f'/sessions/{session}'))['grpc']
    control('PUT', f'/rules?session={session}', RULES % session)
    llm = DaprChatClient(client_factory=lambda: DaprClient(address))
    answer = llm.generate(messages=[UserMessage(content='Who are you?')])
    return answer.get_message().content


class Sessions(unittest.TestCase):
    def test_five_hundred_have_rules_and_journals_of_their_own(self) -> None:
        names = [f'agent-{number}' for number in range(500)]
        with ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(ask, names))
        self.assertEqual(answers, [f'I am {name}.' for name in names])
        for name in names:
            entries = json.loads(control('GET', f'/journal?session={name}'))['entries']
            self.assertEqual([entry['session'] for entry in entries], [name])
            control('DELETE', f'/sessions/{name}')
