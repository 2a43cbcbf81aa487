"""Builds the rules of a session."""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from ._control import MynahError, Object

Json: TypeAlias = None | bool | int | float | str | Sequence['Json'] | Mapping[str, 'Json']
Arguments: TypeAlias = str | Mapping[str, Json] | None

LIST = re.compile(r'^rules:[ \t]*(?:#.*)?\n((?:(?:[ \t#-].*)?\n)+)', re.MULTILINE)
# The characters that YAML does not allow. JSON allows those from U+007F on.
UNPRINTABLE = re.compile('[\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff\u2028\u2029]')


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


def from_rule(number: int, rule: Object) -> str:
    """Returns an item of the list of rules, named after its place in the test."""
    return _item({'name': f'rule {number}{_place(sys._getframe())}', **rule})


def from_file(path: Path) -> str:
    """Returns the items of the list of rules in a file, without the indentation of the list."""
    text = path.read_text(encoding='utf-8') + '\n'
    if path.suffix == '.json':
        items = ''.join(map(_item, json.loads(text).get('rules') or ()))
    else:
        items = ''.join(found[1] for found in LIST.finditer(text))
    if not (indentation := re.search('(?m)^ *(?=-)', items)):
        raise MynahError(f'{path}: expected a line `rules:`, followed by a list of rules')
    return re.sub(f'(?m)^ {{0,{len(indentation[0])}}}', '', items)


def _item(rule: Json) -> str:
    text = json.dumps(rule, ensure_ascii=False)
    return '- ' + UNPRINTABLE.sub(lambda char: f'\\u{ord(char[0]):04x}', text) + '\n'


def _place(frame: FrameType | None) -> str:
    """Returns the file and line of the first caller outside of this package."""
    while frame and frame.f_globals.get('__package__') == __package__:
        frame = frame.f_back
    return f' ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})' if frame else ''
