"""The calls in the journal, with types."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._control import Object


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool by the model."""

    id: str
    name: str
    arguments: str

    @property
    def args(self) -> Object:
        """The arguments. Fails with `ValueError` if they are not a JSON object."""
        return dict(json.loads(self.arguments))


@dataclass(frozen=True)
class Message:
    """A message that the application sent; `tool` and `id` are those of the result of a tool."""

    role: str
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool: str = ''
    id: str = ''


@dataclass(frozen=True)
class Tool:
    """A tool that the application offers."""

    name: str
    description: str
    parameters: Object


@dataclass(frozen=True)
class Answer:
    """What the application was answered."""

    text: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    model: str
    usage: Object


@dataclass(frozen=True)
class CallError:
    """The error that the application got, with the name of its gRPC code."""

    code: str
    message: str
    retry_after_ms: float | None = None


@dataclass(frozen=True)
class Call:
    """A call of the application. `parameters` are all keys of `request` without the content.

    `answered_by` has the `rules`, and also faults and instruction chains, as in the journal.
    """

    number: int
    component: str
    surface: str
    stream: bool
    outcome: str
    duration_ms: float
    request: Object
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    parameters: Object
    answer: Answer | None
    error: CallError | None
    rules: tuple[str, ...]
    answered_by: tuple[Object, ...]


@dataclass(frozen=True)
class Violation:
    """What a client did wrong after an error."""

    kind: str
    calls: list[int]
    message: str


@dataclass(frozen=True)
class Verdict:
    """How a client retries."""

    ok: bool
    retries: int
    recovered: int
    gave_up: list[int]
    violations: list[Violation]


CONTENT = {'inputs', 'messages', 'input', 'instructions', 'tools', 'name'}
PLAIN = ('number', 'component', 'surface', 'stream', 'outcome', 'duration_ms')


def call(entry: Object) -> Call:
    """Reads an entry of the journal. A request that is not JSON has no messages."""
    sent, error, response = (entry.get(name) for name in ('request', 'error', 'response'))
    request = _snake(sent) if isinstance(sent, dict) else {}
    answered_by = entry.get('answered_by') or ()
    plain: Any = {name: entry.get(name) for name in PLAIN}
    return Call(
        **plain,
        request=sent if isinstance(sent, dict) else {'body': sent},
        messages=tuple(_messages(request)),
        tools=tuple(map(_tool, request.get('tools') or ())),
        parameters={key: value for key, value in request.items() if key not in CONTENT},
        answer=_answer(response) if response else None,
        error=CallError(**error) if error else None,
        rules=tuple(by['rule'] for by in answered_by if 'rule' in by),
        answered_by=tuple(answered_by),
    )


def verdict(value: Object) -> Verdict:
    """Reads a verdict."""
    return Verdict(**{**value, 'violations': [Violation(**one) for one in value['violations']]})


def _answer(value: Object) -> Answer:
    texts = {
        name: value.get(name) or '' for name in ('text', 'reasoning', 'finish_reason', 'model')
    }
    calls = tuple(map(_call, value.get('tool_calls') or ()))
    return Answer(**texts, tool_calls=calls, usage=value.get('usage') or {})


def _tool(tool: Object) -> Tool:
    value = {'name': '', 'description': '', 'parameters': {}, **(tool.get('function') or tool)}
    return Tool(value['name'], value['description'], value['parameters'])


def _messages(request: Object) -> Iterator[Message]:
    """Reads the messages of a request of Dapr's APIs or of OpenAI's."""
    if instructions := request.get('instructions'):
        yield Message('system', instructions)
    for one in request.get('inputs') or ():
        if 'content' in one:  # the first version of Dapr's API
            yield _message(one.get('role') or 'user', one)
        for message in one.get('messages') or ():
            for role, value in _snake(message).items():
                yield _message(role.removeprefix('of_'), _snake(value))
    items = request.get('messages') or request.get('input') or ()
    for item in [{'role': 'user', 'content': items}] if isinstance(items, str) else items:
        yield _message(item.get('role') or '', item)


def _message(role: str, value: Object) -> Message:
    if value.get('type') == 'function_call':
        return Message('assistant', '', (_call(value),))
    if value.get('type') == 'function_call_output':
        return Message('tool', _text(value.get('output')), id=value['call_id'])
    calls = tuple(map(_call, value.get('tool_calls') or ()))
    tool = value.get('name') or '' if role == 'tool' else ''
    result_of = value.get('tool_id') or value.get('tool_call_id') or ''
    return Message(role, _text(value.get('content')), calls, tool, result_of)


def _call(value: Object) -> ToolCall:
    function = value.get('function') or value
    identifier = value.get('call_id') or value.get('id') or ''
    return ToolCall(identifier, function.get('name') or '', function.get('arguments') or '')


def _text(content: str | list[Object] | None) -> str:
    parts = [{'text': content}] if isinstance(content, str) else content or ()
    return '\n'.join(part.get('text') or '' for part in parts)


def _snake(value: Object) -> Object:
    """Returns an object with one spelling of its keys: the JSON of Dapr's API may have two."""
    return {re.sub('([A-Z])', r'_\1', key).lower(): value[key] for key in value}
