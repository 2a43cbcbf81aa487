// Tests of OpenAI's JavaScript client with mynah.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const OpenAI = require('openai');

const client = new OpenAI({
  apiKey: 'any',
  baseURL: `http://127.0.0.1:${process.env.DAPR_HTTP_PORT}/v1`,
  maxRetries: 0,
});
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const weather = { type: 'function', name: 'get_weather', parameters, strict: true };

test('completions answer and stream', async () => {
  const messages = [{ role: 'user', content: 'Hello, world!' }];
  const completion = await client.chat.completions.create({ model: 'echo', messages });
  assert.equal(completion.choices[0].message.content, 'Hello, world!');
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model: 'echo', messages, stream: true })) {
    text += chunk.choices[0].delta.content ?? '';
  }
  assert.equal(text, 'Hello, world!');
});

test('responses answer, stream and continue', async () => {
  const response = await client.responses.create({ model: 'echo', input: 'Hello, world!' });
  assert.equal(response.output_text, 'Hello, world!');
  const types = [];
  const stream = await client.responses.create({ model: 'echo', input: 'Hi!', stream: true });
  for await (const event of stream) types.push(event.type);
  assert.deepEqual([types[0], types.at(-1)], ['response.created', 'response.completed']);
  const next = { model: 'echo', input: 'Go on', previous_response_id: response.id };
  assert.equal((await client.responses.create(next)).usage.input_tokens, 7);
  await assert.rejects(
    client.responses.create({ ...next, previous_response_id: 'resp_x' }),
    (error) => error instanceof OpenAI.BadRequestError && error.code === 'previous_response_not_found',
  );
});

test('responses call tools', async () => {
  const input = [{ role: 'user', content: 'What is the weather in Oslo?' }];
  const stream = client.responses.stream({ model: 'echo', input, tools: [weather] });
  const response = await stream.finalResponse();
  const [call] = response.output;
  assert.deepEqual([call.name, JSON.parse(call.arguments)], ['get_weather', { city: 'Oslo' }]);
  input.push(...response.output);
  input.push({ type: 'function_call_output', call_id: call.call_id, output: '3 degrees' });
  const answer = await client.responses.create({ model: 'echo', input, tools: [weather] });
  assert.match(answer.output_text, /3 degrees/);
});

test('embeddings', async () => {
  const input = ['red apples', 'A red apple'];
  const { data } = await client.embeddings.create({ model: 'echo', input });
  const [one, other] = data.map((item) => item.embedding);
  assert.equal(one.length, 1536);
  assert.ok(one.reduce((sum, value, at) => sum + value * other[at], 0) > 0.9);
});
