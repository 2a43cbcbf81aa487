"""Explains failed checks, and shows calls."""

from collections.abc import Iterable, Iterator, Mapping

from ._calls import Call, ToolCall
from ._control import Object
from ._rules import Json

MAX_CALLS, MAX_TEXT = 20, 500


def failure(answer: Object, check: Mapping[str, Json]) -> Iterator[str]:
    """Returns the lines of the message of a check that has failed."""
    for one in answer.get('expectations') or ():
        yield f'expected {one["expected"]} calls with {check["match"]}, found {one["matched"]}'
        yield from (f'  call {number} matches' for number in one['calls'])
        for near in one.get('nearest') or ():
            yield f'  call {near["number"]} does not:'
            yield from _mismatches(near)
    if 'waiting' in answer:
        yield f'expected {check["waiting"]} waiting calls, found {answer["waiting"]}'
    for rule in answer.get('unused') or ():
        steps = f' with step {", ".join(map(str, rule["steps"]))}' if rule['steps'] else ''
        yield f'{_rule(rule)} has answered no call{steps}'
    for one in answer.get('unmatched') or ():
        text = _cut(one['text'] or 'a request without a text of the user')
        yield f'no rule answered call {one["number"]}: {text}'
        if one.get('nearest'):
            yield from _nearest(one)
        elif one.get('error'):
            yield f'  {one["error"]}'
    if answer.get('incomplete'):
        yield f'the journal had no room for {answer["dropped"]} calls; increase --journal-size'


def calls(session: str, entries: list[Call], unmatched: Iterable[Object]) -> Iterator[str]:
    """Returns lines with the calls, and the nearest rules of those that no rule answered."""
    near = {one['number']: one for one in unmatched if one.get('nearest')}
    yield f'session {session!r} has {len(entries)} call{"s" if len(entries) != 1 else ""}'
    for call in entries[-MAX_CALLS:]:
        yield from _call(call)
        yield from _nearest(near[call.number]) if call.number in near else ()


def _call(call: Call) -> Iterator[str]:
    by = ', '.join(map(_source, call.answered_by)) or 'no rule'
    yield f'call {call.number} to {call.component} ({call.outcome}, {call.duration_ms} ms, {by})'
    for message in call.messages:
        yield f'  {message.role}: {_said(message.text, message.tool_calls)}'
    if call.tools:
        yield f'  tools: {", ".join(tool.name for tool in call.tools)}'
    if call.answer:
        yield f'  answer: {_said(call.answer.text, call.answer.tool_calls)}'
    if call.error:
        yield f'  error: {call.error.code}: {call.error.message}'


def _source(by: Object) -> str:
    kinds = {'fault': 'a fault', 'missed': 'not recorded'}
    return str(by.get('rule') or next((kinds[k] for k in by if k in kinds), 'an instruction chain'))


def _said(text: str, tool_calls: Iterable[ToolCall]) -> str:
    called = (f'calls {call.name} with {_cut(call.arguments)}' for call in tool_calls)
    return ' '.join(filter(None, [_cut(text), *called]))


def _nearest(one: Object) -> Iterator[str]:
    yield f'  the nearest is {_rule(one["nearest"])}:'
    yield from _mismatches(one['nearest'])


def _mismatches(one: Object) -> Iterator[str]:
    for miss in one['mismatches']:
        yield f'    {miss["condition"]}: expected {miss["expected"]}'
        yield f'    {" " * len(miss["condition"])}  the call has {_cut(repr(miss["seen"]))}'


def _rule(rule: Object) -> str:
    return f'rule {rule["rule"]!r}' + (f' of {rule["file"]}' if rule.get('file') else '')


def _cut(text: str) -> str:
    short = text if len(text) <= MAX_TEXT else f'{text[:MAX_TEXT]}… ({len(text)} characters)'
    return short.replace('\n', '\n    ')
