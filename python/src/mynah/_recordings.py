"""The options of the plugin that record the answers of real models, and replay them."""

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from ._session import Session
from ._sidecar import Sidecar

OPTIONS = {
    '--mynah-record': 'call the real models, and record their answers to this folder',
    '--mynah-replay': 'answer from the recordings in this folder, without any model',
}
FOLDER = 'recordings'


def add_options(parser: pytest.Parser) -> None:
    """Adds the options."""
    for option, text in OPTIONS.items():
        text += f'; by default, `{FOLDER}` in the root folder of the tests'
        group = parser.getgroup('mynah')
        group.addoption(option, nargs='?', const=FOLDER, metavar='FOLDER', help=text)


def add_folders(args: list[str]) -> None:
    """Drops all options but the last, and keeps the path after one from being its folder."""
    options = [one for one in args if one.partition('=')[0] in OPTIONS]
    kept = [one for one in args if one not in options or one == options[-1]]
    args[:] = [f'{one}={FOLDER}' if one in OPTIONS else one for one in kept]


def check_options(config: pytest.Config) -> None:
    """Fails if the options cannot be used in this run."""
    record, replay = map(config.getoption, OPTIONS)
    option, error = '--mynah-record' if record else '--mynah-replay', ''
    if (record or replay) and os.environ.get('MYNAH_ENDPOINT'):
        error = 'MYNAH_ENDPOINT, whose mynah runs already; start that with --record or --replay'
    elif record and config.getoption('dist', 'no') != 'no':
        error = 'pytest-xdist, since one process at a time can record to a folder; omit -n'
    if error:
        raise pytest.UsageError(f'{option} cannot be used with {error}')


def arguments(config: pytest.Config) -> list[str]:
    """Returns the flags with which mynah starts."""
    args: list[str] = [*config.getini('mynah_args')]
    record, replay = map(config.getoption, OPTIONS)
    if replay:
        args.append(f'--replay={replay}')
    if record:
        has_upstream = any(one.partition('=')[0] == '--upstream' for one in args)
        args += [f'--record={record}', *([] if has_upstream else ['--upstream=openai'])]
    return args


class Recordings:
    """What the tests record, or what they replay and have asked for."""

    def __init__(self, config: pytest.Config, sidecar: Sidecar) -> None:
        self._record, self._replay = map(config.getoption, OPTIONS)
        self._sidecar = sidecar
        self._used: set[tuple[str, str, int | None]] = set()

    def check(self, session: Session) -> None:
        """Fails if a request was not recorded, even if the application has hidden the error."""
        try:
            if self._replay:
                session.verify_recorded()
        except AssertionError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None

    def note(self, session: Session) -> None:
        """Notes the rules that have answered, before the calls are forgotten."""
        for call in session.all_calls() if self._replay else ():
            rules = (by for by in call.answered_by if 'rule' in by)
            self._used |= {(call.component, by['rule'], by.get('step')) for by in rules}

    def summarize(self, reporter: pytest.TerminalReporter) -> None:
        """Shows the warnings of a recording, or the exchanges that no test asked for."""
        if self._record:
            title, lines = 'warnings of the recording', self._warnings()
        else:
            title, lines = 'recorded exchanges that no test asked for', self._unused(reporter)
        if lines:
            reporter.section(f'mynah: {title}')
            reporter.write('\n'.join([*lines, '']))

    def _warnings(self) -> list[str]:
        self._sidecar.stop()
        return re.findall('(?m)^.* (?:WARN|ERROR) .*$', self._sidecar.log())

    def _unused(self, reporter: pytest.TerminalReporter) -> list[str]:
        if not self._replay or not _is_complete(reporter):
            return []
        answer = self._sidecar.control.request('POST', 'verify', {'unused': True})
        unused: list[str] = []
        for rule in answer.get('unused') or ():
            file = Path(rule['file'])
            key = unquote(file.stem), rule['rule']
            steps = [step for step in rule['steps'] or [None] if (*key, step) not in self._used]
            if steps and file.parent == Path(self._replay):
                ending = f' with its steps {", ".join(map(str, steps))}' if rule['steps'] else ''
                unused.append(f'rule {rule["rule"]!r} in {file} did not answer{ending}')
        return unused


def _is_complete(reporter: pytest.TerminalReporter) -> bool:
    """Returns whether all tests in the root folder have passed."""
    config, others = reporter.config, ('failed', 'error', 'deselected')
    is_part = config.args_source == pytest.Config.ArgsSource.ARGS or config.getoption('lf', False)
    is_root = config.invocation_params.dir == config.rootpath
    return is_root and not is_part and not any(map(reporter.stats.get, others))
