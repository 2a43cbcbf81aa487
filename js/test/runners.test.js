// Runs the examples with Vitest and Jest, and checks the types.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const HOME = dirname(fileURLToPath(import.meta.url));
const resolve = createRequire(import.meta.url).resolve;

/** Runs a program of a package in this folder. Returns the exit code and the output. */
function run(name, program, ...args) {
  const path = join(dirname(resolve(`${name}/package.json`)), program);
  const env = { ...process.env, NO_COLOR: '1', CI: 'true', NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd: HOME, encoding: 'utf8', env });
  return { status, output: stdout + stderr };
}

const vitest = (path) => run('vitest', 'vitest.mjs', 'run', '--config', 'vitest.config.js', path);
const jest = (pattern, ...args) => run('jest', 'bin/jest.js', '--rootDir', HOME, '--testRegex', pattern, ...args);

const REPORT = [
  'call 1 to echo (ok, ', 'user: How is the wether?',
  'the nearest is rule "1: {\\"user\\":\\"weather\\"}" of session ',
  'user: expected a text that contains "weather"',
  'the call has "How is the wether?"',
];

function reports({ status, output }) {
  assert.notEqual(status, 0);
  for (const line of REPORT) assert.ok(output.includes(line), `no ${line} in ${output}`);
}

test('the examples pass with Vitest', () => {
  const { status, output } = vitest('examples/');
  assert.equal(status, 0, output);
  assert.match(output, /Tests +9 passed \(9\)/);
});

test('sessions have the names of tests of Vitest', () => {
  const { status, output } = vitest('vitest/');
  assert.equal(status, 0, output);
  assert.match(output, /Tests +2 passed \(2\)/);
});

test('the example passes with Jest', () => {
  const { status, output } = jest('examples/weather\\.jest\\.test\\.cjs$');
  assert.equal(status, 0, output);
  assert.match(output, /Tests: +1 passed, 1 total/);
});

test('Jest stops the mynah of each file', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  const { status, output } = jest('jest/.*\\.test\\.cjs$', '--runInBand');
  assert.equal(status, 0, output);
  assert.match(output, /Tests: +4 passed, 4 total/);
});

test('Vitest shows the calls of a test that fails', () => reports(vitest('failing/weather.vitest.js')));

test('Jest shows the calls of a test that fails', () => reports(jest('failing/weather\\.jest\\.cjs$')));

test('the types are correct', () => {
  const { status, output } = run('typescript', 'bin/tsc', '--project', 'examples');
  assert.equal(status, 0, output);
});
