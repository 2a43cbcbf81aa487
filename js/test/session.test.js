// Tests of sessions with node:test.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { startMynah, toolCall, withMynah } from 'mynah-dapr';

import { WEATHER, called, converse, post, result, scratch, system, user } from './support.js';

test('the first rule answers', withMynah(async (mynah) => {
  await mynah.when({ user: ['weather', 'Paris'] }).respond('Sunny');
  await mynah.when({ user: 'weather' }).respond('Rain');
  assert.equal((await converse(mynah, user('the weather in Paris'))).content, 'Sunny');
  assert.equal((await converse(mynah, user('the weather in Oslo'))).content, 'Rain');
  await mynah.verify({ noUnmatched: true, unused: true });
}));

test('tool calls and their results', withMynah(async (mynah) => {
  // The rules are sent in the order in which they are said, even if a test does not wait.
  const said = mynah.when({ toolResult: { tool: 'get_weather' } }).respond('It is {{ results[0].text }}.');
  await mynah.when({ user: 'weather' }).callTool('get_weather', { city: 'Paris' });
  await said;
  const { toolCalls } = await converse(mynah, user('the weather'));
  assert.equal(toolCalls[0].function.arguments, '{"city":"Paris"}');
  assert.equal((await converse(mynah, user('the weather'), called, result)).content, 'It is 21 degrees.');
}));

test('fails twice', withMynah(async (mynah) => {
  await mynah.when().fails('UNAVAILABLE', { times: 2 });
  await mynah.when().respond('open');
  for (const expected of ['ERR_CONVERSATION_INVOKE', 'ERR_CONVERSATION_INVOKE', undefined]) {
    assert.equal((await converse(mynah, user('Are you open?'))).errorCode, expected);
  }
  const calls = await mynah.calls();
  assert.deepEqual(calls.map(({ error }) => error?.code), ['UNAVAILABLE', 'UNAVAILABLE', undefined]);
  const { retries, recovered, gaveUp } = await mynah.verdict();
  assert.deepEqual([retries, recovered, gaveUp], [2, 1, []]);
}));

test('chains and sequences', withMynah(async (mynah) => {
  await mynah.when({ user: 'chain' }).chain([toolCall('get_weather'), 'Sunny']);
  await mynah.when({ user: 'sequence' }).sequence(['one', 'two']);
  assert.equal((await converse(mynah, user('chain'))).toolCalls.length, 1);
  assert.equal((await converse(mynah, user('chain'), called, result)).content, 'Sunny');
  for (const expected of ['one', 'two', 'two']) {
    assert.equal((await converse(mynah, user('sequence'))).content, expected);
  }
}));

test('rules of files', withMynah(async (mynah) => {
  const folder = scratch();
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  await mynah.when({ user: ['two', 'loud'] }).respond('SECOND');
  await mynah.rules(write('indented.yaml', '# Comment\nrules:\n\n  # first\n  - match: {user: one}\n    respond: |\n      first\n      line\n  - {match: {user: uno}, respond: primo}\nexpect: [{match: {user: one}}]\n'));
  await mynah.rules(write('flat.yaml', 'expect: [{count: 9}]\nrules: # two\n- match:\n    user: two\n  respond: second\n# end'));
  await mynah.rules(write('rules.json', JSON.stringify({ rules: [{ match: { user: 'three' }, respond: 'third' }] }, null, 2)));
  await mynah.when().respond('last');
  const answers = { one: 'first\nline', uno: 'primo', two: 'second', 'two loud': 'SECOND', three: 'third', four: 'last' };
  for (const [text, answer] of Object.entries(answers)) {
    assert.equal((await converse(mynah, user(text))).content.trim(), answer);
  }
  await mynah.verify({ unused: true, noUnmatched: true });
  for (const text of ['', 'rules: []', 'rules:\nexpect: []\n', '{"fixtures": []}']) {
    await assert.rejects(mynah.rules(write('none.yaml', text)), /400: .*invalid rules/);
  }
}));

test('calls have the same form for all APIs', withMynah(async (mynah) => {
  await mynah.when().callTool('get_weather');
  await converse(mynah, system('Be brief.'), user('weather'), called, result);
  await post(`${mynah.openaiBaseUrl}/chat/completions`, {
    model: 'echo', temperature: 0.5, tools: [{ type: 'function', function: WEATHER }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'weather' }] },
      { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '21 degrees' },
    ],
  });
  await post(`${mynah.openaiBaseUrl}/responses`, {
    model: 'echo', temperature: 0.5, tools: [{ type: 'function', ...WEATHER }], instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'weather' }] },
      { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: '21 degrees' },
    ],
  });
  const calls = await mynah.calls();
  assert.deepEqual(calls.map(({ api }) => api), ['alpha2', 'openai', 'responses']);
  for (const call of calls) {
    delete call.messages[3].name; // only Dapr's API has it
    assert.deepEqual(call.messages, [
      { role: 'system', text: 'Be brief.', toolCalls: [] },
      { role: 'user', text: 'weather', toolCalls: [] },
      { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'get_weather', arguments: '{}' }] },
      { role: 'tool', text: '21 degrees', toolCalls: [], toolId: 'c1' },
    ]);
    assert.equal(call.tools[0].description, WEATHER.description);
    assert.equal(call.parameters.temperature, 0.5);
    assert.equal(call.outcome, 'ok');
  }
}));

test('answers of calls', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).callTool('get_weather', { city: 'Paris' });
  await post(`${mynah.httpEndpoint}/v1.0-alpha1/conversation/echo/converse`, { inputs: [{ content: 'hello' }] });
  const first = await mynah.lastCall();
  assert.deepEqual(first.messages, [{ role: 'user', text: 'hello', toolCalls: [] }]);
  assert.equal(first.answer.text, 'hello');
  await converse(mynah, user('weather'));
  const { answer, answeredBy } = await mynah.lastCall();
  assert.deepEqual(answer.toolCalls.map((call) => call.arguments), ['{"city":"Paris"}']);
  assert.equal(answer.finishReason, 'tool_calls');
  assert.equal(answeredBy[0].rule, '1: {"user":"weather"}');
}));

test('a check that fails shows the nearest misses', withMynah(async (mynah) => {
  await assert.rejects(mynah.lastCall(), /no call of the model has ended in this test/);
  await mynah.when({ user: 'weather' }).respond('Sunny');
  await assert.rejects(mynah.verify({ unused: true, wait: '0s' }), /rule "1: {\\"user\\":\\"weather\\"}" in session .* did not answer/);
  await converse(mynah, user('How is the wether?'));
  const message = new RegExp(
    'expected at least 1 call with {"user":"weather"}, found 0\\n  call \\d+ does not match:\\n'
    + '    user: expected a text that contains "weather"\\n          the call has "How is the wether."',
  );
  const checks = { count: { atLeast: 1 }, user: 'weather', wait: '0s' };
  await assert.rejects(mynah.verify(checks), { name: 'AssertionError', message });
  await assert.rejects(mynah.verify({ noUnmatched: true }), /neither a rule nor a chain answered call \d+: "How is the wether\?"\n  the nearest is rule "1: /);
}));

test('errors name the unknown key', withMynah(async (mynah) => {
  await assert.rejects(mynah.when({ usr: 'weather' }).respond('Sunny'), /400: .*unknown key `usr`/);
  await assert.rejects(mynah.verify({ userr: 'weather' }), /unknown/);
}));

test('faults', withMynah(async (mynah) => {
  await mynah.fault({ failFirst: 1, error: { code: 'ABORTED', retryAfter: '1s' }, component: 'echo' });
  await converse(mynah, user('hello'));
  const { error, answeredBy } = await mynah.lastCall();
  assert.deepEqual([error.code, error.retryAfterMs, answeredBy], ['ABORTED', 1000, [{ fault: true }]]);
  assert.equal((await converse(mynah, user('hello'))).content, 'hello');
  await mynah.forgetFailed();
  await mynah.verify({ count: 1 });
}));

test('a call that waits', withMynah(async (mynah) => {
  await mynah.when().respond({ messages: [{ text: 'late' }], delay: '1h' });
  const answer = converse(mynah, user('hello'));
  await mynah.verify({ waiting: 1, wait: '10s', count: 0 });
  await mynah.endWaits();
  assert.equal((await answer).content, 'late');
  await mynah.verify({ count: { atLeast: 1, atMost: 1 }, outcome: 'ok' });
}));

test('the variables are restored', withMynah(async (mynah) => {
  process.env.DAPR_RUNTIME_HOST = 'before';
  delete process.env.DAPR_HTTP_ENDPOINT;
  await withMynah(async (inner) => {
    inner.useEnv();
    assert.equal(process.env.DAPR_HTTP_ENDPOINT, `http://${inner.httpAddress}`);
    assert.equal(process.env.DAPR_GRPC_ENDPOINT, `http://${inner.grpcAddress}`);
    assert.equal(`${process.env.DAPR_RUNTIME_HOST}:${process.env.DAPR_GRPC_PORT}`, inner.grpcAddress);
    assert.throws(() => mynah.useEnv(), /already point at the session .*need the addresses or client\(\)/);
  })();
  assert.equal(process.env.DAPR_HTTP_ENDPOINT, undefined);
  assert.equal(process.env.DAPR_RUNTIME_HOST, 'before');
  delete process.env.DAPR_RUNTIME_HOST;
}));

test('sessions at the same time do not see each other', async () => {
  const one = (n) => withMynah(async (mynah) => {
    await mynah.when().respond(`You are ${n}.`);
    assert.equal((await converse(mynah, user('Who am I?'))).content, `You are ${n}.`);
    await mynah.verify({ count: 1 });
  })();
  await Promise.all([...Array(64).keys()].map(one));
});

test('long names of sessions', async () => {
  const mynah = await startMynah();
  after(() => mynah.stop());
  const long = 'Zürich/'.repeat(60);
  const [one, other] = [await mynah.session(long), await mynah.session(`${long}x`)];
  assert.notEqual(one.httpAddress, other.httpAddress);
  await converse(one, user('hello'));
  assert.deepEqual([(await one.calls()).length, (await other.calls()).length], [1, 0]);
  await Promise.all([one.close(), other.close()]);
});

test('arguments', withMynah(async (mynah) => {
  assert.match((await converse(mynah, user('hello'))).message, /no rule/);
}, { args: ['--strict'] }));
