// Tests of the process of mynah: how it is found, and that it ends.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startMynah } from 'mynah-dapr';

import { scratch } from './support.js';

const HOME = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE = `@mynah-dapr/${process.platform}-${process.arch}`;

/** Writes a program and returns its path. */
function program(text, folder = scratch()) {
  const path = join(folder, 'mynah');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** Runs a function with changed variables. */
async function withEnv(changed, run) {
  const before = Object.keys(changed).map((name) => [name, process.env[name]]);
  setEnv(Object.entries(changed));
  await run();
  setEnv(before);
}

function setEnv(variables) {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

test('mynah is not installed', () => withEnv({ MYNAH_BIN: undefined, PATH: scratch() }, async () => {
  const expected = new RegExp(`MYNAH_BIN.*${PACKAGE} is not installed.*npm install mynah-dapr.*pip install mynah-dapr`);
  await assert.rejects(startMynah(), expected);
}));

test('mynah is not where it should be', () => withEnv({ MYNAH_BIN: '/no/such/mynah' }, async () => {
  await assert.rejects(startMynah(), /MYNAH_BIN: \/no\/such\/mynah --version failed.*ENOENT.*install mynah/);
  await assert.rejects(startMynah({ binary: '/no/other' }), /the option binary: \/no\/other --version failed/);
}));

test('mynah has another version', async () => {
  const binary = program('#!/bin/sh\necho mynah 7.2.1\n');
  const expected = /mynah has version "7\.2\.1", but mynah-dapr 0\.1\.0 needs 0\.1; install mynah/;
  await assert.rejects(startMynah({ binary }), expected);
});

test('mynah is of another platform', async () => {
  const binary = program('\x7fELF\x02\x01\x01');
  await assert.rejects(startMynah({ binary }), /--version failed.*install mynah/s);
});

test('mynah does not start', async () => {
  const starts = startMynah({ args: ['--resources-path=/no/such/folder'] });
  await assert.rejects(starts, /mynah did not start: mynah has ended with exit code \d+\n.*\/no\/such\/folder/s);
});

/** Starts a script that prints the port of a session, and then waits if it should. */
function script(end) {
  const text = `import { startMynah } from 'mynah-dapr';
    const session = await (await startMynah()).session('one');
    console.log(session.httpAddress);
    ${end}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', text], { cwd: HOME, stdio: ['pipe', 'pipe', 'inherit'] });
}

const firstLine = async (child) => {
  for await (const line of createInterface(child.stdout)) return line;
};

const ended = (child) => new Promise((resolve) => child.on('exit', (code) => resolve(code)));

test('mynah does not keep the process alive', async () => {
  const child = script('');
  assert.equal(await ended(child), 0);
});

test('two processes at once', async () => {
  const children = ['one', 'two'].map(() => script('process.stdin.resume();'));
  const [one, two] = await Promise.all(children.map(firstLine));
  assert.notEqual(one, two);
  children.forEach((child) => child.stdin.end());
  assert.deepEqual(await Promise.all(children.map(ended)), [0, 0]);
});

test('mynah ends with a killed process', { skip: process.platform !== 'linux' && 'needs /proc' }, async () => {
  const child = script('process.stdin.resume();');
  await firstLine(child);
  const [mynah, ...others] = childrenOf(child.pid);
  assert.ok(mynah && !others.length);
  child.kill('SIGKILL');
  await ended(child);
  for (const end = Date.now() + 10_000; isRunning(mynah); await sleep(5)) {
    assert.ok(Date.now() < end, `mynah, process ${mynah}, still runs`);
  }
});

/** Returns the state and the parent of a process. */
function status(pid) {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').replace(/^.*\) /s, '').split(' ');
}

const isRunning = (pid) => !['Z', undefined].includes(status(pid)[0]);

function childrenOf(parent) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => status(pid)[1] === String(parent));
}

/** Installs the package into a folder, with a program in the package of this platform. */
async function install(binary) {
  const modules = join(scratch(), 'node_modules');
  const target = join(modules, 'mynah-dapr');
  for (const name of ['package.json', 'index.js', 'lib', 'bin']) {
    await cp(join(HOME, name), join(target, name), { recursive: true });
  }
  if (binary) {
    const platform = join(modules, PACKAGE);
    mkdirSync(join(platform, 'bin'), { recursive: true });
    writeFileSync(join(platform, 'package.json'), JSON.stringify({ name: PACKAGE, version: '0.1.0' }));
    program(binary, join(platform, 'bin'));
  }
  return join(target, 'bin/mynah.js');
}

test('the command runs the program of the platform', async () => {
  const command = await install('#!/bin/sh\necho "$@"\nexit 7\n');
  const { status: code, stdout } = spawnSync(process.execPath, [command, 'run', '--', 'a b'], { encoding: 'utf8' });
  assert.deepEqual([code, stdout], [7, 'run -- a b\n']);
});

test('the command says if the program is missing', async () => {
  const { status: code, stderr } = spawnSync(process.execPath, [await install()], { encoding: 'utf8' });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^mynah: the package ${PACKAGE} is not installed; install mynah with`));
});

test('the command forwards signals and ends as the program does', async () => {
  const handles = `#!${process.execPath}
    process.on('SIGHUP', () => process.exit(3));
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = spawn(process.execPath, [await install(handles)], { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.equal(await firstLine(child), 'ready');
  child.kill('SIGHUP');
  assert.equal(await ended(child), 3);
});
