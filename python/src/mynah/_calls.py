"""The calls in the journal, with types."""

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from ._control import Object

T = TypeVar('T')


class ToolCall(NamedTuple):
    """A call of a tool by the model."""

    id: str = ''
    name: str = ''
    arguments: str = ''

    @property
    def args(self) -> Object:
        """The arguments. Fails with `ValueError` if they are not a JSON object."""
        return dict(json.loads(self.arguments))


class Message(NamedTuple):
    """A message that the application sent; `tool` and `id` are those of the result of a tool."""

    role: str
    text: str = ''
    tool_calls: tuple[ToolCall, ...] = ()
    tool: str = ''
    id: str = ''


class Tool(NamedTuple):
    """A tool that the application offers."""

    name: str = ''
    description: str = ''
    parameters: Object = {}


class Answer(NamedTuple):
    """What the application was answered."""

    text: str = ''
    reasoning: str = ''
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ''
    model: str = ''
    usage: Object = {}


class CallError(NamedTuple):
    """The error that the application got, with the name of its gRPC code."""

    code: str
    message: str
    retry_after_ms: float | None = None


class Call(NamedTuple):
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


class Violation(NamedTuple):
    """What a client did wrong after an error."""

    kind: str
    calls: list[int]
    message: str


class Verdict(NamedTuple):
    """How a client retries."""

    ok: bool
    retries: int
    recovered: int
    gave_up: list[int]
    violations: list[Violation]


CONTENT = {'inputs', 'messages', 'input', 'instructions', 'tools', 'name'}


def call(entry: Object) -> Call:
    """Reads an entry of the journal. A request that is not JSON has no messages."""
    sent, error, answer = (entry.get(name) for name in ('request', 'error', 'response'))
    request = _snake(sent) if isinstance(sent, dict) else {}
    tools = (tool.get('function') or tool for tool in request.get('tools') or ())
    answered_by = tuple(entry.get('answered_by') or ())
    return _read(
        Call,
        entry,
        request=sent if isinstance(sent, dict) else {'body': sent},
        messages=tuple(_messages(request)),
        tools=tuple(_read(Tool, tool) for tool in tools),
        parameters={key: value for key, value in request.items() if key not in CONTENT},
        answer=_read(Answer, answer, tool_calls=_tool_calls(answer)) if answer else None,
        error=_read(CallError, error) if error else None,
        rules=tuple(by['rule'] for by in answered_by if 'rule' in by),
        answered_by=answered_by,
    )


def verdict(value: Object) -> Verdict:
    """Reads a verdict."""
    return _read(Verdict, value, violations=[_read(Violation, one) for one in value['violations']])


def _read(kind: Callable[..., T], value: Object, **read: object) -> T:
    """Reads the fields of a type from an object, except those that are `read` already."""
    fields = {name: value[name] for name in kind.__annotations__ if value.get(name) is not None}
    return kind(**{**fields, **read})


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
        return Message('assistant', tool_calls=(_tool_call(value),))
    if value.get('type') == 'function_call_output':
        return Message('tool', _text(value.get('output')), id=value['call_id'])
    tool = value.get('name') or '' if role == 'tool' else ''
    result_of = value.get('tool_id') or value.get('tool_call_id') or ''
    return Message(role, _text(value.get('content')), _tool_calls(value), tool, result_of)


def _tool_calls(value: Object) -> tuple[ToolCall, ...]:
    return tuple(map(_tool_call, value.get('tool_calls') or ()))


def _tool_call(value: Object) -> ToolCall:
    identifier = value.get('call_id') or value.get('id') or ''
    return _read(ToolCall, value.get('function') or value, id=identifier)


def _text(content: str | list[Object] | None) -> str:
    parts = [{'text': content}] if isinstance(content, str) else content or ()
    return '\n'.join(part.get('text') or '' for part in parts)


def _snake(value: Object) -> Object:
    """Returns an object with one spelling of its keys: the JSON of Dapr's API may have two."""
    return {re.sub('([A-Z])', r'_\1', key).lower(): value[key] for key in value}
