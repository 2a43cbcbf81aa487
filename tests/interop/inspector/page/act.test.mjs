// Turns calls into tests, sends messages, and changes faults.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { WEATHER, ask, hasCalls, open, row, start, useBrowser } from './support.mjs';

const newPage = useBrowser();

test('a call can be copied as rules, tests and commands', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'größe', 'the weather in Paris', { tools: [WEATHER] });
  const page = await open(await newPage(t, { permissions: ['clipboard-read', 'clipboard-write'] }), mynah, '#/call/1');
  await page.getByRole('article').waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog');
  const labels = await dialog.locator('.choices button').allInnerTexts();
  assert.deepEqual(labels, ['Rule', 'Expectation', 'Test with pytest', 'Test in Go', 'Test with Vitest', 'curl', 'grpcurl', 'Dapr\'s Python SDK', 'Dapr\'s Go SDK']);
  await dialog.getByRole('button', { name: 'Copy Rule' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('Copied').waitFor();
  const rule = await page.evaluate(() => navigator.clipboard.readText());
  await mynah.setRules('pasted', rule);
  const { outputs } = await ask(mynah, 'pasted', 'the weather in Paris', { tools: [WEATHER] });
  assert.equal(outputs[0].choices[0].message.toolCalls[0].function.name, 'get_weather');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a message can be sent to a component with tools', async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah, '#/try');
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the weather in Paris?');
  await page.getByRole('textbox', { name: 'Tools' }).fill(JSON.stringify([WEATHER]));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByLabel('Answer').getByText('get_weather').first().waitFor();
  await page.getByRole('link', { name: 'open call 1' }).click();
  await page.getByRole('article', { name: 'Call 1' }).waitFor();
  assert.deepEqual(page.problems, []);
});

test('a call can be changed and sent again', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'again', 'the original');
  const page = await open(await newPage(t), mynah, '#/call/1');
  await page.getByRole('link', { name: 'Resend' }).click();
  const field = page.getByLabel('Request');
  await field.fill((await field.inputValue()).replace('original', 'changed'));
  await field.press('Control+Enter');
  await page.getByLabel('Answer').getByText('the changed').first().waitFor();
  const { entries } = await mynah.control('GET', '/journal?session=again');
  assert.equal(entries.length, 2);
  await field.fill('{');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByText('not JSON').waitFor();
});

test('faults can be set and cleared, and sessions reset', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'faulty', 'before');
  const page = await open(await newPage(t), mynah, '#/faults');
  await page.getByLabel('New fault').getByLabel('Session').fill('faulty');
  await page.getByLabel('Fault', { exact: false }).last().fill('{"error": {"code": "ABORTED"}}');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.locator('.target').getByText('faulty').waitFor();
  assert.ok((await ask(mynah, 'faulty', 'while')).errorCode);
  await page.locator('.target').getByRole('button', { name: 'Clear' }).click();
  await page.locator('.target').waitFor({ state: 'detached' });
  assert.ok((await ask(mynah, 'faulty', 'after')).outputs);
  await page.getByLabel('Session to reset').fill('faulty');
  await page.getByRole('button', { name: 'Reset …' }).click();
  await page.getByRole('button', { name: 'Reset now' }).click();
  await page.getByText('Session faulty is reset').waitFor();
  assert.deepEqual((await mynah.control('GET', '/journal?session=faulty')).entries, []);
  await page.getByRole('link', { name: 'Calls' }).click();
  await row(page, 'before').waitFor({ state: 'detached' });
});

test('the list says how many faults are set', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'calm', 'before');
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 1);
  const notice = page.getByText('set: calls can fail on purpose');
  assert.equal(await notice.count(), 0);
  const busy = { error: { code: 'UNAVAILABLE' } };
  await mynah.control('PUT', '/faults', { session: 'one', faults: [busy] });
  await page.getByText('1 fault is set').waitFor();
  await mynah.control('PUT', '/faults', { component: 'echo', faults: [{ fail_first: 1, ...busy }, { delay: '1ms' }] });
  await mynah.control('PUT', '/faults', { session: 'spent', faults: [{ fail_first: 1, ...busy }] });
  await page.getByText('4 faults are set').waitFor();
  assert.ok((await ask(mynah, 'spent', 'once')).errorCode);
  await page.getByRole('link', { name: '3 faults are set' }).click();
  await page.locator('.target').first().waitFor();
  await page.getByRole('button', { name: 'Clear all faults' }).click();
  await page.getByText('No faults are set').waitFor();
  await page.getByRole('link', { name: 'Calls' }).click();
  await row(page, 'before').waitFor();
  await notice.waitFor({ state: 'detached' });
});

test('the fault of a rule is not one that is set', async (t) => {
  const mynah = await start(t);
  const error = { code: 'UNAVAILABLE' };
  await mynah.setRules('own', [{ name: 'flaky', match: { user: 'own' }, respond: 'fine', faults: { error } }]);
  await ask(mynah, 'own', 'own');
  await mynah.control('PUT', '/faults', { session: 'set', faults: [{ error }] });
  await ask(mynah, 'set', 'set');
  const page = await open(await newPage(t), mynah, '#/call/1/why');
  await page.locator('.answerer').getByText('the fault of this rule').waitFor();
  assert.equal(await page.getByText('Without the fault').count(), 0);
  await page.goto(`${mynah.origin}/mynah/#/call/2/why`);
  await page.locator('.answerer').getByText('a fault that is set').waitFor();
  await page.getByRole('region', { name: 'Why' }).getByRole('link', { name: 'Faults' }).click();
  await page.getByText('The faults of rules').waitFor();
  await page.locator('.target').getByText('UNAVAILABLE').waitFor();
});

test('all faults can be cleared', async (t) => {
  const mynah = await start(t);
  await mynah.control('PUT', '/faults', { session: 'other', faults: [{ error: { code: 'ABORTED' } }] });
  const page = await open(await newPage(t), mynah, '#/faults');
  assert.ok((await ask(mynah, 'other', 'hello')).errorCode);
  const cleared = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Clear all faults' }).click();
  assert.equal((await cleared).status(), 204);
  assert.ok((await ask(mynah, 'other', 'hello')).outputs);
});

test('the page asks for the token, and takes it from the address', async (t) => {
  const token = 'secret-token';
  const mynah = await start(t, [], { DAPR_API_TOKEN: token });
  await ask(mynah, 'guarded', 'hello');
  const page = await open(await newPage(t), mynah);
  await page.getByLabel('API token').fill('wrong');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('alert').getByText('does not accept').waitFor();
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Connect' }).click();
  await hasCalls(page, 1);
  const other = await open(await newPage(t), mynah, `#token=${token}`);
  await hasCalls(other, 1);
  assert.ok(!other.url().includes(token));
  const third = await open(await newPage(t), mynah, '#/?session=guarded');
  await third.getByLabel('API token').waitFor();
  await third.goto(`${mynah.origin}/mynah/#token=${token}`);
  await hasCalls(third, 1);
  assert.match(third.url(), /\/mynah\/#\/\?session=guarded$/);
  await other.goto(`${mynah.origin}/mynah/#/call/1`);
  await other.getByRole('article').waitFor();
  await other.keyboard.press('c');
  for (const button of await other.locator('.choices button').all()) {
    await button.click();
    assert.ok(!(await other.locator('.preview').innerText()).includes(token));
  }
});

test('a page of another site cannot change anything', async (t) => {
  const mynah = await start(t);
  const page = await newPage(t);
  await page.route('http://evil.example/', (route) => route.fulfill({ body: 'evil', contentType: 'text/html' }));
  await page.goto('http://evil.example/');
  const status = await page.evaluate(async (origin) => {
    const change = { method: 'PUT', body: JSON.stringify({ faults: [{ error: { code: 'ABORTED' } }] }) };
    const put = await fetch(`${origin}/mynah/v1/faults`, change).then((it) => it.status, () => 'refused');
    const post = await fetch(`${origin}/mynah/v1/reset`, { method: 'POST', mode: 'no-cors' }).then((it) => it.type, () => 'refused');
    const read = await fetch(`${origin}/mynah/v1/journal`).then((it) => it.status, () => 'refused');
    return [put, post, read];
  }, mynah.origin);
  assert.deepEqual([status[0], status[2]], ['refused', 'refused']);
  assert.ok((await ask(mynah, 'safe', 'hello')).outputs);
  const { status: posted } = await mynah.send('POST', '/mynah/v1/reset', undefined, { origin: 'http://evil.example' });
  assert.equal(posted, 403);
});
