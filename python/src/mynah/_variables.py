"""Points the variables that Dapr's SDKs read at a session."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ._control import MynahError

lock = threading.RLock()
_holders: list[str] = []


@contextmanager
def pointed_at(session: str, grpc: str, http: str) -> Iterator[None]:
    """Sets the variables, and those settings of Dapr's SDK that it has read already.

    A process has only one environment, so this fails while it points at another session.
    """
    with lock:
        if _holders:
            raise MynahError(
                f'the DAPR_* variables already point at session {_holders[0]!r}, so they cannot '
                f'point at {session!r}; use its `client`, `connect()`, `grpc` and `http` instead'
            )
        _holders.append(session)
        new = _variables(grpc, http)
        settings = vars(conf.settings) if (conf := sys.modules.get('dapr.conf')) else {}
        read = {n: int(v) if n.endswith('_PORT') else v for n, v in new.items() if n in settings}
        old, old_read = {n: os.environ.get(n) for n in new}, {n: settings[n] for n in read}
        _set_environment(new)
        settings.update(read)
    try:
        yield
    finally:
        with lock:
            _set_environment(old)
            settings.update(old_read)
            _holders.clear()


def pointed_anywhere(session: str, grpc: str, http: str) -> AbstractContextManager[None]:
    """Sets the variables unless they point at a session: a client looks for a healthy sidecar."""
    return nullcontext() if _holders else pointed_at(session, grpc, http)


def _variables(grpc: str, http: str) -> dict[str, Any]:
    host, _, port = grpc.rpartition(':')
    return {
        'DAPR_GRPC_ENDPOINT': None,  # SDKs differ in its form, but all know the host and the port.
        'DAPR_GRPC_PORT': port,
        'DAPR_HTTP_ENDPOINT': f'http://{http}',
        'DAPR_HTTP_PORT': http.rpartition(':')[2],
        'DAPR_RUNTIME_HOST': host,
    }


def _set_environment(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
