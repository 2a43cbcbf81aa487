"""Fixtures: an assistant whose model is mynah, and a check of the rules after each test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc_stream import GrpcStream
from mynah import Session

from travel.assistant import Assistant, Model
from travel.tools import Agency


@pytest.fixture(autouse=True)
def check_rules(mynah: Session) -> Iterator[None]:
    """Fails if a call failed without a rule, or if a rule of the test was not used."""
    yield
    mynah.verify_rules()


@pytest.fixture
def agency() -> Agency:
    return Agency()


@pytest.fixture
def assistant(mynah: Session, agency: Agency) -> Callable[..., Assistant]:
    """Creates assistants that share the agency of the test."""

    def create(component: str = 'assistant', max_turns: int = 6, **options: Any) -> Assistant:
        return Assistant(Model(mynah.client, component, **options), agency, max_turns)

    return create


@pytest.fixture
def grpc_stream(mynah: Session, tmp_path: Path) -> Callable[[str, str], Iterator[Any]]:
    """Streams answers over gRPC, with messages made from mynah's proto files."""
    return GrpcStream(tmp_path, mynah.grpc)
