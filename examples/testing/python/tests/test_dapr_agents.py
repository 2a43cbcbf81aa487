"""Dapr Agents: its chat client, and the steps of a durable agent."""

import logging

import pytest

from desk import ROUTER

dapr_agents = pytest.importorskip('dapr_agents', reason='needs requirements-agents.txt')


@dapr_agents.tool
def refund(order: str) -> str:
    """Refunds an order."""
    return f'Refunded {order}.'


def test_a_chat_client(mynah):
    question = [
        {'role': 'system', 'content': ROUTER},
        {'role': 'user', 'content': 'Where is my order?'},
    ]
    chat = dapr_agents.DaprChatClient(component_name='model')
    assert chat.generate(question).get_message().content == 'orders'
    mynah.verify(count=1, system=ROUTER)


def test_a_tool(mynah):
    mynah.when(user='refund').call_tool('refund', order='A17').respond('It is on its way.')
    chat = dapr_agents.DaprChatClient(component_name='model')
    messages = [{'role': 'user', 'content': 'Please refund A17.'}]
    asked = chat.generate(messages, tools=[refund]).get_message()
    (call,) = asked.tool_calls
    result = refund(**call.function.arguments_dict)
    tool_message = dapr_agents.types.ToolMessage(tool_call_id=call.id, name='refund', content=result)
    messages = [dapr_agents.types.UserMessage('Please refund A17.'), asked, tool_message]
    answer = chat.generate(messages, tools=[refund])
    assert answer.get_message().content == 'It is on its way.'
    assert mynah.last_call.messages[-1].text == 'Refunded A17.'


def test_malformed_calls_are_dropped(mynah, caplog):
    malformed = {'tool_call': [{'name': 'refund', 'raw_args': '{"order": "A1'}]}
    mynah.when(user='refund').respond([malformed])
    chat = dapr_agents.DaprChatClient(component_name='model')
    with caplog.at_level(logging.ERROR, 'dapr_agents'):
        answer = chat.generate('Please refund A17.', tools=[refund])
    assert answer.get_message().tool_calls == []
    assert answer.get_message().content == ''
    assert answer.results[0].finish_reason == 'tool_calls'
    assert 'Invalid tool_call entry' in caplog.text


def test_streams_are_not_requested(mynah):
    mynah.when(user='Are you open').respond('Until six.')
    chat = dapr_agents.DaprChatClient(component_name='model')
    answer = chat.generate('Are you open?', stream=True)
    assert answer.get_message().content == 'Until six.'
    assert answer.metadata['dapr_conversation_streaming_unsupported'] is True
    assert not mynah.last_call.stream


def test_each_call_has_a_temperature(mynah):
    mynah.when(user='Are you open').respond('Until six.')
    chat = dapr_agents.DaprChatClient(component_name='model')
    chat.generate('Are you open?')
    assert mynah.last_call.parameters['temperature'] == 1
