// One call: its conversation, why it was answered so, and its thread.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { scratch } from '../mynah.mjs';
import { WEATHER, ask, open, start, text, useBrowser } from './support.mjs';

const newPage = useBrowser();

const system = { ofSystem: { content: [{ text: 'You tell the weather.' }] } };

/** Plays an agent: a question, a call of a tool, its result, and the answer. */
async function agent(mynah, session, headers) {
  const history = [system, text('What is the weather in Paris?')];
  const { message } = (await ask(mynah, session, history, { tools: [WEATHER], headers })).outputs[0].choices[0];
  const [call] = message.toolCalls;
  history.push({ ofAssistant: { toolCalls: [call] } });
  history.push({ ofTool: { toolId: call.id, name: 'get_weather', content: [{ text: '{"temp": 21}' }] } });
  await ask(mynah, session, history, { tools: [WEATHER], headers });
}

test('a call is a chat with tool calls, schemas and results', async (t) => {
  const mynah = await start(t);
  await agent(mynah, 'chat', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  const page = await open(await newPage(t), mynah, '#/call/1');
  const chat = page.locator('.chat');
  await chat.getByText('What is the weather in Paris?').waitFor();
  assert.deepEqual(await chat.locator('.role').allInnerTexts().then((all) => all.map((it) => it.toLowerCase())), ['system', 'user', 'answer']);
  const table = page.getByLabel('Arguments of get_weather');
  assert.match(await table.innerText(), /city[\s\S]*Paris[\s\S]*string/);
  assert.match(await page.locator('.facts').innerText(), /surface\s*http, alpha2/);
  await page.getByText('4bf92f3577b34da6a3ce929d0e0e4736').waitFor();
  await page.goto(`${mynah.origin}/mynah/#/call/2`);
  await chat.getByText('21').first().waitFor();
  await chat.getByText('call 1, answered by').waitFor();
});

test('structured answers, errors and all APIs are readable', async (t) => {
  const mynah = await start(t);
  await mynah.setRules('json', [{ match: { user: 'fail' }, respond: { error: { code: 'ABORTED', message: 'so be it', retry_after: '2s' } } }, { respond: [{ json: { topic: 'orders' } }] }]);
  const schema = { type: 'object', properties: { topic: { type: 'string' } } };
  const headers = { 'mynah-session': 'json' };
  await mynah.send('POST', '/v1/chat/completions', { messages: [{ role: 'user', content: 'chat' }], response_format: { type: 'json_schema', json_schema: { name: 'topic', schema } } }, headers);
  await mynah.send('POST', '/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'responses' }] }] }, headers);
  await mynah.send('POST', '/v1.0-alpha1/conversation/echo/converse', { inputs: [{ content: 'the first version' }] }, headers);
  await ask(mynah, 'json', 'fail');
  const page = await open(await newPage(t), mynah, '#/call/1');
  await page.getByLabel('Content').getByText('orders').waitFor();
  for (const [number, expected] of [[2, 'responses'], [3, 'the first version'], [4, 'ABORTED']]) {
    await page.goto(`${mynah.origin}/mynah/#/call/${number}`);
    await page.locator('.chat').getByText(expected).first().waitFor();
  }
  await page.getByText('retry after 2').waitFor();
});

test('the raw request and answer can be copied', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'raw', 'a\u007f"b"');
  const page = await open(await newPage(t, { permissions: ['clipboard-read', 'clipboard-write'] }), mynah, '#/call/1/raw');
  await page.getByRole('button', { name: 'Copy request' }).click();
  await page.getByText('Copied').waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.inputs[0].messages[0].ofUser.content[0].text, 'a\u007f"b"');
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
});

test('echo shows which words mention a tool and give its arguments', async (t) => {
  const mynah = await start(t);
  await agent(mynah, 'why');
  const page = await open(await newPage(t), mynah, '#/call/1/why');
  await page.getByText('is called').waitFor();
  const marks = (await page.locator('mark').allInnerTexts()).join(' ');
  assert.match(marks, /weather/);
  assert.match(marks, /Paris/);
  assert.match(await page.getByLabel('Arguments of get_weather').innerText(), /Paris/);
});

test('a rule has its place and captures, and the nearest other rule comes first', async (t) => {
  const file = join(scratch('rules'), 'weather.yaml');
  writeFileSync(file, `rules:
- name: far
  match: {user: zebra, system: lion, turn: 7}
  respond: no
- name: single
  match: {user: {equals: weather in Rome}}
  respond: no
- name: near
  match: {turn: 0, has_tool_result: false, any_of: [{user: Rome}, {user: Paris}]}
  respond: no
- name: chosen
  match: {user: {matches: 'weather in (?<city>\\w+)'}}
  respond: "Sunny in {{ city }}."
`);
  const mynah = await start(t, ['--strict', `--rules=${file}`]);
  await ask(mynah, 'rules', 'the weather in Oslo');
  const page = await open(await newPage(t), mynah, '#/call/1/why');
  const table = page.locator('table.rules tbody tr');
  await table.first().waitFor();
  assert.match((await page.locator('.answerer').allInnerTexts()).join(), /chosen[\s\S]*weather\.yaml:11/);
  const texts = await table.allInnerTexts();
  assert.deepEqual(texts.map((it) => /^\w+/.exec(it)[0]), ['chosen', 'near', 'single', 'far']);
  assert.match(texts[1], /2 of 3 conditions hold/);
  assert.match(texts[2], /0 of 1 condition holds/);
  assert.match(await page.getByLabel('Captures').innerText(), /city\s*Oslo/);
});

test('a rule says how often it has answered', async (t) => {
  const mynah = await start(t);
  await mynah.setRules('times', [{ name: 'twice', times: 2, match: { user: 'again' }, respond: 'yes' }]);
  for (let n = 0; n < 2; n += 1) await ask(mynah, 'times', 'again');
  const page = await open(await newPage(t), mynah, '#/call/1/why');
  const rule = page.getByRole('row', { name: 'twice' });
  await rule.getByText('answered 2 times in this session').waitFor();
  await rule.getByText('as often as its times allows').waitFor();
});

test('calls whose histories extend each other are a thread', async (t) => {
  const mynah = await start(t);
  await agent(mynah, 'thread');
  await ask(mynah, 'thread', 'another question');
  const page = await open(await newPage(t), mynah, '#/call/2/thread');
  await page.getByText('2 calls · 1 tool call · 0 retries').waitFor();
  const lines = await page.getByLabel('Turns').getByRole('listitem').allInnerTexts();
  assert.equal(lines.filter((it) => it.includes('outside')).length, 1, lines.join('\n'));
  assert.match(lines.join('\n'), /get_weather/);
  assert.equal(await page.locator('.waterfall .bar-outside').count(), 1);
  assert.equal(await page.locator('.bar-tool').count(), 0, 'the time of the tool is the time outside');
});

test('responses that continue each other are a thread, and retries are marked', async (t) => {
  const mynah = await start(t);
  const headers = { 'mynah-session': 'responses' };
  await mynah.setRules('responses', [{ match: { user: 'second' }, times: 1, respond: { error: { code: 'UNAVAILABLE' } } }]);
  const { text: answer } = await mynah.send('POST', '/v1/responses', { input: 'first' }, headers);
  const next = { input: 'second', previous_response_id: JSON.parse(answer).id };
  await mynah.send('POST', '/v1/responses', next, headers);
  await mynah.send('POST', '/v1/responses', next, headers);
  const page = await open(await newPage(t), mynah, '#/call/3/thread');
  await page.getByText('3 calls · 0 tool calls · 1 retry').waitFor();
  await page.locator('.retry').waitFor();
});
