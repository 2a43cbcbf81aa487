"""Checks of the source, and of the code in the README."""

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]
README = (PROJECT / 'README.md').read_text()
BLOCKS = re.findall(r'```(\w+)\n(.*?)```', README, re.DOTALL)


def check(*command: str) -> None:
    ended = subprocess.run(
        [sys.executable, '-m', *command], cwd=PROJECT, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_ruff():
    check('ruff', 'check', '--no-cache')
    check('ruff', 'format', '--no-cache', '--check')


def test_mypy(tmp_path):
    check('mypy', '--cache-dir', str(tmp_path))


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 60


def test_the_test_of_the_readme(run, pytester):
    python = [text for language, text in BLOCKS if language == 'python']
    shown = next(text for language, text in BLOCKS if 'call 1' in text)
    pytester.makepyfile(test_weather=python[0])
    pytester.makefile('.toml', pyproject='[tool.pytest.ini_options]\nmynah_args = ""')
    result = pytester.runpytest_subprocess('-p', 'no:cacheprovider', 'test_weather.py')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([re.sub(r'[\d.]+ ms', '* ms', line) for line in shown.splitlines()])


def test_the_program_of_the_readme(pytester):
    program = [text for language, text in BLOCKS if language == 'python'][1]
    file = pytester.makepyfile(program=program)
    subprocess.run([sys.executable, '-W', 'error', str(file)], check=True)
