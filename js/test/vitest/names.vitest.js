import { withMynah } from 'mynah-dapr';
import { describe, expect, test } from 'vitest';

test('has the name of its file and test', withMynah((mynah) => {
  expect(mynah.name).toBe('vitest/names.vitest.js > has the name of its file and test');
}));

describe('a session', () => {
  test('has the name of its suite', withMynah((mynah) => {
    expect(mynah.name).toBe('vitest/names.vitest.js > a session > has the name of its suite');
  }));
});
