"""Says what is wrong with an entry that fails, as far as a program can tell."""

import re
from collections import Counter
from enum import Enum

from checker import is_right_field, pairs
from entries import tool_name


class Kind(str, Enum):
    """A kind of failure."""

    QUOTED_MESSAGE = 'tool: whole message in quotation marks'
    ALL_WORDS = 'tool: all words of the name said'
    SOME_WORDS = 'tool: some words of the name said'
    NO_WORDS = 'tool: no word of the name said'
    TOO_FEW_CALLS = 'tool: should be called more often'
    UNEXPECTED_CALL = 'tool: should not be called'
    OPTIONAL = 'field: optional, not stated, filled'
    CUT_PLACE = 'field: place cut at the comma'
    NOT_STATED = 'field: not stated as it is'
    NUMBER_FORM = 'field: number or list in an unread form'
    CHOICE = 'field: enum, boolean, word list or object'
    CODE = 'field: quotation, code or date'
    NAME = 'field: capitalized name'
    PLAIN = 'field: plain words or number without a cue'
    OTHER_PART = 'field: another part of the text, or too much or too little'
    OTHER = 'other'


GENERIC_WORDS = set(
    'get fetch list show set do run execute call use perform find look up lookup retrieve read '
    'check search query view give tell current tool function api info data detail new latest all '
    'the a an of for by id in on to from with and or me my calculate calc compute estimate '
    'determine predict generate analyze compare book order'.split()
)
NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split()
# Digits that stand alone, and digits in any form: 1,000 (without its comma), 5km, 20%, 1e-9.
PLAIN_NUMBER = r'(?<![\w.,/:-])-?\d+(?:\.\d+)?(?![\w%/:-]|[.,]\d)'
ANY_NUMBER = r'(?:(?<!\w)-)?\d+(?:\.\d+)?(?:e-?\d+)?'


def failures(entry, calls):
    """Returns the failures of an entry that is not right."""
    text = '\n'.join(m['content'] for m in entry.messages if m['role'] == 'user')
    found = [*tool_failures(entry, calls, text), *field_failures(entry, calls, text)]
    return found or [{'kind': Kind.OTHER}]


def tool_failures(entry, calls, text):
    expected, got = Counter(entry.expected_tools), Counter(name for name, _ in calls)
    for name in expected - got:
        if not got[name]:
            yield {'kind': name_kind(name, text), 'tool': name}
        if expected[name] > 1:
            yield {'kind': Kind.TOO_FEW_CALLS, 'tool': name}
    if entry.category == 'live_relevance':
        kinds = {name_kind(tool_name(function['name']), text) for function in entry.functions}
        yield {'kind': min(kinds, key=list(Kind).index)}
    else:
        yield from ({'kind': Kind.UNEXPECTED_CALL, 'tool': name} for name in got - expected)


def name_kind(name, text):
    """Returns why a tool may not be called."""
    if re.fullmatch(r'\s*("[^"]*"|“[^”]*”|\'.*\')\s*', text, re.DOTALL):
        return Kind.QUOTED_MESSAGE
    words = {word.lower() for word in re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+', name)}
    stems = set(map(stem, words - GENERIC_WORDS or words))
    said = stems & set(map(stem, re.findall(r'[a-z]+|\d+', text.lower())))
    return Kind.ALL_WORDS if said == stems else Kind.SOME_WORDS if said else Kind.NO_WORDS


def stem(word):
    return re.sub(r'(ing|ed|er|ies|es|s|e|y)$', '', word) if len(word) > 4 else word


def field_failures(entry, calls, text):
    for name, expected, arguments in pairs(entry, calls):
        properties = entry.function(name)['parameters']['properties']
        for field in dict.fromkeys([*expected, *arguments]):
            options = expected.get(field, [])
            if not is_right_field(entry, name, field, options, arguments):
                kind = field_kind(properties.get(field, {}), options, arguments.get(field), text)
                yield {'kind': kind, 'tool': name, 'field': field}


def field_kind(schema, options, got, text):
    """Returns why the value of a field may be wrong."""
    said = next((option for option in options if is_stated(option, text)), None)
    is_list = isinstance(said, list)
    if said is None and ('' in options or not options):
        return Kind.OTHER_PART if is_stated(got, text) else Kind.OPTIONAL
    if schema.get('type') == 'boolean':
        return Kind.CHOICE
    if said is None:
        return Kind.NOT_STATED
    if all(map(is_number, said if is_list else [said])):
        if is_list or said not in map(float, re.findall(PLAIN_NUMBER, text)):
            return Kind.NUMBER_FORM
        return Kind.OTHER_PART if is_stated(got, text) else Kind.PLAIN
    if 'enum' in schema or not isinstance(said, str):
        return Kind.CHOICE
    if is_stated(got, text):
        return Kind.CUT_PLACE if said.startswith(f'{got},') else Kind.OTHER_PART
    if re.search(r'\d', said) or re.search(rf'[\'"“`]{re.escape(said)}[\'"”`]', text):
        return Kind.CODE
    return Kind.NAME if any(s[:1].isupper() for s in spans(said, text)) else Kind.PLAIN


def is_stated(value, text):
    """Returns whether the user said a value: every part of a list or of an object."""
    if isinstance(value, dict):
        return is_stated([v for v in value.values() if v != ['']], text)
    if isinstance(value, list):
        return bool(value) and all(is_stated(item, text) for item in value if item != '')
    if is_number(value):
        return value in numbers(text)
    return isinstance(value, str) and bool(re.search(r'\w', value) and spans(value, text))


def spans(value, text):
    """Returns the places where a value is said, regardless of case and punctuation."""
    words = r'\W+'.join(map(re.escape, re.findall(r'\w+', value)))
    return re.findall(rf'(?<!\w){words}(?!\w)', text, re.IGNORECASE)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numbers(text):
    """Returns the numbers in any form that the user said."""
    digits = re.findall(ANY_NUMBER, re.sub(r',(?=\d{3}\b)', '', text.lower()))
    words = {i for i, word in enumerate(NUMBER_WORDS) if spans(word, text)}
    return words | set(map(float, digits))
