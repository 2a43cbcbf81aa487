const { readFileSync } = require('node:fs');

const { withMynah } = require('mynah-dapr');

test('there is no mynah of another file', withMynah(async () => {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  expect(children.trim().split(' ')).toHaveLength(1);
}));

describe('a session', () => {
  test('has the name of its file, suite and test', withMynah((mynah) => {
    expect(mynah.name).toBe('jest/one.test.cjs > a session has the name of its file, suite and test');
  }));

  test.each([{ name: 'Ann' }])('has no name of a row', withMynah((mynah) => {
    expect(mynah.name).toBe('jest/one.test.cjs > a session has no name of a row');
  }));
});
