// Runs the copies of calls: each gives the same answer again.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Copied } from './copied.mjs';
import { Mynah, scratch } from './mynah.mjs';
import { command, make } from './send.mjs';
import { goPrograms, goTests, pythonPrograms, pytest, script, vitest } from './runners.mjs';

let copied;

before(async () => (copied = await Copied.all()));
after(() => copied.mynah.stop());

/** Writes copies to files in a folder. Returns their paths. */
function write(copies, name) {
  const folder = scratch('copies');
  return copies.map((copy) => {
    const file = join(folder, name(copy.at));
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, copy.text);
    return file;
  });
}

test('the calls have the expected outcomes', () => {
  const failed = copied.made.filter(({ entry }) => entry.outcome !== 'ok').map(({ name }) => name);
  assert.deepEqual(failed, ['error', 'error of a stream', 'chat error']);
});

test('rules are valid', async () => {
  const files = write(copied.of('rule'), (at) => `${at}.yaml`);
  const { code, output } = await command('check', ...files);
  assert.equal(code, 0, output);
});

test('rules give the same answer', async () => {
  const other = await Mynah.start(['--strict']);
  after(() => other.stop());
  for (const { name, call, entry, session, text } of copied.of('rule')) {
    await other.setRules(session, text);
    const again = await make(other, session, { ...call, rules: undefined });
    await other.removeRules(session);
    assert.equal(again?.answered_by.length, 1, `${name}\n${text}`);
    assert.deepEqual(answerOf(again), answerOf(entry), `${name}\n${text}`);
  }
});

/** Returns the answer or the error of a call. The rule does not copy the usage. */
function answerOf({ response, error }) {
  return response ? { ...response, usage: undefined } : error;
}

test('expectations are met', async () => {
  const files = write(copied.of('expect'), (at) => `${at}.yaml`);
  for (const file of files) {
    const { code, output } = await command('verify', file, `--endpoint=${copied.mynah.origin}/mynah/v1`);
    assert.equal(code, 0, `${file}: ${output}`);
  }
});

test('tests pass with pytest', async () => {
  const copies = copied.of('pytest');
  await pytest(join(write(copies, (at) => `test_${at}.py`)[0], '..'), copies.length);
});

test('tests pass with Vitest', async () => {
  const copies = copied.of('typescript');
  await vitest(copies, copies.length);
});

test('tests pass in Go', async () => {
  await goTests(copied.of('go').filter(({ call }) => !call.isSmall));
});

for (const id of ['curl', 'grpcurl']) {
  test(`${id} gets the same answer`, { skip: id === 'grpcurl' && !process.env.GRPCURL }, async () => {
    for (const copy of copied.of(id).filter(({ call }) => !call.isSmall)) {
      await prepared(copy);
      await script(copy.text, copied.mynah);
      await sameAnswer(copy);
    }
  });
}

test('programs send the token that is in the environment', async () => {
  const guarded = await Mynah.start([], { DAPR_API_TOKEN: 'needed-token' });
  after(() => guarded.stop());
  const ids = ['curl', ...(process.env.GRPCURL ? ['grpcurl'] : []), 'python'];
  for (const { entry, name } of copied.made.filter((it) => ['plain', 'responses'].includes(it.name))) {
    for (const { id, text } of copied.write(entry, { origin: guarded.origin, session: `token ${name}`, hasToken: true }).filter((it) => ids.includes(it.id))) {
      if (id === 'python') await pythonPrograms(write([{ at: name, text }], () => 'program.py'), guarded);
      else await script(text, guarded);
    }
    const { entries } = await guarded.control('GET', `/journal?session=token%20${name}`);
    assert.equal(entries.length, name === 'plain' ? ids.length : 2, name);
    for (const again of entries) assert.equal(copied.ruleOf(again), copied.ruleOf(entry));
  }
});

test('programs in Python get the same answer', async () => {
  const copies = copied.of('python').filter(({ call }) => !call.isSmall);
  for (const copy of copies) await prepared(copy);
  await pythonPrograms(write(copies, (at) => `program_${at}.py`), copied.mynah);
  for (const copy of copies) await sameAnswer(copy);
});

test('programs in Go get the same answer', async () => {
  const copies = copied.of('go-client').filter(({ call }) => !call.isSmall && !call.stream);
  for (const copy of copies) await prepared(copy);
  await goPrograms(copies, copied.mynah);
  for (const copy of copies) await sameAnswer(copy);
});

/** Gives the session of a copy the rules of the call. */
async function prepared({ call, session }) {
  if (call.rules) await copied.mynah.setRules(session, call.rules);
}

async function sameAnswer({ name, entry, session, text }) {
  const again = await copied.mynah.lastCall(session);
  await copied.mynah.removeRules(session);
  assert.equal(copied.ruleOf(again), copied.ruleOf(entry), `${name}\n${text.slice(0, 4000)}`);
}
