"""Runs the binary: `python -m mynah ARGUMENTS`."""

import os
import subprocess
import sys

from ._binary import find
from ._control import MynahError

if __name__ == '__main__':
    try:
        command = [find(), *sys.argv[1:]]
        if os.name == 'nt':  # There, exec would return to the shell at once.
            sys.exit(subprocess.call(command))
        os.execv(command[0], command)
    except (MynahError, OSError) as error:
        sys.exit(f'mynah: {error}')
