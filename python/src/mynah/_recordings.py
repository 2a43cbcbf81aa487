"""The options of the plugin that record the answers of real models, and replay them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from . import _report

if TYPE_CHECKING:
    from . import Call, Session, Sidecar

OPTIONS = {
    '--mynah-record': 'call the real models, and record their answers to this folder',
    '--mynah-replay': 'answer from the recordings in this folder, without any model',
}
MAX_LISTED = 20


def add_options(parser: pytest.Parser) -> None:
    """Adds the options. Without a folder, the value is an empty text."""
    for option, text in OPTIONS.items():
        text += '; by default, `recordings` in the root folder of the tests'
        parser.getgroup('mynah').addoption(option, nargs='?', metavar='FOLDER', help=text)


def check_options(config: pytest.Config) -> None:
    """Fails if the options cannot be used together, or in this run."""
    record, replay = (config.getoption(option) is not None for option in OPTIONS)
    option, error = '--mynah-record' if record else '--mynah-replay', ''
    if record and replay:
        error = '--mynah-replay; choose one of them'
    elif (record or replay) and os.environ.get('MYNAH_ENDPOINT'):
        error = 'MYNAH_ENDPOINT, whose mynah runs already; start that with --record or --replay'
    elif record and config.getoption('dist', 'no') != 'no':
        error = 'pytest-xdist, since one process at a time can record to a folder; omit -n'
    if error:
        raise pytest.UsageError(f'{option} cannot be used with {error}')


def arguments(config: pytest.Config) -> list[str]:
    """Returns the flags with which mynah starts."""
    args: list[str] = [*config.getini('mynah_args')]
    given = {option: _folder(config, option) for option in OPTIONS}
    args += [f'{one.replace("mynah-", "")}={folder}' for one, folder in given.items() if folder]
    has_upstream = any(one.partition('=')[0] == '--upstream' for one in args)
    return [*args, '--upstream=openai'] if given['--mynah-record'] and not has_upstream else args


def summarize(sidecar: 'Sidecar', reporter: 'pytest.TerminalReporter') -> None:
    """Stops mynah, and shows its warnings on what is recorded, if it has recorded."""
    if reporter.config.getoption('--mynah-record') is not None:
        sidecar.stop()
        lines = sidecar.log().decode(errors='replace').splitlines()
        if warnings := [line for line in lines if re.search(' (WARN|ERROR) ', line)]:
            reporter.section('mynah: warnings of the recording')
            reporter.write('\n'.join([*warnings, '']))


def replay(config: pytest.Config, sidecar: 'Sidecar') -> 'Replay | None':
    """Returns what follows the calls, if recordings answer them."""
    folder = _folder(config, '--mynah-replay')
    return Replay(sidecar, folder) if folder else None


def _folder(config: pytest.Config, option: str) -> str | None:
    value: str | None = config.getoption(option)
    return 'recordings' if value == '' else value


class Replay:
    """What the tests have asked for, and what is not recorded."""

    def __init__(self, sidecar: 'Sidecar', folder: str) -> None:
        self._control = sidecar.control
        self._folder = Path(folder)
        self._used: set[tuple[str, str, int | None]] = set()

    def check(self, session: 'Session') -> None:
        """Fails if a request was not recorded, even if the application has hidden the error."""
        missed = (call for call in session.all_calls() if {'missed': True} in call.answered_by)
        if text := '\n'.join(map(_miss, missed)):
            pytest.fail(text, pytrace=False)

    def note(self, session: 'Session') -> None:
        """Notes the rules that have answered, before the calls are forgotten."""
        for call in session.all_calls():
            rules = (by for by in call.answered_by if 'rule' in by)
            self._used |= {(call.component, by['rule'], by.get('step')) for by in rules}

    def summarize(self, reporter: 'pytest.TerminalReporter') -> None:
        """Lists the exchanges that no test asked for, if all tests have run."""
        if lines := list(self._unused()) if _is_complete(reporter) else []:
            reporter.section('mynah: recorded exchanges that no test asked for')
            more = [f'and {len(lines) - MAX_LISTED} more'] if len(lines) > MAX_LISTED else []
            reporter.write('\n'.join([*lines[:MAX_LISTED], *more, '']))

    def _unused(self) -> Iterator[str]:
        _, answer = self._control.send('POST', 'verify', {'unused': True})
        for rule in answer.get('unused') or ():
            file = Path(rule['file'])
            key = unquote(file.stem), rule['rule']
            steps = [step for step in rule['steps'] or [None] if (*key, step) not in self._used]
            if steps and file.parent == self._folder:
                unused = {**rule, 'steps': list(filter(None, steps))}
                yield from _report.failure({'unused': [unused]}, {})


def _is_complete(reporter: 'pytest.TerminalReporter') -> bool:
    """Returns whether all tests in the root folder have passed."""
    config, others = reporter.config, ('failed', 'error', 'deselected')
    is_part = config.args_source == pytest.Config.ArgsSource.ARGS or config.getoption('lf', False)
    is_root = config.invocation_params.dir == config.rootpath
    return is_root and not is_part and not any(map(reporter.stats.get, others))


def _miss(call: 'Call') -> str:
    error = call.error.message if call.error else ''
    text = error.removeprefix(f'failed conversing with component {call.component}: ')
    return f'call {call.number} to {call.component}: {text}'
