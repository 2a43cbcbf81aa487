// Tests of recording a real model and replaying it; another mynah is the model.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { startMynah, withMynah } from 'mynah-dapr';

import { converse, scratch, user } from './support.js';

const component = (address) => `
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {name: echo}
spec:
  type: conversation.openai
  version: v1
  metadata:
  - {name: key, value: sk-planted-key-123456}
  - {name: model, value: echo}
  - {name: endpoint, value: "http://${address}/v1"}
`;

/** Records an answer in a folder. Returns the options that replay it when the model is gone. */
async function recorded() {
  const folder = scratch();
  const [components, recordings] = ['components', 'recordings'].map((name) => join(folder, name));
  const args = [`--resources-path=${components}`];
  const model = await startMynah();
  const session = await model.session('model');
  await session.when({ user: 'weather' }).respond('Sunny');
  mkdirSync(components);
  writeFileSync(join(components, 'echo.yaml'), component(session.httpAddress));
  const mynah = await startMynah({ args, record: recordings });
  const recording = await mynah.session('weather test');
  assert.equal((await converse(recording, user('How is the weather?'))).content, 'Sunny');
  await mynah.stop();
  await model.stop();
  return { args, replay: recordings };
}

test('recordings are replayed without the model', async () => {
  const options = await recorded();
  const text = readFileSync(join(options.replay, 'echo.yaml'), 'utf8');
  assert.match(text, /name: "weather test: How is the weather\?"/);
  assert.doesNotMatch(text, /sk-planted/);
  await withMynah(async (mynah) => {
    assert.equal((await converse(mynah, user('How is the weather?'))).content, 'Sunny');
  }, options)();
});

test('a request that is not recorded fails the test', async () => {
  const options = await recorded();
  const hides = withMynah((mynah) => converse(mynah, user('How is the wether?')), options);
  await assert.rejects(hides(), {
    name: 'AssertionError',
    message: /^call 1 of echo: .*the request is not recorded in .*echo\.yaml; .*\[-weather\?-\]\{\+wether\?\+\}/,
  });
  await withMynah(async (mynah) => {
    await converse(mynah, user('How is the wether?'));
    await mynah.forgetFailed();
  }, options)();
});

test('another upstream is kept', async () => {
  const record = join(scratch(), 'recordings');
  for (const args of [['--upstream', 'daprd'], ['--upstream=daprd']]) {
    await assert.rejects(startMynah({ args, record }), /mynah did not start.*--daprd/s);
  }
  assert.ok(!existsSync(record));
});
