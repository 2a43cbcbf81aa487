"""Reads the entries of BFCL and converts them to requests of OpenAI's API."""

import json
import re
from dataclasses import dataclass
from importlib.resources import files

CALLS = ['simple_python', 'multiple', 'parallel', 'parallel_multiple']
CALLS += ['live_simple', 'live_multiple', 'live_parallel', 'live_parallel_multiple']
# In the first two, no call is right. In the last, any call is.
RELEVANCE = ['irrelevance', 'live_irrelevance', 'live_relevance']

JSON_TYPES = {'dict': 'object', 'float': 'number', 'tuple': 'array', 'any': 'string'}


@dataclass
class Entry:
    """A question, the functions offered for it, and the calls that are expected."""

    id: str
    category: str
    messages: list
    functions: list
    expected: list

    @property
    def half(self):
        return 'odd' if int(re.search(r'\d+', self.id)[0]) % 2 else 'even'

    @property
    def expected_tools(self):
        return [tool_name(name) for call in self.expected for name in call]

    def function(self, tool):
        return next(f for f in self.functions if tool_name(f['name']) == tool)

    def request(self, force):
        """Returns the request. If `force`, it names the right tool, unless there are several."""
        tools = [tool(function) for function in self.functions]
        request = {'model': 'echo', 'messages': self.messages, 'tools': tools}
        if force and len(set(self.expected_tools)) == 1:
            name = self.expected_tools[0]
            request['tool_choice'] = {'type': 'function', 'function': {'name': name}}
        return request


def read_entries(category, half):
    """Returns the entries of a category, of one half or of `all`."""
    answers = read_rows('data/possible_answer', category) if category in CALLS else []
    expected = {row['id']: row['ground_truth'] for row in answers}
    entries = [
        Entry(row['id'], category, row['question'][0], row['function'], expected.get(row['id'], []))
        for row in read_rows('data', category)
    ]
    return [entry for entry in entries if half in (entry.half, 'all')]


def read_rows(folder, category):
    file = files('bfcl_eval').joinpath(folder, f'BFCL_v4_{category}.json')
    return [json.loads(line) for line in file.read_text(encoding='utf-8').splitlines()]


def tool(function):
    name, parameters = tool_name(function['name']), schema(function['parameters'])
    return {'type': 'function', 'function': {**function, 'name': name, 'parameters': parameters}}


def tool_name(name):
    return name.replace('.', '_')


def schema(value):
    """Converts a schema of BFCL, which has types of Python, to a JSON Schema."""
    converted = dict(value)
    if 'type' in value:
        converted['type'] = JSON_TYPES.get(value['type'], value['type'])
    if 'items' in value:
        converted['items'] = schema(value['items'])
    if 'properties' in value:
        converted['properties'] = {name: schema(v) for name, v in value['properties'].items()}
    return converted
