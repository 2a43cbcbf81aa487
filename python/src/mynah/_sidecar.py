"""Starts and stops mynah."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from . import _binary
from ._binary import INSTALL, File
from ._control import Control, MynahError
from ._session import Session

Process: TypeAlias = subprocess.Popen[bytes]

PORTS = '--dapr-grpc-port=0 --dapr-http-port=0 --enable-metrics=false'.split()


class Sidecar(AbstractContextManager['Sidecar']):
    """A running mynah, known by the address of its control API, such as `MYNAH_ENDPOINT`."""

    def __init__(
        self, endpoint: str, log: Path | None = None, process: Process | None = None
    ) -> None:
        self.control = Control(endpoint.removeprefix('http://').partition('/')[0])
        self.pid = process.pid if process else None
        self._log = log
        self._process = process

    def session(self, name: str, folder: Path | None = None) -> Session:
        """Opens a session with addresses of its own. Paths of rules are relative to `folder`."""
        return Session(self.control, name, folder)

    def __exit__(self, *_: object) -> None:
        """Closes the connections."""
        self.control.close()

    def log(self) -> bytes:
        """Returns what mynah has printed, if this process has started it."""
        return self._log.read_bytes() if self._log else b''

    def stop(self) -> None:
        """Stops mynah early, if this process has started it."""
        if self._process:
            self._process.communicate()


@contextmanager
def start(*args: str, binary: File = None, cwd: File = None) -> Iterator[Sidecar]:
    """Starts mynah, with flags whose paths are relative to `cwd`, and stops it at the end.

    It runs on free ports, and also stops if this process is killed.
    """
    path = _binary.find(binary)
    with TemporaryDirectory(prefix='mynah-', ignore_cleanup_errors=True) as folder:
        addresses, log = Path(folder, 'addresses.json'), Path(folder, 'log.txt')
        command = [path, *args, *PORTS, f'--addresses-file={addresses}', '--exit-on-stdin-close']
        with _process(command, log, cwd) as process:
            try:
                _binary.check_version(path)  # Meanwhile, mynah starts.
                address = _wait(process, addresses, log)
            except BaseException:
                process.kill()
                raise
            # After this, the standard input is closed, and mynah stops.
            with Sidecar(address, log, process) as sidecar:
                yield sidecar


def _process(command: list[str], log: Path, cwd: File) -> Process:
    # Ctrl-C must not reach mynah before the tests, which use it until they end.
    options: Any = {'cwd': cwd, 'start_new_session': True, 'stdout': subprocess.DEVNULL}
    try:
        with log.open('wb') as stderr:
            return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=stderr, **options)
    except OSError as error:
        raise MynahError(f'{command[0]} cannot be run: {error.strerror}; {INSTALL}') from None


def _wait(process: Process, addresses: Path, log: Path) -> str:
    """Returns the HTTP address when mynah serves."""
    while not addresses.exists():
        if process.poll() is not None:
            output = log.read_text(errors='replace').strip()
            raise MynahError(f'mynah has ended with exit code {process.returncode}: {output}')
        time.sleep(0.001)
    return str(json.loads(addresses.read_text())['http'])
