"""The plugin for pytest: the fixture `mynah`, and the calls of failed tests in the report."""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import pytest

from . import _recordings

if TYPE_CHECKING:
    from . import Session, Sidecar

KEY = pytest.StashKey['tuple[Session, Sidecar, int]']()
FAILED = pytest.StashKey[bool]()
SIDECAR = pytest.StashKey['Sidecar']()
REPLAY = pytest.StashKey['_recordings.Replay | None']()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `mynah_args`, and the options of recordings."""
    text = 'flags with which mynah starts; paths are relative to the root folder of the tests'
    parser.addini('mynah_args', text, type='args', default=[])
    _recordings.add_options(parser)


def pytest_load_initial_conftests(args: list[str]) -> None:
    """Keeps the path after an option without a folder from being its folder."""
    args[:] = [f'{one}=' if one in _recordings.OPTIONS else one for one in args]


def pytest_configure(config: pytest.Config) -> None:
    """Fails if the options of recordings cannot be used."""
    _recordings.check_options(config)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says that `mynah_args` is not used if mynah runs already."""
    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), config.getini('mynah_args')
    line = f'mynah: {endpoint} runs already (MYNAH_ENDPOINT), so mynah_args is not used'
    return [line] if endpoint and args else []


@pytest.fixture(scope='session')
def mynah_sidecar(pytestconfig: pytest.Config) -> 'Sidecar':
    """The mynah of this process, or the running one that `MYNAH_ENDPOINT` names."""
    from . import MynahError, Sidecar, start

    endpoint, args = os.environ.get('MYNAH_ENDPOINT'), _recordings.arguments(pytestconfig)
    running = Sidecar(endpoint) if endpoint else start(*args, cwd=pytestconfig.rootpath)
    stack = ExitStack()
    pytestconfig.add_cleanup(stack.close)  # The report on the last test needs mynah.
    try:
        sidecar = stack.enter_context(running)
    except MynahError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    pytestconfig.stash[SIDECAR] = sidecar
    pytestconfig.stash[REPLAY] = _recordings.replay(pytestconfig, sidecar)
    return sidecar


@pytest.fixture
def mynah(mynah_sidecar: 'Sidecar', request: pytest.FixtureRequest) -> 'Iterator[Session]':
    """A session for the test. While the test runs, the variables of Dapr's SDKs point at it."""
    log_size = len(mynah_sidecar.log())
    session = mynah_sidecar.session(request.node.nodeid, request.config.rootpath)
    request.node.stash[KEY] = session, mynah_sidecar, log_size
    request.node.stash[FAILED] = False
    with session.variables():
        yield session
    session.disconnect()
    pytest_runtest_call(request.node)  # Other fixtures may have called the model after the test.


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fails if the test has replayed a request that is not recorded."""
    replay = item.config.stash.get(REPLAY, None)
    if replay and KEY in item.stash and not item.stash[FAILED]:
        replay.check(item.stash[KEY][0])


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
            item.stash[FAILED] = True
            with suppress(MynahError):  # The log says why it cannot be reached.
                report.sections.append(('mynah calls', session.report()))
            log = sidecar.log()[log_size:].decode(errors='replace')
            report.sections += [('mynah log', log)] if log else []
        if call.when == 'teardown':
            with suppress(MynahError):
                if replay := item.config.stash.get(REPLAY, None):
                    replay.note(session)
                session.forget()


def pytest_terminal_summary(terminalreporter: 'pytest.TerminalReporter') -> None:
    """Shows warnings of a recording, or the recorded exchanges that no test asked for."""
    stash = terminalreporter.config.stash
    if replay := stash.get(REPLAY, None):
        replay.summarize(terminalreporter)
    elif sidecar := stash.get(SIDECAR, None):
        _recordings.summarize(sidecar, terminalreporter)
