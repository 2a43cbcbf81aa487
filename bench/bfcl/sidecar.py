"""Starts mynah and sends it requests."""

import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

FLAGS = ['--dapr-grpc-port=0', '--dapr-http-port=0', '--metrics-port=0', '--journal-size=0']
# The second flag stops mynah even if this program is killed.
FLAGS += ['--log-level=error', '--exit-on-stdin-close']


@contextmanager
def running(program):
    """Runs mynah on free ports and gives the address of its HTTP port."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'addresses.json')
        pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.DEVNULL}
        # At the end, this closes standard input and waits.
        with subprocess.Popen([program, *FLAGS, f'--addresses-file={file}'], **pipes) as mynah:
            while not file.exists():
                if mynah.poll() is not None:
                    raise SystemExit(f'{program} does not start')
                time.sleep(0.01)
            yield json.loads(file.read_text())['http']


def ask_all(address, requests, jobs):
    """Returns the calls in the answer to each request, as pairs of a name and arguments."""
    url = f'http://{address}/v1/chat/completions'
    opener = build_opener(ProxyHandler({}))

    def ask(request):
        with opener.open(url, json.dumps(request).encode()) as answer:
            message = json.load(answer)['choices'][0]['message']
        calls = [call['function'] for call in message.get('tool_calls', [])]
        return [(call['name'], json.loads(call['arguments'])) for call in calls]

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(ask, requests))
