"""The chat client of Dapr Agents, with a session of its own."""

import pytest

from desk import ROUTER

dapr_agents = pytest.importorskip('dapr_agents', reason='needs requirements-agents.txt')


@pytest.fixture
def chat(mynah):
    return dapr_agents.DaprChatClient(component_name='model', client_factory=mynah.connect)


def test_dapr_agents_calls_belong_to_the_session(mynah, chat):
    question = [
        {'role': 'system', 'content': ROUTER},
        {'role': 'user', 'content': 'Where is my order?'},
    ]
    assert chat.generate(question).get_message().content == 'orders'
    mynah.verify(count=1, system=ROUTER)
