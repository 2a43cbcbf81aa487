import { type Session, toolCall, withMynah } from 'mynah-dapr';
import OpenAI from 'openai';
import { expect, test } from 'vitest';

import { answer } from './assistant';

const connect = (mynah: Session) => new OpenAI({ baseURL: mynah.openaiBaseUrl, apiKey: 'any' });

test('calls the tool and tells its result', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).chain([toolCall('get_weather', { city: 'Paris' }), 'Sunny, 21 degrees.']);
  expect(await answer(connect(mynah), 'How is the weather?')).toBe('Sunny, 21 degrees.');
  await mynah.verify({ count: 2, system: 'You tell the weather.' });
}));

test('sends the result of the tool', withMynah(async (mynah) => {
  await mynah.when({ toolResult: '21 degrees' }).respond('Warm.');
  await mynah.when({ user: 'weather' }).callTool('get_weather', { city: 'Paris' });
  await answer(connect(mynah), 'How is the weather?');
  const [question, result] = await mynah.calls();
  expect(question.parameters.temperature).toBe(0.2);
  expect(question.answer?.toolCalls[0].arguments).toBe('{"city":"Paris"}');
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', text: '21 degrees' });
}));

test('tries again if the model is busy', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).fails('UNAVAILABLE', { times: 2 });
  await mynah.when({ user: 'weather' }).respond('Sunny');
  expect(await answer(connect(mynah), 'How is the weather?')).toBe('Sunny');
  const { recovered, violations } = await mynah.verdict();
  expect([recovered, violations]).toEqual([1, []]);
}));

test('gives up if the model stays busy', withMynah(async (mynah) => {
  await mynah.fault({ failFirst: 9, error: { code: 'UNAVAILABLE' } });
  await expect(answer(connect(mynah), 'How is the weather?')).rejects.toThrow('503');
  await mynah.verify({ count: 3, outcome: 'failed' });
}));

test('cancels a call', withMynah(async (mynah) => {
  await mynah.when().respond({ respond: 'late', delay: '1h' });
  const client = connect(mynah);
  const abort = new AbortController();
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const call = client.chat.completions.create({ model: 'echo', messages }, { signal: abort.signal });
  const failed = expect(call).rejects.toThrow('aborted');
  await mynah.verify({ waiting: 1, wait: '10s', count: 0 });
  abort.abort();
  await failed;
  await mynah.verify({ count: 1, outcome: 'cancelled' });
}));

test.concurrent.for([1, 2, 3])('tests at the same time do not see each other: %i', (n) => withMynah(async (mynah) => {
  await mynah.when().respond(`You are ${n}.`);
  expect(await answer(connect(mynah), 'Who am I?')).toBe(`You are ${n}.`);
  await mynah.verify({ count: 1 });
})());
