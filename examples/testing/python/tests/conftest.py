"""Checks the rules after each test."""

from collections.abc import Iterator

import pytest
from mynah import Session


@pytest.fixture(autouse=True)
def check_rules(mynah: Session) -> Iterator[None]:
    """Fails if a call failed without a rule, or if a rule of the test was not used."""
    yield
    mynah.verify_rules()
