"""The plugin for pytest: the fixture `mynah`, and the calls of failed tests in the report."""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from . import MynahError, Session, Sidecar, _recordings, start

SESSION = pytest.StashKey[tuple[Session, Sidecar, int]]()
FAILED = pytest.StashKey[bool]()
RECORDINGS = pytest.StashKey[_recordings.Recordings]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `mynah_args`, and the options of recordings."""
    text = 'flags with which mynah starts; paths are relative to the root folder of the tests'
    parser.addini('mynah_args', text, type='args', default=[])
    _recordings.add_options(parser)


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Keeps the path after an option without a folder from being its folder."""
    _recordings.add_folders(args)


def pytest_configure(config: pytest.Config) -> None:
    """Fails if the options of recordings cannot be used."""
    _recordings.check_options(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says that `mynah_args` is not used if mynah runs already."""
    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), config.getini('mynah_args')
    line = f'mynah: {endpoint} runs already (MYNAH_ENDPOINT), so mynah_args is not used'
    return [line] if endpoint and args else []


@pytest.fixture(scope='session')
def mynah_sidecar(pytestconfig: pytest.Config) -> Sidecar:
    """The mynah of this process, or the running one that `MYNAH_ENDPOINT` names."""
    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), _recordings.arguments(pytestconfig)
    own = start(*args, cwd=pytestconfig.rootpath)
    running = Sidecar(endpoint) if endpoint else own
    stack = ExitStack()
    pytestconfig.add_cleanup(stack.close)  # The report on the last test needs mynah.
    try:
        sidecar = stack.enter_context(running)
    except MynahError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    pytestconfig.stash[RECORDINGS] = _recordings.Recordings(pytestconfig, sidecar)
    return sidecar


@pytest.fixture
def mynah(mynah_sidecar: Sidecar, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session for the test. While the test runs, the variables of Dapr's SDKs point at it."""
    log_size = len(mynah_sidecar.log())
    session = mynah_sidecar.session(request.node.nodeid, request.config.rootpath)
    request.node.stash[SESSION] = session, mynah_sidecar, log_size
    request.node.stash[FAILED] = False
    with session.variables():
        yield session
    session.disconnect()
    pytest_runtest_call(request.node)  # Other fixtures may have called the model after the test.


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fails if the test has replayed a request that is not recorded."""
    if SESSION in item.stash and not item.stash[FAILED]:
        item.config.stash[RECORDINGS].check(item.stash[SESSION][0])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """Adds calls and log to the report of a failed test. Closes the session after the teardown."""
    report = (yield).get_result()
    if SESSION in item.stash:
        session, sidecar, log_size = item.stash[SESSION]
        if report.failed:
            item.stash[FAILED] = True
            with suppress(MynahError):  # The log says why it cannot be reached.
                report.sections.append(('mynah calls', session.report()))
            if log := sidecar.log()[log_size:]:
                report.sections.append(('mynah log', log))
        if call.when == 'teardown':
            with suppress(MynahError):
                item.config.stash[RECORDINGS].note(session)
                session.forget()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows warnings of a recording, or the recorded exchanges that no test asked for."""
    if RECORDINGS in terminalreporter.config.stash:
        terminalreporter.config.stash[RECORDINGS].summarize(terminalreporter)
