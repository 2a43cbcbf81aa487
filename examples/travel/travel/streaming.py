"""Answers that arrive in chunks, over HTTP."""

import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

from .assistant import ModelError


def stream(component: str, question: str) -> Iterator[str]:
    """Yields the chunks of an answer. Raises an exception if the answer is not complete."""
    for kind, data in events(component, question):
        if kind == 'error':
            raise ModelError(data['message'])
        if 'complete' in data:
            return
        yield data['chunk']['content']
    raise ModelError('the stream broke off')


def events(component: str, question: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the server-sent events of an answer, each with its type."""
    address = f'{os.environ["DAPR_HTTP_ENDPOINT"]}/v1.0-alpha2/conversation/{component}/converse'
    message = {'ofUser': {'content': [{'text': question}]}}
    body = json.dumps({'inputs': [{'messages': [message]}]}).encode()
    with urlopen(Request(address, body, {'Accept': 'text/event-stream'})) as response:
        kind = 'message'
        for line in response:
            name, _, value = line.decode().rstrip('\n').partition(': ')
            if name == 'event':
                kind = value
            elif name == 'data':
                yield kind, json.loads(value)
