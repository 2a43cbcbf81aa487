"""Starts mynah for the tests, and gives each test a session of its own."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from dapr.clients import DaprClient
from dapr.clients.grpc.interceptors import DaprClientInterceptor
from dapr.conf import settings

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope='session')
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Returns the address of mynah's control API. Starts mynah unless `mynah run` did."""
    if endpoint := os.environ.get('MYNAH_ENDPOINT'):
        yield endpoint
        return
    file = tmp_path_factory.mktemp('mynah') / 'addresses.json'
    command = ['mynah', '--resources-path=components', '--stand-in=scripted', '--strict']
    command += ['--rules=rules.yaml', '--dapr-grpc-port=0', '--dapr-http-port=0']
    command += ['--metrics-port=0', f'--addresses-file={file}', '--exit-on-stdin-close']
    # The pipe is closed at the end, even if the tests are killed.
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=PROJECT, **pipes) as mynah:
        while not file.exists():
            assert mynah.poll() is None, 'mynah did not start'
            time.sleep(0.01)
        addresses = json.loads(file.read_text())
        # Before 1.19, the SDK reads the environment only when it is imported.
        settings.DAPR_GRPC_PORT = int(addresses['grpc'].split(':')[-1])
        settings.DAPR_HTTP_PORT = int(addresses['http'].split(':')[-1])
        yield f'http://{addresses["http"]}/mynah/v1'


class Mynah:
    """What a test can do with its session, which has no calls and counts of an earlier run."""

    def __init__(self, address: str, session: str) -> None:
        self.address = address
        self.session = session
        self.has_rules = False
        self.client = self.connect()
        self.request('POST', f'/reset?session={quote(session)}')

    def connect(self) -> DaprClient:
        """Returns a new client whose calls belong to the session."""
        interceptor = DaprClientInterceptor([('mynah-session', self.session)])
        return DaprClient(interceptors=[interceptor])

    def journal(self) -> list[dict[str, Any]]:
        """Returns the calls of the session, the oldest first."""
        return self.request('GET', f'/journal?session={quote(self.session)}')['entries']

    def show(self) -> None:
        """Prints the calls of the session, without schemas. If the test has failed, pytest shows them."""
        for call in self.journal():
            if tools := (call['request'] or {}).get('tools'):
                call['request']['tools'] = [tool.get('function', tool).get('name') for tool in tools]
            print(json.dumps(call, indent=2))

    def violations(self) -> list[dict[str, Any]]:
        """Returns what the client did wrong after errors."""
        return self.request('GET', f'/verdict?session={quote(self.session)}')['violations']

    def verify(self, count: int, scrubbed: bool = False, **match: Any) -> None:
        """Fails unless as many calls of the session match. Waits for calls that are about to end."""
        check = {'session': self.session, 'match': match, 'count': count, 'wait': '1s'}
        self.request('POST', '/verify', {**check, 'scrubbed': scrubbed})

    def set_rules(self, *rules: dict[str, Any]) -> None:
        """Sets the rules of the session, which go before those of the file. All must be used."""
        self.request('PUT', f'/rules?session={quote(self.session)}', {'rules': rules})
        self.has_rules = True

    def set_faults(self, **faults: Any) -> None:
        """Makes calls of the session fail."""
        self.request('PUT', '/faults', {'session': self.session, **faults})

    def wait_for_calls(self, count: int) -> None:
        """Waits until the answers of as many calls are delayed, so that the model has the calls."""
        self.request('POST', '/verify', {'session': self.session, 'waiting': count, 'wait': '10s'})

    def end_waits(self) -> None:
        """Removes the faults, and answers the calls that wait. Those that hang fail."""
        self.request('DELETE', f'/faults?session={quote(self.session)}')

    def check(self) -> None:
        """Fails if no rule matched one of the calls, or if a rule of the session was not used."""
        checks = {'session': self.session, 'no_unmatched': True, 'unused': self.has_rules}
        try:
            self.request('POST', '/verify', checks)
        finally:
            self.request('DELETE', f'/rules?session={quote(self.session)}')
            self.end_waits()

    def forget(self) -> None:
        """Removes the failed calls of the session from the journal, so that they need no rule."""
        self.request('DELETE', f'/journal?session={quote(self.session)}&outcome=failed')

    def request(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {
            'Content-Type': 'application/json',
            'dapr-api-token': os.environ.get('DAPR_API_TOKEN', ''),
        }
        try:
            with urlopen(Request(self.address + path, data, headers, method=method)) as response:
                return json.loads(response.read() or b'null')
        except HTTPError as error:
            message = json.dumps(json.load(error), indent=2)
        pytest.fail(message)


@pytest.fixture
def mynah(sidecar: str, request: pytest.FixtureRequest) -> Iterator[Mynah]:
    """A session of its own for each test, which is checked at its end."""
    mynah = Mynah(sidecar, request.node.nodeid)
    with mynah.client:
        yield mynah
    mynah.show()
    mynah.check()
