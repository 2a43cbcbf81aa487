"""Runs a command at a terminal of its own, and types: terminal.py STEPS COMMAND...

STEPS is a JSON list of {"sees": TEXT, "there_is": FILE, "types": TEXT}: each step waits until the
terminal shows the text, after what the step before waited for, and until there is the file, if one
is named; then it types. What the terminal showed is printed, and the command's exit status kept.
"""

import json
import os
import pty
import sys
import time

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

shown = b""


def read():
    """Takes in what is shown next; false at the end."""
    global shown
    try:
        more = os.read(terminal, 4096)
    except OSError:  # nobody has the terminal open any more
        return False
    shown += more
    return bool(more)


seen = 0
for step in json.loads(sys.argv[1]):
    text = step["sees"].encode()
    while text not in shown[seen:] and read():
        pass
    seen = shown.find(text, seen) + len(text)
    while "there_is" in step and not os.path.exists(step["there_is"]):
        time.sleep(0.01)
    os.write(terminal, step["types"].encode())
while read():
    pass
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status))
