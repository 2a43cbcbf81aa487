"""Tests of finding and starting the binary."""

import os
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import mynah
from mynah import MynahError
from mynah import _binary as found

INSTALL = 'install it with `pip install mynah-dapr`, or set MYNAH_BIN to the path of a binary'


def script(path: Path, text: str, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def start(binary: str) -> str:
    """Returns the error of starting a binary."""
    with pytest.raises(MynahError) as raised, mynah.start(binary=binary):
        pass
    return str(raised.value)


def test_the_argument_goes_before_the_variable(binary, monkeypatch):
    monkeypatch.setenv('MYNAH_BIN', '/nowhere/mynah')
    assert found.find(binary) == binary
    with mynah.start(binary=binary) as sidecar:
        assert sidecar.control.request('GET', 'sessions')['sessions'] == []


def test_the_variable_names_no_file(monkeypatch):
    monkeypatch.setenv('MYNAH_BIN', '/nowhere/mynah')
    with pytest.raises(MynahError) as raised:
        found.find()
    assert str(raised.value) == f"'/nowhere/mynah', the path of mynah, is not a file; {INSTALL}"


def test_the_places_of_the_package(tmp_path, monkeypatch):
    monkeypatch.delenv('MYNAH_BIN')
    module, scripts, path = (tmp_path / name for name in ('mynah', 'scripts', 'path'))
    monkeypatch.setattr(found, '__file__', str(module / '_binary.py'))
    monkeypatch.setattr(sysconfig, 'get_path', lambda name: str(scripts))
    monkeypatch.setenv('PATH', str(path))
    with pytest.raises(MynahError) as raised:
        found.find()
    assert str(raised.value) == f'mynah is neither in this package nor in PATH; {INSTALL}'
    for folder in (path, scripts, module / 'bin'):
        binary = script(folder / 'mynah', '')
        assert found.find() == binary


def test_another_version(tmp_path):
    binary = script(tmp_path / 'mynah', '#!/bin/sh\necho mynah 0.2.3\n')
    needs = 'but mynah-dapr 0.1.0 needs mynah 0.1; install the same version of both'
    assert start(binary) == f"{binary} is 'mynah 0.2.3', {needs}"


def test_another_patch_version_is_accepted(tmp_path):
    binary = script(tmp_path / 'mynah', '#!/bin/sh\necho mynah 0.1.99\n')
    found.check_version(binary)


def test_another_program(tmp_path):
    binary = script(tmp_path / 'mynah', '#!/bin/sh\necho starling 0.1.0\n')
    assert start(binary).startswith(f"{binary} is 'starling 0.1.0', but mynah-dapr 0.1.0 needs")


def test_not_executable(tmp_path):
    binary = script(tmp_path / 'mynah', '#!/bin/sh\n', 0o644)
    assert start(binary) == f'{binary} cannot be run: Permission denied; {INSTALL}'


def test_of_another_platform(tmp_path):
    binary = script(tmp_path / 'mynah', '\x00\x01')
    assert start(binary) == f'{binary} cannot be run: Exec format error; {INSTALL}'


def test_a_start_that_fails(binary):
    with pytest.raises(MynahError, match='mynah has ended with exit code 64: .*--flag'):
        with mynah.start('--flag', binary=binary):
            pass


def test_nothing_is_left(binary):
    with mynah.start(binary=binary) as sidecar:
        folder, pid = sidecar._log.parent, sidecar.pid
        assert Path(f'/proc/{pid}').exists() and folder.exists()
    assert not Path(f'/proc/{pid}').exists() and not folder.exists()


def test_the_module_runs_the_binary(binary):
    command = [sys.executable, '-m', 'mynah', '--version']
    assert subprocess.check_output(command, text=True) == f'mynah {mynah.__version__}\n'
    ended = subprocess.run([*command[:-1], 'check', '/nowhere'], capture_output=True)
    assert ended.returncode == 1
    environment = {**os.environ, 'MYNAH_BIN': '/nowhere/mynah'}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ended.returncode == 1
    assert ended.stderr == f"mynah: '/nowhere/mynah', the path of mynah, is not a file; {INSTALL}\n"


def test_the_versions_are_equal():
    cargo = Path(__file__).parents[2].joinpath('Cargo.toml').read_text()
    expected = re.search(r'^version = "(.*)"', cargo, re.MULTILINE)[1]
    assert (mynah.__version__, version('mynah-dapr')) == (expected, expected)
    (plugin,) = (one for one in entry_points(group='pytest11') if one.name == 'mynah')
    assert plugin.value == 'mynah.pytest_plugin'
