"""Tests of recording a real model and replaying it; another mynah is the model."""

from pathlib import Path

import pytest

import mynah

TESTS = """
def test_weather(mynah):
    assert ask('How is the weather?') == 'Sunny'


def test_numbers(mynah):
    assert [ask('Count'), ask('Count')] == ['One', 'Two']
    assert ask('How is the weather?') == 'Sunny'
"""


@pytest.fixture
def model():
    """The real model, until the test removes it."""
    with mynah.start() as sidecar, sidecar.session('model') as session:
        session.when(user='weather').respond('Sunny')
        session.when(user='Count').sequence(['One', 'Two'])
        yield session


@pytest.fixture
def run_model(run, model):
    """Runs tests with a component that calls the model."""

    def run_model(module, *args, flags=''):
        Path('components').mkdir(exist_ok=True)
        Path('components/echo.yaml').write_text(f"""
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {{name: echo}}
spec:
  type: conversation.openai
  version: v1
  metadata:
  - {{name: key, value: sk-planted-key-123456}}
  - {{name: model, value: echo}}
  - {{name: endpoint, value: "http://{model.http}/v1"}}
""")
        ini = f'mynah_args = --resources-path=components {flags}'
        return run(module, *args, ini=ini)

    return run_model


def test_recordings_are_replayed_without_the_model(run_model, model):
    run_model(TESTS, '--mynah-record', '-W', 'error').assert_outcomes(passed=2)
    model.verify(count=4)
    recorded = Path('recordings/echo.yaml').read_text()
    assert 'name: "test_module.py::test_weather: How is the weather?"' in recorded
    assert 'sk-planted' not in recorded
    model.forget()
    result = run_model(TESTS, '--mynah-replay', '-W', 'error')
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line('*no test asked for*')
    assert model.calls() == []
    assert Path('recordings/echo.yaml').read_text() == recorded


def test_a_folder_and_paths_of_tests(run_model):
    module = TESTS.partition('\n\n\n')[0]
    run_model(module, '--mynah-record=of/models', 'test_module.py').assert_outcomes(passed=1)
    assert Path('of/models/echo.yaml').is_file()
    run_model(module, '--mynah-replay=of/models').assert_outcomes(passed=1)
    run_model(module, '--mynah-record', 'test_module.py').assert_outcomes(passed=1)
    assert Path('recordings/echo.yaml').is_file()


def test_warnings_of_the_recording(run_model):
    module = TESTS + "\n\ndef test_more(mynah):\n    assert ask('Count') == 'Two'\n"
    result = run_model(module, '--mynah-record', '-W', 'error')
    result.assert_outcomes(passed=3)
    heading = '* mynah: warnings of the recording *'
    warning = '*two sessions got different answers to the same request*test_module.py::test_more*'
    result.stdout.fnmatch_lines([heading, warning])
    assert not any('WARN' in line for line in run_model(TESTS, '--mynah-replay').stdout.lines)


def test_another_upstream_is_kept(run_model):
    result = run_model(TESTS, '--mynah-record', flags='--upstream daprd')
    result.stdout.fnmatch_lines(['*mynah has ended with exit code 64: *--daprd*'])


def test_a_request_that_is_not_recorded(run_model):
    run_model(TESTS, '--mynah-record').assert_outcomes(passed=2)
    module = """
import pytest
from contextlib import suppress


@pytest.fixture
def teardown(mynah):
    yield
    with suppress(Exception):
        ask('How was the weather?')


def test_hidden(mynah):
    assert ask('How is the weather?') == 'Sunny'
    with suppress(Exception):
        ask('How is the wether?')


def test_further_session(mynah):
    with suppress(Exception):
        ask('Hello', mynah.session('other').connect())


def test_teardown(teardown):
    ask('How is the weather?')


def test_raised(mynah):
    ask('Good morning')


def test_expected(mynah):
    with pytest.raises(Exception, match='not recorded'):
        ask('Bye')
    mynah.forget_failed_calls()
"""
    result = run_model(module, '--mynah-replay')
    result.assert_outcomes(passed=2, failed=3, errors=1)
    nearest = (
        'the request is not recorded in recordings/echo.yaml; the nearest is rule '
        '"test_module.py::test_weather: How is the weather?": messages.1.text: '
    )
    lines = result.stdout.lines
    assert f'call 2 of echo: {nearest}How is the [-weather?-]{{+wether?+}}' in lines
    assert f'call 5 of echo: {nearest}How [-is-]{{+was+}} the weather?' in lines
    assert sum(line.startswith('call 3 of echo: the request') for line in lines) == 1
    result.stdout.fnmatch_lines(['call 2 to echo (failed, * ms, not recorded)'])
    result.stdout.no_fnmatch_line('*no test asked for*')


def test_workers(run_model):
    run_model(TESTS, '--mynah-record').assert_outcomes(passed=2)
    module = TESTS.replace("ask('How is the weather?') == 'Sunny'", "ask('Bye', None)", 1)
    result = run_model(module, '--mynah-replay', '-n', '2')
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['call 1 to echo (failed, * ms, not recorded)'])


def test_exchanges_that_no_test_asked_for(run_model):
    run_model(TESTS, '--mynah-record').assert_outcomes(passed=2)
    module = """
def test_numbers(mynah):
    assert ask('Count') == 'One'


def test_other(mynah):
    pass
"""
    result = run_model(module, '--mynah-replay')
    result.assert_outcomes(passed=2)
    rule = "rule 'test_module.py::test_{}' in recordings/echo.yaml did not answer{}"
    result.stdout.fnmatch_lines(
        [
            '* mynah: recorded exchanges that no test asked for *',
            rule.format('numbers: Count', ' with its steps 2'),
            rule.format('weather: How is the weather?', ''),
        ]
    )
    for args in ['test_module.py'], ['-k', 'other'], ['-n', '2']:
        result = run_model(module, '--mynah-replay', *args)
        assert result.ret == 0
        result.stdout.no_fnmatch_line('*no test asked for*')


def test_the_command_line_overrides_addopts(run_model):
    module = "def test_weather(mynah):\n    assert ask('How is the weather?') == 'Sunny'"
    replay, record = (f'\naddopts = --mynah-{option}' for option in ('replay', 'record'))
    run_model(module, '--mynah-record', flags=replay).assert_outcomes(passed=1)
    run_model(module, flags=replay).assert_outcomes(passed=1)
    recorded = Path('recordings/echo.yaml').read_text()
    other = module.replace('weather?', 'wether?')
    run_model(other, '--mynah-replay=recordings', flags=record).assert_outcomes(failed=1)
    assert Path('recordings/echo.yaml').read_text() == recorded


def test_workers_cannot_record(run):
    error = 'pytest-xdist, since one process at a time can record to a folder; omit -n'
    error = f'--mynah-record cannot be used with {error}'
    expect_usage_error(run(TESTS, '--mynah-record', '-n', '2'), error)


@pytest.mark.parametrize('option', ['--mynah-record', '--mynah-replay'])
def test_a_mynah_that_runs_already(run, monkeypatch, option):
    monkeypatch.setenv('MYNAH_ENDPOINT', 'http://127.0.0.1:3500/mynah/v1')
    error = 'MYNAH_ENDPOINT, whose mynah runs already; start that with --record or --replay'
    expect_usage_error(run(TESTS, option), f'{option} cannot be used with {error}')


def expect_usage_error(result, error):
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f'ERROR: {error}' in result.stderr.lines
    assert not Path('recordings').exists()
