"""Starts and stops mynah."""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from ._binary import File, check_version, find
from ._control import Control, MynahError
from ._session import Session

Process: TypeAlias = Popen[bytes]

PORTS = '--dapr-grpc-port=0 --dapr-http-port=0 --enable-metrics=false'.split()


class Sidecar(AbstractContextManager['Sidecar']):
    """A running mynah, known by the address of its control API, such as `MYNAH_ENDPOINT`."""

    def __init__(
        self, endpoint: str, log: Path | None = None, process: Process | None = None
    ) -> None:
        self.control = Control(endpoint)
        self.pid = process.pid if process else None
        self._log = log
        self._process = process

    def session(self, name: str, folder: Path | None = None) -> Session:
        """Opens a session with addresses of its own. Paths of rules are relative to `folder`."""
        return Session(self.control, name, folder)

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self.control.close()

    def log(self) -> str:
        """Returns what mynah has printed, if this process has started it."""
        return self._log.read_text(errors='replace') if self._log else ''

    def stop(self) -> None:
        """Stops mynah early, if this process has started it."""
        if self._process:
            self._process.communicate()


@contextmanager
def start(*args: str, binary: File = None, cwd: File = None) -> Iterator[Sidecar]:
    """Starts mynah, with flags whose paths are relative to `cwd`, and stops it at the end.

    It runs on free ports, and also stops if this process is killed.
    """
    path = find(binary)
    check_version(path)
    with TemporaryDirectory(prefix='mynah-', ignore_cleanup_errors=True) as folder:
        addresses, log = Path(folder, 'addresses.json'), Path(folder, 'log.txt')
        command = [path, *args, *PORTS, f'--addresses-file={addresses}', '--exit-on-stdin-close']
        # Ctrl-C must not reach mynah before the tests, which use it until they end.
        options: Any = {'stdin': PIPE, 'stdout': DEVNULL, 'start_new_session': True, 'cwd': cwd}
        with log.open('wb') as stderr, Popen(command, stderr=stderr, **options) as process:
            with Sidecar(_wait(process, addresses, log), log, process) as sidecar:
                yield sidecar
            # Then, `Popen` closes the standard input, and mynah stops.


def _wait(process: Process, addresses: Path, log: Path) -> str:
    """Returns the HTTP address when mynah serves."""
    while not addresses.exists():
        if process.poll() is not None:
            output = log.read_text(errors='replace').strip()
            raise MynahError(f'mynah has ended with exit code {process.returncode}: {output}')
        time.sleep(0.001)
    return str(json.loads(addresses.read_text())['http'])
