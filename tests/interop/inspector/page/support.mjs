// Opens the inspector in Chromium.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';

import { chromium } from 'playwright-core';

import { Mynah } from '../mynah.mjs';

const CHROMIUM = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();

/** Starts a browser for the tests of a file. Returns a function that opens pages. */
export function useBrowser() {
  let browser;
  before(async () => (browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })));
  after(() => browser.close());
  return async (t, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    t.after(() => context.close());
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    page.problems = [];
    page.on('pageerror', (error) => page.problems.push(String(error)));
    page.on('console', (message) => isProblem(message) && page.problems.push(message.text()));
    return page;
  };
}

/** Chromium logs each refused request, such as those of a mynah that restarts. */
const isProblem = (message) => message.type() === 'error' && !/Failed to load resource/.test(message.text());

/** Starts mynah for a test. */
export async function start(t, args = [], env = {}) {
  const mynah = await Mynah.start(args, env);
  t.after(() => mynah.stop());
  return mynah;
}

/** Opens the page of a mynah. `INSPECTOR_PAGE` is a built page to use instead of the one in mynah. */
export async function open(page, mynah, hash = '') {
  const { INSPECTOR_PAGE } = process.env;
  if (INSPECTOR_PAGE) {
    const body = readFileSync(INSPECTOR_PAGE, 'utf8');
    await page.route('**/mynah/', (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
  }
  await page.goto(`${mynah.origin}/mynah/${hash}`);
  return page;
}

export const text = (content) => ({ ofUser: { content: [{ text: content }] } });

/** Asks the component echo in a session. */
export async function ask(mynah, session, messages, more = {}) {
  const list = typeof messages === 'string' ? [text(messages)] : messages;
  const headers = { 'mynah-session': Buffer.from(session).toString('latin1'), ...more.headers };
  const body = { inputs: [{ messages: list }], tools: more.tools };
  const sent = await mynah.send('POST', `/v1.0-alpha2/conversation/${more.component ?? 'echo'}/converse`, body, headers);
  return JSON.parse(sent.text);
}

/** Returns the rows of the list that are calls. */
export const rows = (page) => page.locator('.all-rows .row:not(.marker)');

export const row = (page, words) => rows(page).filter({ hasText: words });

/** Waits until the page has as many calls. */
export const hasCalls = (page, count) => page.locator('.f-count', { hasText: new RegExp(`^${count.toLocaleString('en')}$`) }).waitFor();

export const WEATHER = {
  function: {
    name: 'get_weather',
    description: 'Returns the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] },
  },
};
