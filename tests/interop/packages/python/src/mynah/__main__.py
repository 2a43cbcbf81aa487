"""Runs the command `mynah`."""

import os
import sys

from . import own_binary

path = own_binary() or sys.exit("mynah: the binary is missing; install it with `pip install mynah-dapr`")
os.execv(path, [str(path), *sys.argv[1:]])
