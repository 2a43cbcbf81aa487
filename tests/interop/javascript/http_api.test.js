'use strict';

// Tests of the HTTP API with fetch.

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { unguarded, guarded, TOKEN, user, prompt, WEATHER } = require('./support');

const QUESTION = 'What is the weather in Paris?';

function post(body, { sidecar = unguarded, component = 'echo', headers = {} } = {}) {
  const url = `http://127.0.0.1:${sidecar.http}/v1.0-alpha2/conversation/${component}/converse`;
  headers = { 'content-type': 'application/json', ...headers };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function converse(body) {
  const response = await post(body);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /^application\/json/);
  return response.json();
}

/** Yields the events of a stream as they arrive. */
async function* events(response) {
  let rest = '';
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + bytes).split('\n\n');
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part.replace(/^data: /, ''));
  }
  assert.equal(rest, '');
}

test('returns text, model and usage', async () => {
  const { contextId, outputs } = await converse(prompt('Hello, world!', { contextId: 'chat-1' }));
  assert.equal(contextId, 'chat-1');
  const message = { content: 'Hello, world!' };
  const usage = { promptTokens: '3', completionTokens: '3', totalTokens: '6' };
  assert.deepEqual(outputs, [
    { choices: [{ finishReason: 'stop', message }], model: 'echo', usage },
  ]);
});

test('accepts keys in snake_case', async () => {
  const { outputs } = await converse({
    inputs: [{ messages: [{ of_user: { content: [{ text: 'Mail ann@example.org' }] } }] }],
    scrub_pii: true,
    prompt_cache_retention: '86400s',
    parameters: {},
  });
  assert.equal(outputs[0].choices[0].message.content, 'Mail <EMAIL_ADDRESS>');
});

test('a tool loop ends with the result', async () => {
  const tools = [WEATHER];
  const [choice] = (await converse(prompt(QUESTION, { tools }))).outputs[0].choices;
  assert.equal(choice.finishReason, 'tool_calls');
  const { toolCalls } = choice.message;
  const { id, function: called } = toolCalls[0];
  assert.equal(called.name, 'get_weather');
  assert.deepEqual(JSON.parse(called.arguments), { location: 'Paris' });

  const result = { toolId: id, name: called.name, content: [{ text: 'Sunny' }] };
  const messages = [user(QUESTION), { ofAssistant: { toolCalls } }, { ofTool: result }];
  const [final] = (await converse({ inputs: [{ messages }], tools })).outputs[0].choices;
  assert.deepEqual(final, { finishReason: 'stop', message: { content: 'Sunny' } });
});

test('a structured answer matches its schema', async () => {
  const properties = { city: { type: 'string' }, degrees: { type: 'integer' } };
  const response_format = { type: 'object', properties, required: ['city', 'degrees'] };
  const [choice] = (await converse(prompt('Report', { response_format }))).outputs[0].choices;
  assert.deepEqual(JSON.parse(choice.message.content), { city: 'San Francisco', degrees: 42 });
});

test('a stream has the chunks of the answer, then the whole answer', async () => {
  const body = prompt('Grüße an alle: 🐦 sings');
  const response = await post(body, { headers: { accept: 'text/event-stream' } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /^text\/event-stream/);
  const messages = [];
  for await (const message of events(response)) messages.push(message);
  const { complete } = messages.pop();
  assert.deepEqual(complete, await converse(body));
  assert.ok(messages.length > 1);
  const text = messages.map(({ chunk }) => chunk.content).join('');
  assert.equal(text, complete.outputs[0].choices[0].message.content);
});

test('answers other calls after a client leaves a stream', async () => {
  const headers = { accept: 'text/event-stream' };
  const response = await post(prompt('word '.repeat(100_000)), { headers });
  for await (const message of events(response)) {
    assert.equal(message.chunk.content, 'word');
    break;
  }
  await converse(prompt('Hello'));
});

test('rejects a body that is too large', async () => {
  const response = await post(prompt('x'.repeat(4 << 20)));
  const error = await response.json();
  assert.deepEqual([response.status, error.errorCode], [400, 'ERR_BODY_READ']);
});

test('concurrent calls get their own answers', async () => {
  const words = Array.from({ length: 50 }, (_, n) => `Hello ${n}`);
  const answers = await Promise.all(words.map((text) => converse(prompt(text))));
  const texts = answers.map(({ outputs }) => outputs[0].choices[0].message.content);
  assert.deepEqual(texts, words);
});

test('errors have a code and a message', async () => {
  const hello = prompt('Hello');
  const cases = [
    [post(hello, { component: 'nope' }), 'ERR_CONVERSATION_NOT_FOUND', /component nope$/],
    [post({}), 'ERR_CONVERSATION_MISSING_INPUTS', /missing inputs in request$/],
    [post(prompt('Hello', { toolChoice: 'required' })), 'ERR_CONVERSATION_INVALID_PARMS', /tool choice/],
    [post({ inputs: 5 }), 'ERR_MALFORMED_REQUEST', /^failed deserializing HTTP body/],
  ];
  for (const [call, errorCode, text] of cases) {
    const response = await call;
    const error = await response.json();
    assert.deepEqual([response.status, error.errorCode], [400, errorCode]);
    assert.match(error.message, text);
  }
  const headers = { accept: 'text/event-stream' };
  const response = await post(hello, { component: 'nope', headers });
  assert.equal((await response.json()).errorCode, 'ERR_CONVERSATION_NOT_FOUND');
});

test('requires the token', async () => {
  const call = async (token) => {
    const headers = token === undefined ? {} : { 'dapr-api-token': token };
    const response = await post(prompt('Hello'), { sidecar: guarded, headers });
    return response.status === 200 ? 200 : [response.status, await response.text()];
  };
  assert.equal(await call(TOKEN), 200);
  for (const token of [undefined, 'wrong']) {
    assert.deepEqual(await call(token), [401, 'invalid api token\n']);
  }
});
