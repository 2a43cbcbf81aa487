"""Runs Dapr Agents' chat client in a conversation of five turns, scripted in the first prompt."""

import json
import unittest
from typing import Any

from dapr_agents import DaprChatClient, tool
from dapr_agents.types import BaseMessage, ToolMessage, UserMessage


@tool
def search(query: str, limit: int = 3) -> str:
    """Finds documents."""
    return f'{limit} documents about {query}'


@tool
def read(document: int) -> str:
    """Reads a document."""
    return f'page {document}'


TOOLS = {'search': search, 'read': read}


def calls(*named: tuple[str, dict[str, Any]], text: str = '') -> dict[str, Any]:
    texts = [{'text': text}] if text else []
    return {'messages': [*texts, {'tool_call': [{'name': n, 'args': a} for n, a in named]}]}


STEPS = [
    calls(('search', {'query': 'birds', 'limit': 2})),
    calls(('read', {'document': 1}), ('read', {'document': 2}), text='Two of them.'),
    {'messages': [{'tool_results': {}}], 'reasoning': {'length': 9}},
    calls(('search', {'query': 'parrots'})),
    {'messages': [{'text': 'That is all.'}, {'tools_list': {}}]},
]


class ScriptedConversation(unittest.TestCase):
    def test_follows_a_script_of_five_turns(self) -> None:
        llm = DaprChatClient()
        chain = json.dumps({'instruction_chain': STEPS})
        prompt = f'Research birds. <|instruction_start|>{chain}<|instruction_end|>'
        history: list[BaseMessage] = [UserMessage(content=prompt)]
        replies, called = [], []
        while len(replies) < len(STEPS):
            reply = llm.generate(messages=history, tools=list(TOOLS.values())).get_message()
            replies.append(reply.content or '')
            history.append(reply)
            tool_calls = getattr(reply, 'tool_calls', None) or []
            for call in tool_calls:
                name, arguments = call.function.name, call.function.arguments_dict
                called.append((name, arguments))
                result = TOOLS[name](**arguments)
                history.append(ToolMessage(tool_call_id=call.id, name=name, content=result))
            if not tool_calls:
                history.append(UserMessage(content='Go on.'))
        results = 'page 1\npage 2'
        self.assertEqual(replies, ['', 'Two of them.', results, '', 'That is all.\n\nsearch, read'])
        self.assertEqual(
            called,
            [
                ('search', {'query': 'birds', 'limit': 2}),
                ('read', {'document': 1}),
                ('read', {'document': 2}),
                ('search', {'query': 'parrots'}),
            ],
        )
        exhausted = llm.generate(messages=history).get_message().content
        self.assertEqual(exhausted, 'Chain completed - using fallback response')


if __name__ == '__main__':
    unittest.main()
