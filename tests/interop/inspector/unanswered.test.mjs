// Copies of calls that have no answer, or whose request mynah could not read.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';

import { user, weather } from './calls.mjs';
import { writer } from './copied.mjs';
import { Mynah, scratch } from './mynah.mjs';
import { script } from './runners.mjs';
import { command, make } from './send.mjs';

let copies;

before(async () => (copies = await writer()));

async function start(t, ...args) {
  const mynah = await Mynah.start(args);
  t.after(() => mynah.stop());
  return mynah;
}

const copy = (entry, id, context) => copies(entry, { origin: 'null', ...context }).find((it) => it.id === id)?.text;

async function isValid(rule) {
  const file = join(scratch('rule'), 'rule.yaml');
  writeFileSync(file, rule);
  const { code, output } = await command('check', file);
  assert.equal(code, 0, output);
}

test('a call without a rule becomes a rule with a placeholder', async (t) => {
  const mynah = await start(t, '--strict');
  const call = { api: 'alpha2', body: { inputs: [{ messages: [user('new')] }], tools: [weather] } };
  const rule = copy(await make(mynah, 'strict', call), 'rule');
  assert.match(rule, /^# No rule answered the call\.\n/);
  await isValid(rule);
  await mynah.setRules('strict', rule);
  assert.equal((await make(mynah, 'strict', call)).response.text, 'Write the answer here.');
});

test('a cancelled call becomes a rule with a placeholder', async () => {
  const request = { inputs: [{ messages: [user('slow')] }] };
  const rule = copy({ number: 7, component: 'echo', api: 'alpha2', request, outcome: 'cancelled', answered_by: [] }, 'rule');
  assert.match(rule, /cancelled before its answer[^]*Write the answer here/);
  await isValid(rule);
});

test('a body that mynah could not read is sent again as it was', async (t) => {
  const mynah = await start(t);
  for (const body of ['not "json" \'x\' \\n $HOME `id` !1', 'a\u0007\u001b[31m\u0085\u202e\ufeff é\nJSON\n', '{"messages": ']) {
    await mynah.send('POST', '/v1/chat/completions', body, { 'mynah-session': 'first' });
    const sent = (await mynah.control('GET', '/journal?session=first')).entries.at(-1);
    assert.equal(sent.request, body);
    assert.deepEqual(copies(sent, { origin: mynah.origin }).map(({ id }) => id), ['curl']);
    await script(copy(sent, 'curl', { origin: mynah.origin, session: 'second' }), mynah);
    const again = (await mynah.control('GET', '/journal?session=second')).entries.at(-1);
    assert.deepEqual([again.request, again.error], [sent.request, sent.error]);
  }
});

test('lone surrogates are replaced in all copies', async () => {
  const entry = {
    number: 1, component: 'echo', api: 'alpha2', surface: 'http', session: 'default', outcome: 'ok', answered_by: [],
    request: { inputs: [{ messages: [user('a\ud800b')] }], tools: [{ function: { name: 'x\udc00', parameters: { '\ud800': 1 } } }] },
    response: { text: '\udfff', tool_calls: [{ id: '\ud800', name: 'x\udc00', arguments: '{"\\ud800":"\ud800"}' }], finish_reason: 'tool_calls' },
  };
  for (const { text } of copies(entry, { origin: 'http://localhost' })) assert.equal(text, Buffer.from(text).toString());
  await isValid(copy(entry, 'rule'));
});

test('notes say what conditions leave out, if the call has it', async (t) => {
  const mynah = await start(t);
  const system = { ofSystem: { content: [{ text: 'Be brief.' }] } };
  const ruleOf = async (session, api, body) => {
    const text = copy(await make(mynah, session, { api, body }), 'rule');
    await isValid(text);
    return text.split('\n')[0];
  };
  const left = 'Matches any system prompt and any temperature; add `system` and `temperature` to select one.';
  assert.equal(await ruleOf('both', 'alpha2', { inputs: [{ messages: [system, user('Hi')] }], temperature: 0 }), `# ${left}`);
  assert.equal(await ruleOf('instructed', 'responses', { input: 'Hi', instructions: 'x' }), '# Matches any system prompt; add `system` to select one.');
  assert.equal(await ruleOf('warm', 'openai', { messages: [{ role: 'user', content: 'Hi' }], temperature: 1 }), '# Matches any temperature; add `temperature` to select one.');
  assert.equal(await ruleOf('none', 'alpha2', { inputs: [{ messages: [user('Hi')] }] }), 'rules:');
  assert.equal(await ruleOf('only', 'alpha2', { inputs: [{ messages: [system] }] }), 'rules:');
});

test('a test with pytest says where its fixture comes from', async (t) => {
  const entry = await make(await start(t), 'fixture', { api: 'alpha2', body: { inputs: [{ messages: [user('Hi')] }] } });
  assert.match(copy(entry, 'pytest'), /^# .*fixture mynah.*: pip install mynah-dapr$/m);
});

test('notes say what is not in the journal', async (t) => {
  const mynah = await start(t);
  const url = `data:image/png;base64,${'A'.repeat(500)}`;
  const secret = { type: 'text', text: 'my key is sk-0123456789abcdefghij' };
  const entry = await make(mynah, 'notes', { api: 'openai', body: { messages: [{ role: 'user', content: [secret, { type: 'image_url', image_url: { url } }] }] } });
  assert.match(copy(entry, 'rule'), /^# \[redacted\] replaces a secret/);
  assert.match(copy(entry, 'curl'), /# The journal does not have the \d+ bytes of image_url[^]*"url": "data:,"/);
  const chained = { ...entry, answered_by: [{ chain_in_message: 1, step: 1 }] };
  assert.match(copy(chained, 'rule'), /instruction chain/);
});
