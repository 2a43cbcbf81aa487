// Tests with Dapr's SDK and OpenAI's client.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CommunicationProtocolEnum, DaprClient, LogLevel } from '@dapr/dapr';
import { withMynah } from 'mynah-dapr';
import OpenAI from 'openai';

const logger = { level: LogLevel.Error };
const { GRPC, HTTP } = CommunicationProtocolEnum;

/** Asks the model over the stubs of the SDK, which has no conversation client. */
async function ask(client, text) {
  const stub = await client.daprClient.getClient();
  const message = { messageTypes: { case: 'ofUser', value: { content: [{ text }] } } };
  const { outputs } = await stub.converseAlpha2({ name: 'echo', inputs: [{ messages: [message] }] });
  return outputs[0].choices[0].message.content;
}

test('the client calls the session', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).respond('Sunny');
  const client = await mynah.client({ logger });
  assert.equal(await ask(client, 'How is the weather?'), 'Sunny');
  await mynah.verify({ count: 1, user: 'weather' });
  const { surface, messages } = await mynah.lastCall();
  assert.deepEqual([surface, messages[0].text], ['grpc', 'How is the weather?']);
}));

test('the client speaks HTTP', withMynah(async (mynah) => {
  const client = await mynah.client({ logger, communicationProtocol: HTTP });
  assert.equal(await client.health.isHealthy(), true);
}));

test('a client of the application uses the variables', withMynah(async (mynah) => {
  await mynah.when().respond('Sunny');
  mynah.useEnv();
  const clients = [GRPC, HTTP].map((communicationProtocol) => new DaprClient({ logger, communicationProtocol }));
  assert.equal(await ask(clients[0], 'How is the weather?'), 'Sunny');
  assert.equal((await clients[1].metadata.get()).id, 'mynah');
  await Promise.all(clients.map((client) => client.stop()));
  await mynah.verify({ count: 1 });
}));

test('errors reach the client', withMynah(async (mynah) => {
  await mynah.when().fails('RESOURCE_EXHAUSTED', { times: 1 });
  const client = await mynah.client({ logger });
  await assert.rejects(ask(client, 'How is the weather?'), { code: 8 });
}));

test("OpenAI's client calls tools", withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).chain([[{ tool_call: [{ name: 'get_weather', args: { city: 'Paris' } }] }], 'Sunny']);
  const client = new OpenAI({ baseURL: mynah.openaiBaseUrl, apiKey: 'any', maxRetries: 0 });
  const tools = [{ type: 'function', function: { name: 'get_weather' } }];
  const messages = [{ role: 'user', content: 'How is the weather?' }];
  const { choices: [{ message }] } = await client.chat.completions.create({ model: 'echo', messages, tools });
  const [call] = message.tool_calls;
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Paris' });
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: '21 degrees' });
  const { choices: [answer] } = await client.chat.completions.create({ model: 'echo', messages, tools });
  assert.equal(answer.message.content, 'Sunny');
  const last = await mynah.lastCall();
  assert.deepEqual(last.messages.map(({ role }) => role), ['user', 'assistant', 'tool']);
}));

test('streams', withMynah(async (mynah) => {
  await mynah.when().respond('Sunny all day');
  const client = new OpenAI({ baseURL: mynah.openaiBaseUrl, apiKey: 'any' });
  const messages = [{ role: 'user', content: 'How is the weather?' }];
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model: 'echo', messages, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  assert.equal(text, 'Sunny all day');
  assert.equal((await mynah.lastCall()).stream, true);
}));
