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


def test_an_agent_that_creates_its_client(mynah, monkeypatch):
    factory = 'dapr_agents.llm.dapr.client.default_dapr_client_factory'
    monkeypatch.setattr(factory, mynah.connect)
    chat = dapr_agents.DaprChatClient(component_name='model')
    question = [
        {'role': 'system', 'content': ROUTER},
        {'role': 'user', 'content': 'Where is my order?'},
    ]
    assert chat.generate(question).get_message().content == 'orders'
    mynah.verify(count=1, system=ROUTER)
