"""Points the variables that Dapr's SDKs read at a session."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

from ._control import MynahError

lock = threading.RLock()
_holders: list[str] = []


@contextmanager
def pointed_at(session: str, grpc: str, http: str, *, needed: bool = True) -> Iterator[None]:
    """Sets the variables, and those settings of Dapr's SDK that it has read already.

    A process has only one environment, so this fails while it points at another session. If it is
    not `needed`, because a client only looks for any healthy sidecar, it leaves it at that.
    """
    with lock:
        holder = next(iter(_holders), None)
        if holder and needed:
            raise MynahError(
                f'the DAPR_* variables already point at session {holder!r}, so they cannot point '
                f'at {session!r}; use its `client`, `connect()`, `grpc` and `http` instead'
            )
        undo = [] if holder else _set(grpc, http)
        _holders.append(session)
    try:
        yield
    finally:
        with lock:
            _holders.remove(session)
            for where, old in undo:
                _update(where, old)


def _set(grpc: str, http: str) -> list[tuple[MutableMapping[str, Any], dict[str, Any]]]:
    """Returns what there was before."""
    (host, _, grpc_port), http_port = grpc.rpartition(':'), http.rpartition(':')[2]
    new: dict[str, str | None] = {
        'DAPR_GRPC_ENDPOINT': None,  # SDKs differ in its form, but all know the host and the port.
        'DAPR_GRPC_PORT': grpc_port,
        'DAPR_HTTP_ENDPOINT': f'http://{http}',
        'DAPR_HTTP_PORT': http_port,
        'DAPR_RUNTIME_HOST': host,
    }
    conf = sys.modules.get('dapr.conf')
    settings = vars(conf.settings) if conf else {}
    read = {name: settings[name] for name in new if name in settings}
    undo = [(os.environ, {name: os.environ.get(name) for name in new}), (settings, read)]
    _update(os.environ, new)
    settings.update({n: int(new[n] or 0) if n.endswith('_PORT') else new[n] for n in read})
    return undo


def _update(where: MutableMapping[str, Any], values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if value is None and where is os.environ:
            where.pop(name, None)
        else:
            where[name] = value
