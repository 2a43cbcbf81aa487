// Tests of the names of sessions with node:test.

import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { withMynah } from 'mynah-dapr';

import { converse, user } from './support.js';

const FILE = relative('', fileURLToPath(import.meta.url));

test('a session has the name of its file and test', withMynah((mynah) => {
  assert.equal(mynah.name, `${FILE} > a session has the name of its file and test`);
}));

suite('a suite', () => {
  test('a test', withMynah((mynah, t) => assert.equal(mynah.name, `${FILE} > ${t.fullName ?? t.name}`)));
});

test('sessions at the same time have different names', async () => {
  const names = [];
  const one = withMynah(async (mynah) => {
    names.push(mynah.name);
    while (names.length < 3) await new Promise(setImmediate);
    await converse(mynah, user('hello'));
    await mynah.verify({ count: 1 });
  });
  await Promise.all([one({ name: 'one' }), one({ name: 'one' }), one()]);
  assert.deepEqual(names.sort(), ['test', `${FILE} > one`, `${FILE} > one (2)`].sort());
  await withMynah((mynah) => assert.equal(mynah.name, `${FILE} > one`))({ name: 'one' });
});

test('suites of Vitest are a part of the name', async () => {
  const task = { name: 'asks', suite: { name: 'weather', suite: { name: 'all' } }, file: { name: 'desk.test.ts' } };
  await withMynah((mynah) => assert.equal(mynah.name, 'desk.test.ts > all > weather > asks'))({ task });
});
