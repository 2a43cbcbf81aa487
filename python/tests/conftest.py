"""Runs tests of tests: modules with pytest in a process of its own, with the installed plugin."""

import os
from collections.abc import Callable

import pytest

pytest_plugins = ['pytester']

APPLICATION = """
from dapr.clients import DaprClient
from dapr.clients.grpc.conversation import ConversationInputAlpha2, create_user_message


def ask(question, client=None):
    inputs = [ConversationInputAlpha2([create_user_message(question)])]
    with client or DaprClient() as client:
        return client.converse_alpha2('echo', inputs).outputs[0].choices[0].message.content
"""


@pytest.fixture
def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Runs pytest on the text of a module, next to the application above."""
    monkeypatch.delenv('MYNAH_ENDPOINT', raising=False)
    monkeypatch.setenv('PYTHONPATH', str(pytester.path))
    pytester.makepyfile(application=APPLICATION)

    def run(module: str, *args: str, ini: str = '') -> pytest.RunResult:
        pytester.makepyfile(test_module='from application import ask\n' + module)
        pytester.makeini(f'[pytest]\nasyncio_default_fixture_loop_scope = function\n{ini}')
        return pytester.runpytest_subprocess('-p', 'no:cacheprovider', *args, timeout=120)

    return run


@pytest.fixture
def binary() -> str:
    """The path of the tested program."""
    return os.environ['MYNAH_BIN']
