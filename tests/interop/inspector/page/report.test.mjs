// A report is a page without a network.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';

import { MYNAH, Mynah, run, scratch } from '../mynah.mjs';
import { WEATHER, ask, hasCalls, row, text, useBrowser } from './support.mjs';

const newPage = useBrowser();
const SCRIPT = '</script><script>window.hacked = 1</script>';

/** Writes the report of a journal with some calls and a line that cannot be read. */
async function report(change = (lines) => lines) {
  const folder = scratch('report');
  const journal = join(folder, 'journal.jsonl');
  const mynah = await Mynah.start([`--journal=${journal}`]);
  await ask(mynah, 'report', [text('What is the weather in Paris?')], { tools: [WEATHER] });
  await ask(mynah, 'report', `${SCRIPT} \u2028 שלום`);
  await mynah.stop();
  writeFileSync(journal, `${change(readFileSync(journal, 'utf8'))}{"number": \n`);
  const out = join(folder, 'report.html');
  const { code, output } = await run(MYNAH, ['report', journal, `--out=${out}`]);
  assert.equal(code, 0, output);
  return out;
}

test('a report shows the calls from disk, and sends nothing', async (t) => {
  const file = await report();
  const page = await newPage(t);
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await hasCalls(page, 2);
  await page.getByText('1 line could not be read').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Try' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Faults' }).count(), 0);
  await row(page, 'Paris').click();
  await page.getByLabel('Arguments of get_weather').getByText('Paris').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Resend' }).count(), 0);
  await page.keyboard.press('2');
  await page.getByText('Who answered').waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByRole('button', { name: 'Rule', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok(requests.every((url) => url.startsWith('file:')), requests.join());
  assert.deepEqual(page.problems, []);
});

test('a thread of one call takes as long as the call', async (t) => {
  const file = await report((lines) => lines.replace(/"duration_ms":[\d.]+/g, '"duration_ms":0.25'));
  const page = await newPage(t);
  await page.goto(`${pathToFileURL(file).href}#/call/2/thread`);
  await page.getByText('0.25 ms in all: 0.25 ms in mynah').waitFor();
});

test('the data of a report cannot end its script', async () => {
  const html = readFileSync(await report(), 'utf8');
  const data = /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(html);
  assert.deepEqual(JSON.parse(data[1]).entries.length, 2);
  assert.equal(JSON.parse(data[1]).skipped, 1);
});
