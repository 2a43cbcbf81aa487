"""Builds the rules of a session."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from ._control import Object

Json: TypeAlias = None | bool | int | float | str | Sequence['Json'] | Mapping[str, 'Json']
Arguments: TypeAlias = str | Mapping[str, Json] | None


def tool_call(name: str, args: Arguments = None, /, **keywords: Json) -> dict[str, Json]:
    """Returns an item of an answer: a call of a tool. The keywords are the arguments.

    The arguments can also be an object, or a text, which need not be JSON. Then, the keywords are
    other keys of the call: `tool_call('pay', {'id': 'A17'}, id='call_1')`.
    """
    if args is None:
        return {'tool_call': [{'name': name, 'args': keywords}]}
    key = 'raw_args' if isinstance(args, str) else 'args'
    return {'tool_call': [{'name': name, key: args, **keywords}]}


def conditions(match: Mapping[str, Json]) -> dict[str, Json]:
    """Returns conditions with the keys of a file of rules: `not_` is `not`."""
    names = {key: key.removesuffix('_') for key in match} | {'tool_result': 'last_tool_result'}
    return {names[key]: value for key, value in match.items()}


class When:
    """What the model does when the conditions hold. Each method adds a rule after the others.

    The first rule that applies answers, so `fails("UNAVAILABLE", times=2).respond("Sunny")` fails
    twice, and `call_tool("get_weather").respond("Sunny")` calls the tool, then responds.
    """

    def __init__(self, add: Callable[[Object], None], match: Mapping[str, Json]) -> None:
        self._add = add
        self._match = conditions(match)

    def respond(self, answer: Json, *, delay: str | None = None, **keys: Json) -> 'When':
        """Answers with a text, a list of items or a step; `keys` are those of a rule."""
        if delay is not None:
            step = answer if isinstance(answer, Mapping) else {'respond': answer}
            answer = {**step, 'delay': delay}
        return self._rule(respond=answer, **keys)

    def call_tool(self, name: str, args: Arguments = None, /, **keywords: Any) -> 'When':  # noqa: ANN401
        """Calls a tool, unless the request ends with the result of a tool.

        The keywords are the arguments. If the arguments are an object or a text, as in `tool_call`,
        the keywords are the `id` of the call, and a `delay` and keys of a rule, as in `respond`.
        """
        if args is None:
            return self._rule(respond=[tool_call(name, **keywords)])
        own = {'id': keywords.pop('id')} if 'id' in keywords else {}
        return self.respond([tool_call(name, args, **own)], **keywords)

    def fails(self, code: str, *, times: int | None = None, **error: Json) -> 'When':
        """Fails with a code of gRPC; `error` has `message`, `retry_after` or `details`."""
        keys = {} if times is None else {'times': times}
        return self._rule(respond={'error': {'code': code, **error}}, **keys)

    def chain(self, answers: Sequence[Json], **keys: Json) -> 'When':
        """Answers in this order, by the number of answers since the user's message."""
        return self._rule(chain=answers, **keys)

    def sequence(self, answers: Sequence[Json], **keys: Json) -> 'When':
        """Answers in this order, by the number of calls that the rule has answered."""
        return self._rule(sequence=answers, **keys)

    def _rule(self, **rule: Json) -> 'When':
        self._add({'match': self._match, **rule})
        return self


def named(number: int, rule: Object) -> Object:
    """Returns a rule that is named after the first caller outside of this package."""
    frame: FrameType | None = sys._getframe()
    while frame and frame.f_globals.get('__package__') == __package__:
        frame = frame.f_back
    place = f' ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})' if frame else ''
    return {'name': f'rule {number}{place}', **rule}
