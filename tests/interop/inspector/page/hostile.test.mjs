// Contents that attack, confuse or burden the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOSTILE } from '../calls.mjs';
import { WEATHER, ask, hasCalls, open, row, rows, start, text, useBrowser } from './support.mjs';

const newPage = useBrowser();

const SCRIPT = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"></script><a href="javascript:window.hacked = 3">x</a>';

test('scripts in texts, names and sessions are shown as text', async (t) => {
  const mynah = await start(t);
  const session = '<img src=x onerror=hacked=4>';
  const tool = { function: { name: SCRIPT, description: SCRIPT, parameters: { type: 'object', properties: { [SCRIPT]: { type: 'string', description: SCRIPT } } } } };
  await mynah.setRules(session, [{ name: SCRIPT, respond: [{ text: `**bold** ${SCRIPT}` }, { tool_call: [{ name: SCRIPT, args: { [SCRIPT]: SCRIPT } }] }] }]);
  await ask(mynah, session, [{ ofUser: { name: SCRIPT, content: [{ text: SCRIPT }] } }], { tools: [tool] });
  await ask(mynah, session, SCRIPT, { component: encodeURIComponent('<b>component</b>') });
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 2);
  for (const tab of ['', '/why', '/thread', '/raw']) {
    await page.goto(`${mynah.origin}/mynah/#/call/1${tab}`);
    await page.locator('.content').getByText('<script>window.hacked = 1</script>').or(page.locator('.thread')).first().waitFor();
  }
  await page.keyboard.press('c');
  for (const button of await page.locator('.choices button').all()) await button.click();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img, .chat script, .content a[href^="javascript"]').count(), 0);
  assert.deepEqual(page.problems, []);
});

test('the policy of the page refuses other scripts and requests', async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah);
  await page.getByText('● live').waitFor();
  const results = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.hacked = 1';
    document.body.append(script);
    const sent = await fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused');
    return [window.hacked, sent];
  });
  assert.deepEqual(results, [undefined, 'refused']);
  assert.ok(page.problems.every((it) => /Content Security Policy|violates/.test(it)), page.problems.join('\n'));
});

test('texts of all kinds are shown, and hidden characters are named', async (t) => {
  const mynah = await start(t);
  for (const [at, one] of HOSTILE.entries()) await ask(mynah, `text ${at}`, one, { tools: [WEATHER] });
  await ask(mynah, '\u202eevil', 'שלום \u202eabc\u0007', { headers: { 'mynah-session': Buffer.from('\u202eevil').toString('latin1') } });
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, HOSTILE.length + 1);
  await page.goto(`${mynah.origin}/mynah/#/call/${HOSTILE.length + 1}`);
  await page.locator('.chat .hidden-char', { hasText: 'U+202E' }).first().waitFor();
  await page.locator('.chat .hidden-char', { hasText: 'U+0007' }).first().waitFor();
  assert.match(await row(page, 'abc').first().innerText(), /U\+202E/);
  assert.equal(await page.locator('.chat .text').first().getAttribute('dir'), 'auto');
  for (let number = 1; number <= HOSTILE.length; number += 1) {
    await page.goto(`${mynah.origin}/mynah/#/call/${number}`);
    await page.getByRole('article', { name: `Call ${number}` }).waitFor();
  }
  assert.deepEqual(page.problems, []);
});

test('a message of 1 MiB is cut until all of it is asked for', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'large', `${'0123456789abcde\n'.repeat(65_536)}the end`);
  const page = await open(await newPage(t), mynah, '#/call/1');
  const button = page.getByRole('button', { name: 'Show all' }).first();
  await button.waitFor();
  assert.ok((await page.locator('.chat').innerText()).length < 200_000);
  await button.click();
  await page.waitForFunction(() => document.querySelector('.chat').textContent.includes('the end'));
  assert.deepEqual(page.problems, []);
});

/** Makes calls, some at a time. */
async function makeMany(mynah, count, session = 'many') {
  const numbers = [...Array(count).keys()];
  const worker = async () => {
    for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) await ask(mynah, session, `message ${n}`);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

test('of 10,000 calls, at most 200 rows are in the document', async (t) => {
  const mynah = await start(t);
  await makeMany(mynah, 10_050);
  const page = await open(await newPage(t, { viewport: { width: 2560, height: 1440 } }), mynah);
  await page.waitForFunction(() => document.querySelector('.f-count')?.textContent === '10,000', undefined, { timeout: 30_000 });
  const list = page.locator('.calls');
  for (const part of [0, 0.5, 1]) {
    await list.evaluate((box, at) => box.scrollTo(0, at * box.scrollHeight), part);
    await rows(page).first().waitFor();
    assert.ok((await rows(page).count()) <= 200);
  }
  await page.getByLabel('Text').fill('message 9999');
  await hasCalls(page, 1);
  assert.deepEqual(page.problems, []);
});

test('calls that arrive as fast as the page shows them do not make its memory grow', async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah);
  await page.getByText('● live').waitFor();
  const makeMore = async (shown) => {
    await makeMany(mynah, 100);
    await hasCalls(page, shown);
  };
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  for (let shown = 100; shown <= 500; shown += 100) await makeMore(shown);
  const [before, nodes] = [await heap(), await page.locator('*').count()];
  for (let shown = 600; shown <= 1000; shown += 100) await makeMore(shown);
  const grown = (await heap()) - before;
  assert.ok(grown < 500 * 8 * 1024, `${grown} bytes for 500 calls`);
  assert.ok((await page.locator('*').count()) < nodes * 1.5);
  assert.deepEqual(page.problems, []);
});

test('bodies that are not JSON, and calls that are cancelled, have rows', async (t) => {
  const mynah = await start(t);
  await mynah.send('POST', '/v1/chat/completions', '{"messages": <script>');
  await mynah.setRules('slow', [{ respond: { respond: 'late', delay: '1h' } }]);
  const abort = new AbortController();
  const call = fetch(`${mynah.origin}/v1.0-alpha2/conversation/echo/converse`, {
    method: 'POST', headers: { 'mynah-session': 'slow' }, signal: abort.signal, body: JSON.stringify({ inputs: [{ messages: [text('wait')] }] }),
  }).catch(() => undefined);
  await mynah.control('POST', '/verify', { session: 'slow', waiting: 1, wait: '5s', match: {}, count: 0 });
  abort.abort();
  await call;
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 2);
  await row(page, 'cancelled').click();
  await page.getByText('The client cancelled the call').waitFor();
  await page.goto(`${mynah.origin}/mynah/#/call/1`);
  await page.getByText('could not be decoded').waitFor();
});
