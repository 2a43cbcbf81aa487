// The page keeps up with an application that never stops: its memory stays flat.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, hasCalls, open, row, rows, start, useBrowser } from './support.mjs';

const newPage = useBrowser();

/** The page keeps as many calls: with more, each new call replaces one. */
const KEPT = 10_000;
const PER_SECOND = 100;
const SECONDS = 60;
const THIRD = (SECONDS / 3) * PER_SECOND;
/** Seconds between two looks at the heap. */
const LOOK = 5;
const MAX_ROWS = 200;
/** What the heap may vary by, in bytes. A page that kept the calls that it drops would need twice as much. */
const MARGIN = 1_000_000;

const call = (mynah, number) => ask(mynah, `session ${number % 50}`, `number ${number}: ${'some more words '.repeat(number % 20)}`);

/** Makes more calls than the page keeps, as fast as mynah answers them. */
async function fill(mynah) {
  let number = 0;
  const client = async () => {
    while (number < KEPT) await call(mynah, number++);
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

/** Makes calls at a steady pace. Runs a function after each few seconds. */
async function load(mynah, look) {
  const begin = performance.now();
  const pending = new Set();
  for (let number = 1; number <= SECONDS * PER_SECOND; number += 1) {
    await sleep(begin + (number * 1000) / PER_SECOND - performance.now());
    const called = call(mynah, KEPT + number).finally(() => pending.delete(called));
    pending.add(called);
    if (number % (LOOK * PER_SECOND) === 0) await look(number);
  }
  await Promise.all(pending);
}

/** Returns the size of the heap without garbage. */
async function heapOf(devtools) {
  await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize;
}

test('the memory of the page is flat at 100 calls a second', { timeout: 240_000 }, async (t) => {
  const mynah = await start(t);
  const page = await open(await newPage(t), mynah);
  await page.getByText('● live').waitFor();
  await fill(mynah);
  await hasCalls(page, KEPT);
  const devtools = await page.context().newCDPSession(page);
  const heaps = [[], [], []];
  await load(mynah, async (number) => {
    heaps[Math.ceil(number / THIRD) - 1].push(await heapOf(devtools));
    assert.ok((await rows(page).count()) <= MAX_ROWS);
  });
  await row(page, `number ${KEPT + SECONDS * PER_SECOND}:`).waitFor();
  await hasCalls(page, KEPT);
  const [, second, last] = heaps.map((heap) => Math.max(...heap));
  t.diagnostic(`heap, kB: ${heaps.flat().map((heap) => Math.round(heap / 1000)).join(' ')}`);
  assert.ok(last <= second + MARGIN, `the heap grew from ${second} to ${last} bytes`);
  assert.deepEqual(page.problems, []);
});
