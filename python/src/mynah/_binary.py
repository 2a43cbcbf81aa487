"""Finds the binary and checks its version."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TypeAlias

from ._control import MynahError

File: TypeAlias = str | os.PathLike[str] | None

__version__ = '0.1.0'

INSTALL = 'install it with `pip install mynah-dapr`, or set MYNAH_BIN to the path of a binary'


def find(binary: File = None) -> str:
    """Returns the path of mynah: the argument, `MYNAH_BIN`, that of the package or in `PATH`."""
    if given := os.fspath(binary or os.environ.get('MYNAH_BIN', '')):
        if not Path(given).is_file():
            raise MynahError(f'{given!r}, the path of mynah, is not a file; {INSTALL}')
        return given
    scripts, path = sysconfig.get_path('scripts'), os.environ.get('PATH', os.defpath)
    folders = str(Path(__file__).with_name('bin')), scripts, path
    if found := shutil.which('mynah', path=os.pathsep.join(folders)):
        return found
    raise MynahError(f'mynah is neither in this package nor in PATH; {INSTALL}')


def check_version(binary: str) -> None:
    """Fails unless the binary can be run and has the major and minor version of this package."""
    try:
        ended = subprocess.run([binary, '--version'], capture_output=True, timeout=60)
    except OSError as error:
        raise MynahError(f'{binary} cannot be run: {error.strerror}; {INSTALL}') from None
    printed = ended.stdout.decode(errors='replace').strip()[:80]
    wanted = f'mynah {__version__.rpartition(".")[0]}'
    if not printed.startswith(f'{wanted}.'):
        needs = f'but mynah-dapr {__version__} needs {wanted}; install the same version of both'
        raise MynahError(f'{binary} is {printed!r}, {needs}')
