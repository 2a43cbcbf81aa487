// Calls appear as they end, and can be selected.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask, hasCalls, open, row, rows, start, useBrowser } from './support.mjs';

const newPage = useBrowser();

test('a page without calls says where to point an application', async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah);
  await page.getByText(`DAPR_HTTP_ENDPOINT=${mynah.origin}`).waitFor();
  await page.getByText('● live').waitFor();
});

test('calls appear as they end, the newest first', async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah);
  await page.getByText('● live').waitFor();
  await ask(mynah, 'one', 'Hello');
  await mynah.setRules('two', [{ respond: { error: { code: 'UNAVAILABLE', message: 'busy' } } }]);
  await ask(mynah, 'two', 'Bye');
  await hasCalls(page, 2);
  const cells = await rows(page).first().getByRole('gridcell').allInnerTexts();
  assert.deepEqual(cells.slice(1, 5), ['two', 'echo', 'http', 'Bye']);
  assert.match(cells[5], /UNAVAILABLE/);
  assert.match(cells[8], /✕\s*failed/);
  const first = await row(page, 'Hello').getByRole('gridcell').allInnerTexts();
  assert.match(first[6], /\d+(\.\d+)?\s?(ms|s)/);
  assert.match(first[7], /\d/);
  assert.match(first[8], /✓\s*ok/);
  assert.deepEqual(page.problems, []);
});

test('filters select calls by session, component, outcome and text', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'one', 'apples and pears');
  await ask(mynah, 'two', 'apples');
  await ask(mynah, 'two', 'nothing', { component: 'absent' });
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 3);
  await page.getByLabel('Text').fill('PEARS');
  await hasCalls(page, 1);
  await page.getByLabel('Text').fill('zzz');
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByLabel('Session').fill('two');
  await hasCalls(page, 2);
  await page.getByLabel('outcome').selectOption('failed');
  await hasCalls(page, 1);
  await page.getByLabel('Session').fill('');
  await page.getByLabel('outcome').selectOption('');
  await page.getByLabel('component').selectOption('echo');
  await hasCalls(page, 2);
});

test('filters survive a reload, and can be cleared', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'größe & co', 'apples');
  await ask(mynah, 'other', 'pears');
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 2);
  const clear = page.getByRole('button', { name: 'Clear filters' });
  assert.equal(await clear.count(), 0);
  await page.getByLabel('Session').fill('größe & co');
  await page.getByLabel('component').selectOption('echo');
  await page.getByLabel('outcome').selectOption('ok');
  await page.getByLabel('Text').fill('a?p=1#/');
  await page.getByText('They hide 2 calls').waitFor();
  await page.reload();
  await page.getByText('They hide 2 calls').waitFor();
  assert.equal(await page.getByLabel('Text').inputValue(), 'a?p=1#/');
  await page.getByLabel('Text').fill('appl');
  await row(page, 'apples').click();
  await page.getByRole('article', { name: 'Call 1' }).waitFor();
  assert.match(page.url(), /#\/call\/1\?session=/);
  for (const link of await page.locator('a[href^="#/"]').all()) assert.match(await link.getAttribute('href'), /\?session=/);
  await page.getByRole('link', { name: 'Why' }).click();
  await page.reload();
  await page.getByRole('article', { name: 'Call 1' }).getByText('Who answered').waitFor();
  await hasCalls(page, 1);
  assert.equal(await page.getByLabel('Session').inputValue(), 'größe & co');
  await clear.click();
  await hasCalls(page, 2);
  assert.match(page.url(), /#\/call\/1\/why$/);
  await page.goto(`${mynah.origin}/mynah/#/?session=other`);
  await hasCalls(page, 1);
  assert.deepEqual(page.problems, []);
});

test('the name of a session shows its calls', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'größe & co', 'apples');
  await ask(mynah, 'other', 'pears');
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 2);
  await page.getByRole('link', { name: 'größe & co' }).click();
  await hasCalls(page, 1);
  assert.equal(await page.getByRole('article').count(), 0);
  await row(page, 'apples').click();
  for (const tab of ['Conversation', 'Thread']) {
    await page.goto(`${mynah.origin}/mynah/#/call/2`);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await hasCalls(page, 2);
    await page.getByRole('link', { name: tab }).click();
    await page.getByRole('region', { name: tab }).getByRole('link', { name: 'other' }).click();
    await hasCalls(page, 1);
    await row(page, 'pears').waitFor();
    assert.equal(await page.getByLabel('Session').inputValue(), 'other');
  }
});

test('the keyboard moves, opens, closes and searches', async (t) => {
  const mynah = await start(t);
  for (const word of ['first', 'second', 'third']) await ask(mynah, 'keys', word);
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 3);
  const cursor = () => page.locator('.row.current').boundingBox().then((box) => box.y);
  await page.keyboard.press('j');
  const top = await cursor();
  await page.keyboard.press('j');
  const below = await cursor();
  assert.ok(below > top, `j moves from ${top} to ${below}`);
  for (const key of ['k', 'j', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('article', { name: 'Call 2' }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('article', { name: 'Call 1' }).waitFor();
  assert.match(page.url(), /#\/call\/1$/);
  await page.keyboard.press('4');
  await page.getByRole('heading', { name: 'Request' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.calls:focus').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('second');
  await hasCalls(page, 1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('to the call above').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('a pause counts the calls that wait', async (t) => {
  const mynah = await start(t);
  await ask(mynah, 'pause', 'before');
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 1);
  await page.keyboard.press('p');
  await ask(mynah, 'pause', 'after');
  await page.getByText('paused, 1 call waiting').waitFor();
  assert.equal(await rows(page).count(), 1);
  await page.keyboard.press('p');
  await hasCalls(page, 2);
});

test('the page connects again after a restart', async (t) => {
  const first = await start(t);
  const port = first.http.split(':').at(-1);
  await ask(first, 'restart', 'before one');
  await ask(first, 'restart', 'before two');
  const page = await open(await newPage(t), first);
  await hasCalls(page, 2);
  await first.stop();
  await page.getByText('↻ reconnecting').waitFor();
  const second = await start(t, [`--dapr-http-port=${port}`]);
  await ask(second, 'restart', 'after');
  await hasCalls(page, 3);
  await page.getByText('● live').waitFor();
  assert.match(await page.locator('.marker').innerText(), /restarted/);
  assert.deepEqual(page.problems, []);
});

test('the page says how many calls the journal has dropped', async (t) => {
  const mynah = await start(t, ['--journal-size=64Ki']);
  for (let n = 0; n < 40; n += 1) await ask(mynah, 'dropped', `${n} ${'large '.repeat(2000)}`);
  const { dropped, entries } = await mynah.control('GET', '/journal');
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, entries.length);
  assert.ok(dropped > 0);
  assert.match(await page.locator('.marker').innerText(), new RegExp(`${dropped} calls dropped`));
});
