"""Calls mynah's control API."""

import json
import os
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

Object: TypeAlias = dict[str, Any]


class MynahError(Exception):
    """mynah cannot be started, cannot be reached, or rejects a request."""


class Control:
    """The control API at an HTTP address, or at that of a URL, for any number of threads."""

    def __init__(self, address: str) -> None:
        self._address = address.removeprefix('http://').partition('/')[0]
        self.endpoint = f'http://{self._address}/mynah/v1'
        self._headers = {'dapr-api-token': os.environ.get('DAPR_API_TOKEN', '')}
        self._idle: list[HTTPConnection] = []

    def request(self, method: str, path: str, body: object = None, **query: str) -> Object:
        """Returns the answer, also of a check that has failed. `body` is a text, or becomes JSON.

        Fails if the status is another error.
        """
        return dict(json.loads(self.text(method, path, body, **query) or '{}'))

    def text(self, method: str, path: str, body: object = None, **query: str) -> str:
        """Returns the answer as a text."""
        target = f'/mynah/v1/{path}?{urlencode(query, quote_via=quote)}'
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        request = method, target, text.encode() if text else None, self._headers
        try:
            try:
                status, content = self._exchange(self._idle.pop(), *request)
            except (IndexError, ConnectionError, HTTPException):
                # mynah may have closed an idle connection. Every request can be repeated.
                status, content = self._exchange(HTTPConnection(self._address), *request)
            reason = json.loads(content)['error'] if status >= 400 and status != 409 else None
        except (OSError, HTTPException, LookupError, ValueError) as error:
            raise MynahError(f'mynah cannot be reached at {self._address}: {error}') from None
        if reason:
            raise MynahError(reason)
        return content.decode()

    def _exchange(self, connection: HTTPConnection, *request: Any) -> tuple[int, bytes]:  # noqa: ANN401
        with ExitStack() as on_error:
            on_error.callback(connection.close)
            connection.request(*request)
            response = connection.getresponse()
            content = response.read()
            on_error.pop_all()
        self._idle.append(connection)
        return response.status, content

    def close(self) -> None:
        """Closes the connections."""
        while self._idle:
            self._idle.pop().close()
