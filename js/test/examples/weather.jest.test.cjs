const OpenAI = require('openai');
const { withMynah } = require('mynah-dapr');

test('tells the weather', withMynah(async (mynah) => {
  const client = new OpenAI({ baseURL: mynah.openaiBaseUrl, apiKey: 'any' });
  await mynah.when({ user: 'weather' }).respond('Sunny');
  const input = 'How is the weather?';
  const response = await client.responses.create({ model: 'echo', input });
  expect(response.output_text).toBe('Sunny');
  await mynah.verify({ count: 1, user: 'weather' });
}));
