"""Finds the binary and checks its version."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from ._control import MynahError

__version__ = '0.1.0'

INSTALL = 'install it with `pip install mynah-dapr`, or set MYNAH_BIN to the path of a binary'


def find(binary: str | os.PathLike[str] | None = None) -> str:
    """Returns the path of mynah: the argument, `MYNAH_BIN`, that of the package or in `PATH`."""
    if given := os.fspath(binary or os.environ.get('MYNAH_BIN', '')):
        if not Path(given).is_file():
            raise MynahError(f'{given!r}, the path of mynah, is not a file; {INSTALL}')
        return given
    name = 'mynah.exe' if os.name == 'nt' else 'mynah'
    folders = Path(__file__).with_name('bin'), Path(sysconfig.get_path('scripts'))
    packaged = (str(folder / name) for folder in folders if (folder / name).is_file())
    if found := next(packaged, None) or shutil.which('mynah'):
        return found
    raise MynahError(f'mynah is neither in this package nor in PATH; {INSTALL}')


def check_version(binary: str) -> None:
    """Fails unless the binary has the major and minor version of this package."""
    try:
        ended = subprocess.run([binary, '--version'], capture_output=True, timeout=60)
    except OSError as error:
        raise MynahError(f'{binary} cannot be run: {error.strerror}; {INSTALL}') from None
    name, _, version = ended.stdout.decode(errors='replace').strip().partition(' ')
    if name != 'mynah':
        raise MynahError(f'{binary} is not mynah: `--version` does not print its name; {INSTALL}')
    wanted = __version__.rpartition('.')[0]
    if version.rpartition('.')[0] != wanted:
        has = f'{binary} is mynah {version}, but mynah-dapr {__version__} needs {wanted}'
        raise MynahError(f'{has}; install the same version of both')
