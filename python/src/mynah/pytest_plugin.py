"""The plugin for pytest: the fixture `mynah`, and the calls of failed tests in the report."""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from . import Session, Sidecar

KEY = pytest.StashKey['tuple[Session, Sidecar, int]']()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `mynah_args`."""
    text = 'flags with which mynah starts; paths are relative to the root folder of the tests'
    parser.addini('mynah_args', text, type='args', default=[])


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says that `mynah_args` is not used if mynah runs already."""
    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), config.getini('mynah_args')
    line = f'mynah: {endpoint} runs already (MYNAH_ENDPOINT), so mynah_args is not used'
    return [line] if endpoint and args else []


@pytest.fixture(scope='session')
def mynah_sidecar(pytestconfig: pytest.Config) -> 'Sidecar':
    """The mynah of this process, or the running one that `MYNAH_ENDPOINT` names."""
    from . import MynahError, Sidecar, start

    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), pytestconfig.getini('mynah_args')
    running = Sidecar(endpoint) if endpoint else start(*args, cwd=pytestconfig.rootpath)
    stack = ExitStack()
    pytestconfig.add_cleanup(stack.close)  # The report on the last test needs mynah.
    try:
        return stack.enter_context(running)
    except MynahError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture
def mynah(mynah_sidecar: 'Sidecar', request: pytest.FixtureRequest) -> 'Iterator[Session]':
    """A session for the test. While the test runs, the variables of Dapr's SDKs point at it."""
    log_size = len(mynah_sidecar.log())
    session = mynah_sidecar.session(request.node.nodeid, request.config.rootpath)
    request.node.stash[KEY] = session, mynah_sidecar, log_size
    with session.variables():
        yield session
    session.disconnect()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: 'pytest.CallInfo[None]'
) -> 'Generator[None, Any, None]':
    """Adds calls and log to the report of a failed test. Closes the session after the teardown."""
    report = (yield).get_result()
    if KEY in item.stash:
        from . import MynahError

        session, sidecar, log_size = item.stash[KEY]
        if report.failed:
            with suppress(MynahError):  # The log says why it cannot be reached.
                report.sections.append(('mynah calls', session.report()))
            log = sidecar.log()[log_size:].decode(errors='replace')
            report.sections += [('mynah log', log)] if log else []
        if call.when == 'teardown':
            with suppress(MynahError):
                session.forget()
