"""The plugin for pytest: the fixture `mynah`, and the calls of failed tests in the report."""

import os
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from . import Session, Sidecar

KEY = pytest.StashKey['tuple[Session, Sidecar, int]']()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `mynah_args`."""
    text = 'flags with which mynah starts; paths are relative to the root folder of the tests'
    parser.addini('mynah_args', text, type='args', default=[])


@pytest.fixture(scope='session')
def mynah_sidecar(pytestconfig: pytest.Config) -> 'Generator[Sidecar, None, None]':
    """The mynah of this process, or the running one that `MYNAH_ENDPOINT` names."""
    from . import MynahError, Sidecar, start

    if endpoint := os.environ.get('MYNAH_ENDPOINT'):
        sidecar = Sidecar(endpoint)
        yield sidecar
        sidecar.control.close()
        return
    try:
        with start(*pytestconfig.getini('mynah_args'), cwd=pytestconfig.rootpath) as sidecar:
            yield sidecar
    except MynahError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def mynah(
    mynah_sidecar: 'Sidecar', request: pytest.FixtureRequest
) -> 'Generator[Session, None, None]':
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
) -> 'Generator[None, pytest.TestReport, None]':
    """Adds calls and log to the report of a failed test. Closes the session after the teardown."""
    outcome = yield
    if KEY not in item.stash:
        return
    session, sidecar, log_size = item.stash[KEY]
    report = outcome.get_result()
    if report.failed:
        report.sections.append(('mynah calls', session.report()))
        log = sidecar.log()[log_size:].decode(errors='replace')
        report.sections += [('mynah log', log)] if log else []
    if call.when == 'teardown':
        del item.stash[KEY]
        session.close()
