// Rules with characters that JSON allows and YAML does not.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { withMynah } from 'mynah-dapr';

import { converse, scratch, user } from './support.js';

const TEXT = 'a\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff"\\\u0000z';

test('rules can have unprintable characters', withMynah(async (mynah) => {
  await mynah.when({ user: { equals: TEXT } }).respond(TEXT);
  assert.equal((await converse(mynah, user(TEXT))).content, TEXT);
}));

test('rules of JSON files can have unprintable characters', withMynah(async (mynah) => {
  const file = join(scratch(), 'rules.json');
  writeFileSync(file, JSON.stringify({ rules: [{ match: { user: { equals: TEXT } }, respond: TEXT }] }));
  await mynah.rules(file);
  assert.equal((await converse(mynah, user(TEXT))).content, TEXT);
}));
