const { readFileSync } = require('node:fs');

const { withMynah } = require('mynah-dapr');

test('there is no mynah of another file', withMynah(async () => {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  expect(children.trim().split(' ')).toHaveLength(1);
}));

test('the session has the name of the test', withMynah((mynah) => {
  expect(mynah.name).toBe('the session has the name of the test');
}));
