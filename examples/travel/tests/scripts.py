"""Scripts that tests append to the user's question: one step for each turn of the model."""

import json
from typing import Any

Step = dict[str, Any]


def script(question: str, *steps: Step) -> str:
    """Appends a script to a question."""
    chain = json.dumps({'instruction_chain': steps})
    return f'{question}\n<|instruction_start|>{chain}<|instruction_end|>'


def text(text: str, **options: Any) -> Step:
    """A step that answers with text."""
    return {'messages': [{'text': text}], **options}


def as_json(value: Any) -> Step:
    """A step that answers with JSON."""
    return {'messages': [{'json': value}]}


def call(name: str, /, **args: Any) -> Step:
    """A step that calls a tool."""
    return calls({'name': name, 'args': args})


def calls(*tool_calls: dict[str, Any]) -> Step:
    """A step with any number of calls."""
    return {'messages': [{'tool_call': list(tool_calls)}]}


def failure(code: str, message: str = 'the model is busy', **fields: Any) -> Step:
    """A step that makes the call fail."""
    return {'error': {'code': code, 'message': message, **fields}}
