"""Starts and stops mynah."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from . import _binary
from ._control import Control, MynahError
from ._session import Session

FLAGS = ['--dapr-grpc-port=0', '--dapr-http-port=0', '--enable-metrics=false']


class Sidecar:
    """A running mynah, known by the address of its control API, such as `MYNAH_ENDPOINT`."""

    def __init__(self, endpoint: str, log: Path | None = None, pid: int | None = None) -> None:
        self.control = Control(endpoint.removeprefix('http://').partition('/')[0])
        self.pid = pid
        self._log = log

    def session(self, name: str, folder: Path | None = None) -> Session:
        """Opens a session with addresses of its own. Paths of rules are relative to `folder`."""
        return Session(self.control, name, folder)

    def log(self) -> bytes:
        """Returns what mynah has printed, if this process has started it."""
        return self._log.read_bytes() if self._log else b''


@contextmanager
def start(
    *args: str,
    binary: str | os.PathLike[str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
) -> Iterator[Sidecar]:
    """Starts mynah, with flags whose paths are relative to `cwd`, and stops it at the end.

    It runs on free ports, and also stops if this process is killed.
    """
    path = _binary.find(binary)
    _binary.check_version(path)
    with TemporaryDirectory(prefix='mynah-', ignore_cleanup_errors=True) as folder:
        addresses, log = Path(folder, 'addresses.json'), Path(folder, 'log.txt')
        command = [path, *args, *FLAGS, f'--addresses-file={addresses}', '--exit-on-stdin-close']
        with log.open('wb') as output:
            # Ctrl-C must not reach mynah before the tests, which use it until they end.
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=output,
                cwd=cwd, start_new_session=True,
            )  # fmt: skip
        with process:  # At the end, closes its standard input and waits.
            sidecar = Sidecar(_wait(process, addresses, log), log, process.pid)
            try:
                yield sidecar
            finally:
                sidecar.control.close()


def _wait(process: 'subprocess.Popen[bytes]', addresses: Path, log: Path) -> str:
    """Returns the HTTP address when mynah serves."""
    while not addresses.exists():
        if process.poll() is not None:
            output = log.read_text(errors='replace').strip()
            raise MynahError(f'mynah has ended with exit code {process.returncode}: {output}')
        time.sleep(0.001)
    return str(json.loads(addresses.read_text())['http'])
