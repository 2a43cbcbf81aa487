'use strict';

// Tests of Dapr's JavaScript SDK with mynah: the client, and conversations over the generated stubs.

const assert = require('node:assert/strict');
const { after, test } = require('node:test');

const { CommunicationProtocolEnum, DaprClient, LogLevel } = require('@dapr/dapr');

const { unguarded, guarded, TOKEN, WEATHER } = require('./support');

const COMPONENTS = [{ name: 'echo', type: 'conversation.echo', version: 'v1' }];
const PROTOCOLS = {
  HTTP: [CommunicationProtocolEnum.HTTP, 'http'],
  gRPC: [CommunicationProtocolEnum.GRPC, 'grpc'],
};
const clients = [];

after(() => Promise.all(clients.map((client) => client.stop())));

function connect(sidecar, [communicationProtocol, port], daprApiToken) {
  const logger = { level: LogLevel.Error };
  const daprPort = sidecar[port];
  const client = new DaprClient({ communicationProtocol, daprPort, daprApiToken, logger });
  clients.push(client);
  return client;
}

for (const [name, protocol] of Object.entries(PROTOCOLS)) {
  test(`starts and reads health and metadata over ${name}`, async () => {
    const client = connect(unguarded, protocol);
    await client.start();
    assert.equal(await client.health.isHealthy(), true);
    const metadata = await client.metadata.get();
    assert.equal(metadata.id, 'mynah');
    assert.equal(metadata.extended.daprRuntimeVersion, '1.18.0');
    const components = metadata.components.map(({ name, type, version }) => ({ name, type, version }));
    assert.deepEqual(components, COMPONENTS);
  });

  test(`sets and reads a label over ${name}`, async () => {
    const client = connect(unguarded, protocol);
    assert.equal(await client.metadata.set(name, 'a label'), true);
    assert.equal((await client.metadata.get()).extended[name], 'a label');
  });

  test(`starts with the correct token over ${name}`, async () => {
    const client = connect(guarded, protocol, TOKEN);
    await client.start();
    assert.equal((await client.metadata.get()).id, 'mynah');
  });
}

test('rejects a wrong token over HTTP', async () => {
  const client = connect(guarded, PROTOCOLS.HTTP, 'wrong');
  // Do not use start(), which retries for half a minute.
  await assert.rejects(client.daprClient.execute('/metadata', { method: 'GET' }, false), (error) => {
    const { status, error_msg } = JSON.parse(error.message);
    assert.deepEqual([status, error_msg], [401, 'invalid api token\n']);
    return true;
  });
});

test('rejects a wrong token over gRPC', async () => {
  const stub = await connect(guarded, PROTOCOLS.gRPC, 'wrong').daprClient.getClient(false);
  const unauthenticated = { code: 16, rawMessage: 'Unauthorized' };
  await assert.rejects(stub.getMetadata({}), unauthenticated);
});

// The SDK has no conversation client, but its generated stubs have the methods.
test('a tool loop over the stubs ends', async () => {
  const stub = await connect(unguarded, PROTOCOLS.gRPC).daprClient.getClient();
  const text = (words) => [{ text: words }];
  const message = (kind, value) => ({ messageTypes: { case: kind, value } });
  const { name, description, parameters } = WEATHER.function;
  const tool = { toolTypes: { case: 'function', value: { name, description, parameters } } };
  const messages = [message('ofUser', { content: text('What is the weather in Paris?') })];
  const converse = async () => {
    const request = { name: 'echo', inputs: [{ messages }], tools: [tool] };
    const answer = await stub.converseAlpha2(request);
    return answer.outputs[0].choices[0];
  };

  const first = await converse();
  assert.equal(first.finishReason, 'tool_calls');
  const [call] = first.message.toolCalls;
  const called = call.toolTypes.value;
  assert.equal(called.name, 'get_weather');
  assert.deepEqual(JSON.parse(called.arguments), { location: 'Paris' });

  messages.push(message('ofAssistant', { toolCalls: first.message.toolCalls }));
  const { id: toolId } = call;
  messages.push(message('ofTool', { toolId, name: called.name, content: text('Sunny') }));
  const final = await converse();
  assert.equal(final.finishReason, 'stop');
  assert.equal(final.message.content, 'Sunny');
});

test('the stubs report error codes and messages', async () => {
  const stub = await connect(unguarded, PROTOCOLS.gRPC).daprClient.getClient();
  const nope = { code: 3, rawMessage: 'failed finding conversation component nope' };
  await assert.rejects(stub.converseAlpha2({ name: 'nope', inputs: [{}] }), nope);
});
