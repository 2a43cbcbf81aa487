import { withMynah } from 'mynah-dapr';
import { expect, test } from 'vitest';

import { ask } from './app';

test('tells the weather', withMynah(async (mynah) => {
  mynah.useEnv();
  await mynah.when({ user: 'weather' }).respond('Sunny');
  expect(await ask('How is the weather?')).toBe('Sunny');
  await mynah.verify({ count: 1, user: 'weather' });
}));
