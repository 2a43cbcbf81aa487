"""Fixtures: a client with a session of its own for each test, and an assistant that uses it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dapr.clients import DaprClient
from dapr.clients.grpc.interceptors import DaprClientInterceptor
from dapr.clients.retry import RetryPolicy
from grpc_stream import GrpcStream
from mynah import Mynah

from travel.assistant import Assistant, Model
from travel.tools import Agency


@pytest.fixture
def session(request: pytest.FixtureRequest) -> str:
    """The path and name of the test, as the name of its session."""
    return request.node.nodeid


@pytest.fixture
def client(session: str, mynah: Mynah) -> Iterator[DaprClient]:
    """A client whose calls belong to the session of the test. Fails if a rule is missing."""
    with connect(session) as client:
        yield client
    mynah.check_rules()


def connect(session: str, **options: Any) -> DaprClient:
    options.setdefault('retry_policy', RetryPolicy(max_attempts=0))
    return DaprClient(interceptors=[DaprClientInterceptor([('mynah-session', session)])], **options)


@pytest.fixture
def mynah(session: str) -> Mynah:
    """What the test can ask mynah about its session, which has no calls of an earlier run."""
    mynah = Mynah(session)
    mynah.reset()
    return mynah


@pytest.fixture
def agency() -> Agency:
    return Agency()


@pytest.fixture
def assistant(client: DaprClient, agency: Agency) -> Callable[..., Assistant]:
    """Creates assistants that use a component and share the agency of the test."""

    def create(component: str, max_turns: int = 6, **options: Any) -> Assistant:
        return Assistant(Model(client, component, **options), agency, max_turns)

    return create


@pytest.fixture
def grpc_stream(session: str, tmp_path: Path) -> Callable[[str, str], Iterator[Any]]:
    """Streams answers over gRPC, with messages made from mynah's proto files."""
    return GrpcStream(tmp_path, session)
