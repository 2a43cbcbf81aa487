import { withMynah } from 'mynah-dapr';
import { expect, test } from 'vitest';

import { converse, user } from '../support.js';

test('fails', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).respond('Sunny');
  expect((await converse(mynah, user('How is the wether?'))).content).toBe('Sunny');
}));
