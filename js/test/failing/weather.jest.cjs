const { withMynah } = require('mynah-dapr');

test('fails', withMynah(async (mynah) => {
  await mynah.when({ user: 'weather' }).respond('Sunny');
  const url = `${mynah.httpEndpoint}/v1.0-alpha1/conversation/echo/converse`;
  const body = JSON.stringify({ inputs: [{ content: 'How is the wether?' }] });
  const answer = await (await fetch(url, { method: 'POST', body })).json();
  expect(answer.outputs[0].result).toBe('Sunny');
}));
