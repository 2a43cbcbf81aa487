// Tests of the names of sessions with node:test.

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { withMynah } from 'mynah-dapr';

import { converse, user } from './support.js';

test('a session has the name of its test', withMynah((mynah, t) => {
  assert.equal(mynah.name, 'a session has the name of its test');
  assert.equal(t.name, mynah.name);
}));

suite('a suite', () => {
  test('a test', withMynah((mynah, t) => assert.equal(mynah.name, t.fullName ?? t.name)));
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
  assert.deepEqual(names.sort(), ['one', 'one (2)', 'test']);
  await withMynah((mynah) => assert.equal(mynah.name, 'one'))({ name: 'one' });
});

test('suites of Vitest are a part of the name', async () => {
  const task = { name: 'asks', suite: { name: 'weather', suite: { name: 'all' } } };
  await withMynah((mynah) => assert.equal(mynah.name, 'all > weather > asks'))({ task });
});
