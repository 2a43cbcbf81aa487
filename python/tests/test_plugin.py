"""Tests of the plugin, with test runs of their own."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import mynah

PASSES = """
def test_passes(mynah):
    mynah.when(user='weather').respond('Sunny')
    assert ask('How is the weather?') == 'Sunny'
    mynah.verify(count=1, user='weather')
"""


def test_a_test_that_passes(run):
    result = run(PASSES, '-rA', '-W', 'error')
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line('*mynah calls*')
    result.stdout.no_fnmatch_line('*mynah log*')


def test_a_test_that_fails(run):
    module = """
def test_fails(mynah):
    mynah.when(user='weather').respond('Sunny')
    mynah.when(user='slow').respond('Late')
    ask('How is the weather?')
    ask('Hello')
    assert ask('Bye') == 'Ciao'


def test_another(mynah):
    ask('Good morning')
"""
    result = run(module, ini='mynah_args = --log-level=debug')
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            '*mynah calls*',
            'session "test_module.py::test_fails" has 3 calls',
            'call 1 to echo (ok, * ms, rule 1 (test_module.py:4))',
            '  user: How is the weather?',
            '  answer: Sunny',
            'call 2 to echo (ok, * ms, no rule)',
            '  user: Hello',
            '  answer: Hello',
            '  the nearest is rule "rule 1 (test_module.py:4)" of session *::test_fails:',
            '    user: expected a text that contains "weather"',
            '          the call has "Hello"',
            '*mynah log*',
            '*DEBUG*test_module.py::test_fails*',
        ]
    )
    result.stdout.no_fnmatch_line('*Good morning*')
    result.stdout.no_fnmatch_line('*test_another*')


def test_a_failed_check_after_the_test(run):
    module = """
import pytest


@pytest.fixture(autouse=True)
def check(mynah):
    yield
    mynah.verify_rules()


def test_unmatched():
    with pytest.raises(Exception, match='there are no rules'):
        ask('Hello')
"""
    result = run(module, ini='mynah_args = --strict')
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ['E * neither a rule nor a chain answered call 1: "Hello"', '*mynah calls*', 'call 1 *']
    )
    result.stdout.no_fnmatch_line('*_session.py*')


def test_a_fixture_that_fails(run):
    module = """
import pytest


@pytest.fixture
def weather(mynah):
    ask('Hello')
    raise ValueError('no weather')


def test_weather(weather):
    pass
"""
    result = run(module)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*ERROR at setup*', '*mynah calls*', 'call 1 *'])


def test_sessions_are_isolated(run):
    module = """
import pytest


@pytest.mark.parametrize('n', range(20))
def test_one(mynah, n):
    assert mynah.calls() == []
    assert ask('Who?') == 'Who?'
    mynah.when(user='Who').respond(f'{n}')
    mynah.fault(every=3, error='ABORTED')
    assert ask('Who?') == f'{n}'
    mynah.verify(count=2)
"""
    run(module, '-W', 'error').assert_outcomes(passed=20)


def test_workers(run):
    module = """
import os
import pytest


@pytest.mark.parametrize('n', range(40))
def test_one(mynah, mynah_sidecar, n):
    mynah.when(user='Who').respond(f'{n}')
    assert ask('Who?') == f'{n}'
    mynah.verify(count=1)
    with open('pids.txt', 'a') as file:
        print(os.environ['PYTEST_XDIST_WORKER'], mynah_sidecar.pid, file=file)
"""
    run(module, '-n', '4', '-W', 'error').assert_outcomes(passed=40)
    pairs = {tuple(line.split()) for line in Path('pids.txt').read_text().splitlines()}
    assert len(pairs) == len({pid for _, pid in pairs}) == 4
    assert not any(is_running(int(pid)) for _, pid in pairs)


def test_the_report_of_a_worker(run):
    module = "def test_fails(mynah):\n    assert ask('Hello') == 'Bye'\n"
    result = run(module, '-n', '2')
    result.stdout.fnmatch_lines(['*mynah calls*', 'call 1 *', '  user: Hello'])


def test_names_of_tests(run):
    module = """
import pytest


@pytest.mark.parametrize('text', ['a[1]/b', 'Zürich 🌦', 'x' * 300, '::', '%2F', ''])
def test_ünï(mynah, text):
    mynah.when(user='Who').respond('{{ session }}')
    assert ask('Who?') == mynah.name
    assert 'test_ünï[' in mynah.name
"""
    run(module).assert_outcomes(passed=6)


def test_variables_are_restored(run, monkeypatch):
    monkeypatch.setenv('DAPR_GRPC_PORT', '50111')
    monkeypatch.setenv('DAPR_GRPC_ENDPOINT', 'dns:example.org:50002')
    monkeypatch.delenv('DAPR_HTTP_PORT', raising=False)
    module = """
import os

from dapr.conf import settings

settings.DAPR_HTTP_PORT = 3555


def names():
    read = 'DAPR_GRPC_PORT', 'DAPR_GRPC_ENDPOINT', 'DAPR_HTTP_PORT'
    read = {name: getattr(settings, name) for name in read}
    return read, {k: v for k, v in os.environ.items() if k.startswith('DAPR_')}


before = names()


def test_session(mynah):
    assert names() != before
    assert settings.DAPR_HTTP_PORT == int(mynah.http.split(':')[1])
    assert settings.DAPR_GRPC_ENDPOINT is None
    assert ask('Hello') == 'Hello'


def test_no_session():
    assert names() == before
    assert before[0] == {
        'DAPR_GRPC_PORT': 50111,
        'DAPR_GRPC_ENDPOINT': 'dns:example.org:50002',
        'DAPR_HTTP_PORT': 3555,
    }
"""
    run(module).assert_outcomes(passed=2)


def test_arguments_are_relative_to_the_root_folder(run, pytester):
    pytester.mkdir('components')
    Path('components/model.yaml').write_text("""
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.openai, version: v1}
""")
    Path('rules.yaml').write_text('rules:\n- {match: {user: Bye}, respond: See you}\n')
    module = """
import os

os.chdir('/')


def test_session(mynah):
    assert ask('Hello') == 'Hello'
    mynah.rules('rules.yaml')
    assert ask('Bye') == 'See you'
"""
    result = run(module, ini='mynah_args = --resources-path=components --stand-in echo')
    result.assert_outcomes(passed=1)


def test_an_instruction_chain_answers(run, pytester):
    pytester.mkdir('components')
    Path('components/model.yaml').write_text("""
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec: {type: conversation.scripted, version: v1}
""")
    module = """
CHAIN = '{"instruction_chain": [{"respond": "Sunny"}]}'


def test_chain(mynah):
    assert ask(f'Hello<|instruction_start|>{CHAIN}<|instruction_end|>') == 'Sunny'
    assert ', an instruction chain)' in mynah.report()
    mynah.verify_rules(every_call=True)
"""
    result = run(module, ini='mynah_args = --resources-path=components --strict')
    result.assert_outcomes(passed=1)


def test_wrong_arguments(run):
    result = run(PASSES, ini='mynah_args = --resources-path=nowhere')
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['mynah has ended with exit code 1: *', '  nowhere: *'])


def test_a_mynah_that_runs_already(run, monkeypatch):
    with mynah.start() as sidecar:
        monkeypatch.setenv('MYNAH_ENDPOINT', sidecar.control.endpoint)
        module = PASSES + '\n\ndef test_pid(mynah_sidecar):\n    assert mynah_sidecar.pid is None\n'
        result = run(module, '-W', 'error', ini='mynah_args = --strict')
        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(['mynah: http://* runs already*, so mynah_args is not used'])
        assert sidecar.control.request('GET', 'sessions')['sessions'] == []
        assert sidecar.control.request('GET', 'journal')['entries'] == []


def test_the_token_of_the_api(run, monkeypatch):
    monkeypatch.setenv('DAPR_API_TOKEN', 'secret-token')
    run(PASSES).assert_outcomes(passed=1)


def test_ports_that_are_taken(run, monkeypatch):
    with ExitStack() as stack:
        for name, port in ('DAPR_GRPC_PORT', 50001), ('DAPR_HTTP_PORT', 3500):
            taken = stack.enter_context(socket.socket())
            with suppress(OSError):  # Another program may have taken it.
                taken.bind(('127.0.0.1', port))
            monkeypatch.setenv(name, str(port))
        run(PASSES).assert_outcomes(passed=1)


def test_two_processes_at_once(run, pytester):
    assert run(PASSES, '--collect-only').ret == 0
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_module.py']
    pipes = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE}
    both = [pytester.popen(command, **pipes) for _ in range(2)]
    for process in both:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output


@pytest.mark.parametrize('ended', [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_mynah_ends_with_the_tests(run, pytester, ended):
    module = """
import os
import signal
import sys
import time

# Shells start jobs in the background with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


def test_waits(mynah, mynah_sidecar):
    print(f'pids: {os.getpid()} {mynah_sidecar.pid}', file=sys.stderr, flush=True)
    time.sleep(600)
"""
    assert run(module, '--collect-only').ret == 0
    command = [sys.executable, '-m', 'pytest', '-s', '-p', 'no:cacheprovider', 'test_module.py']
    pipes = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL, 'stderr': subprocess.PIPE}
    tests = pytester.popen(command, **pipes)
    line = next(line for line in tests.stderr if b'pids:' in line)
    own, pid = map(int, re.findall(rb'\d+', line))
    assert own == tests.pid and is_running(pid)
    # The end of a process is an event of its file descriptor.
    watched = os.pidfd_open(pid)
    os.kill(own, ended)
    tests.communicate(timeout=60)
    wait_for_end(watched)
    assert not is_running(pid)


def wait_for_end(watched):
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    assert poll.poll(60_000), 'mynah still runs'
    os.close(watched)


def is_running(pid):
    """Returns whether a process exists and has not ended."""
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except FileNotFoundError:
        return False
    return state != 'Z'
