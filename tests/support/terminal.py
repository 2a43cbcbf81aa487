"""Runs a command in a pseudo-terminal and types into it: terminal.py STEPS COMMAND...

STEPS is a JSON list of {"wait_for": TEXT, "wait_for_file": FILE, "type": TEXT}. Each step waits
until the terminal shows TEXT after the previous step's text and until the optional FILE exists, and
then types. Prints the terminal's output and exits with the command's exit code.
"""

import json
import os
import pty
import sys
import termios
import time

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

output = b""


def read():
    """Reads more output. Returns False at the end."""
    global output
    try:
        more = os.read(terminal, 4096)
    except OSError:  # the terminal is closed
        return False
    output += more
    return bool(more)


def set_echo(is_on):
    """Sets whether the terminal shows what is typed. It never drops output because of a signal."""
    attributes = termios.tcgetattr(terminal)
    echo = termios.ECHO if is_on else 0
    attributes[3] = attributes[3] & ~termios.ECHO | echo | termios.NOFLSH
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


position = 0
for step in json.loads(sys.argv[1]):
    text = step["wait_for"].encode()
    while text not in output[position:] and read():
        pass
    position = output.find(text, position) + len(text)
    while "wait_for_file" in step and not os.path.exists(step["wait_for_file"]):
        time.sleep(0.01)
    # The terminal sends the signal before it shows Ctrl-C. The command may be faster.
    set_echo("\x03" not in step["type"])
    os.write(terminal, step["type"].encode())
while read():
    pass
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(output.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status))
