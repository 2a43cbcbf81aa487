// The page works by keyboard, in both colour schemes, and on narrow and wide screens.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { WEATHER, ask, hasCalls, open, rows, start, text, useBrowser } from './support.mjs';

const newPage = useBrowser();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Makes calls of all outcomes. */
async function some(mynah) {
  await ask(mynah, 'some', [text('What is the weather in Paris?')], { tools: [WEATHER] });
  await mynah.setRules('rules', [{ name: 'other', match: { user: 'never' }, respond: 'x' }, { match: { user: 'fail' }, respond: { error: { code: 'UNAVAILABLE', message: 'busy' } } }]);
  await ask(mynah, 'rules', 'fail');
  await ask(mynah, 'long', 'words without an end '.repeat(200));
}

/** Returns the serious violations that axe finds. */
async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => (await window.axe.run()).violations);
  const serious = found.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((it) => `${it.target} ${it.failureSummary}`).join('; ')}`);
}

const PLACES = ['#/', '#/call/1', '#/call/1/why', '#/call/1/thread', '#/call/1/raw', '#/call/2', '#/call/2/why', '#/try', '#/try/1', '#/faults'];

for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 390], ['dark', 390], ['light', 2560]]) {
  test(`axe finds nothing serious, and nothing overflows: ${colorScheme}, ${width} px`, async (t) => {
    const mynah = await start(t);
    await some(mynah);
    const page = await newPage(t, { colorScheme, viewport: { width, height: 900 } });
    for (const place of PLACES) {
      await open(page, mynah, place);
      await page.reload();
      await page.getByText('● live').waitFor();
      await page.locator('main').waitFor();
      if (place.endsWith('why')) await page.getByRole('heading', { name: 'Rules, nearest first' }).waitFor();
      assert.deepEqual(await violations(page), [], `${place} ${colorScheme} ${width}`);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${place} is ${inner} px wide of ${outer}`);
    }
    for (const key of ['?', 'c']) {
      await open(page, mynah, '#/call/1');
      await page.getByRole('article').waitFor();
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await violations(page), [], `dialog of ${key}`);
      await page.keyboard.press('Escape');
    }
  });
}

test('the search box is wide enough for its hint on a narrow screen', async (t) => {
  const mynah = await start(t);
  await some(mynah);
  const page = await open(await newPage(t, { viewport: { width: 390, height: 800 } }), mynah);
  await hasCalls(page, 3);
  const { hint, room } = await page.getByLabel('Text').evaluate((field) => {
    const style = getComputedStyle(field);
    const context = document.createElement('canvas').getContext('2d');
    context.font = style.font;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return { hint: context.measureText(field.placeholder).width, room };
  });
  assert.ok(hint < room, `${hint} px in ${room} px`);
});

test('the page without calls and the form for the token are accessible', async (t) => {
  const mynah = await start(t, [], { DAPR_API_TOKEN: 'needed-token' });
  const page = await open(await newPage(t), mynah);
  await page.getByLabel('API token').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.type('needed-token');
  await page.keyboard.press('Enter');
  await page.getByText('No calls yet').waitFor();
  assert.deepEqual(await violations(page), []);
});

test('everything can be done by keyboard alone', async (t) => {
  const mynah = await start(t);
  await some(mynah);
  const page = await open(await newPage(t), mynah);
  await hasCalls(page, 3);
  const focused = () => page.evaluate(() => {
    const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
    const label = document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent;
    return { name: `${document.activeElement.tagName} ${label}`.slice(0, 60), isVisible: outlineStyle !== 'none' || boxShadow !== 'none' };
  });
  const seen = [];
  for (let step = 0; step < 14; step += 1) {
    await page.keyboard.press('Tab');
    const { name, isVisible } = await focused();
    if (name.startsWith('BODY')) break;
    assert.ok(isVisible, `${name} shows no focus`);
    seen.push(name);
  }
  for (const expected of [/^A Try/, /^A Faults/, /Pause/, /INPUT Text/, /DIV Calls/]) assert.ok(seen.some((it) => expected.test(it)), `${expected}: ${seen.join(', ')}`);
  for (const key of ['j', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('article', { name: 'Call 3' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${mynah.origin}/mynah/#/try`);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Answer').getByText('by keyboard').first().waitFor();
});

test('outcomes are told without colour', async (t) => {
  const mynah = await start(t);
  await some(mynah);
  const page = await open(await newPage(t, { viewport: { width: 390, height: 800 } }), mynah);
  await hasCalls(page, 3);
  const texts = await rows(page).allInnerTexts();
  assert.match(texts.join('\n'), /✕/);
  assert.match(texts.join('\n'), /✓/);
});
