"""Calls mynah's control API."""

import json
import os
from http.client import HTTPConnection, HTTPException
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

Object: TypeAlias = dict[str, Any]
Reply: TypeAlias = tuple[int, Object]


class MynahError(Exception):
    """mynah cannot be started, cannot be reached, or rejects a request."""


class Control:
    """The control API at an HTTP address, for any number of threads."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.endpoint = f'http://{address}/mynah/v1'
        token = os.environ.get('DAPR_API_TOKEN', '')
        self._headers = {'content-type': 'application/json', 'dapr-api-token': token}
        self._idle: list[HTTPConnection] = []

    def request(self, method: str, path: str, body: object = None, **query: str) -> Object:
        """Returns the answer. Fails if its status is an error."""
        status, answer = self.send(method, path, body, **query)
        if status >= 400:
            raise MynahError(answer.get('error', f'{method} {path} has failed: {answer}'))
        return answer

    def send(self, method: str, path: str, body: object = None, **query: str) -> Reply:
        """Returns status and answer. `body` is a text, or a value to send as JSON."""
        target = f'/mynah/v1/{path}?{urlencode(query, quote_via=quote)}'.rstrip('?')
        text = body if isinstance(body, str) else json.dumps(body)
        request = method, target, None if body is None else text.encode(), self._headers
        try:
            try:
                return self._exchange(self._idle.pop(), *request)
            except (IndexError, ConnectionError, HTTPException):
                # mynah may have closed an idle connection. Every request can be repeated.
                return self._exchange(HTTPConnection(self.address), *request)
        except (OSError, HTTPException, ValueError) as error:
            raise MynahError(f'mynah cannot be reached at {self.address}: {error}') from None

    def _exchange(self, connection: HTTPConnection, *request: Any) -> Reply:  # noqa: ANN401
        try:
            connection.request(*request)
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return response.status, json.loads(content or b'{}')

    def close(self) -> None:
        """Closes the connections."""
        while self._idle:
            self._idle.pop().close()
