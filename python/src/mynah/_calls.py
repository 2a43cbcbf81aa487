"""The calls in the journal, with types."""

import json
from collections.abc import Callable
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


def call(entry: Object) -> Call:
    """Reads an entry of the journal. An invalid request has no messages."""
    sent, error, answer = (entry.get(name) for name in ('request', 'error', 'response'))
    answered_by = tuple(entry['answered_by'])
    return _read(
        Call,
        entry,
        request=sent if isinstance(sent, dict) else {'body': sent},
        messages=tuple(map(_message, entry.get('messages', ()))),
        tools=tuple(_read(Tool, tool) for tool in entry.get('tools', ())),
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


def _message(value: Object) -> Message:
    tool = value.get('name', '') if value['role'] == 'tool' else ''
    calls, result_of = _tool_calls(value), value.get('tool_id', '')
    return _read(Message, value, tool_calls=calls, tool=tool, id=result_of)


def _tool_calls(value: Object) -> tuple[ToolCall, ...]:
    return tuple(_read(ToolCall, call) for call in value.get('tool_calls', ()))
