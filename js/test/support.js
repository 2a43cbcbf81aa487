// Requests of the tests to the component echo.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WEATHER = {
  name: 'get_weather',
  description: 'Returns the weather.',
  parameters: { type: 'object' },
};

export const user = (text) => ({ ofUser: { content: [{ text }] } });
export const system = (text) => ({ ofSystem: { content: [{ text }] } });
export const called = {
  ofAssistant: { toolCalls: [{ id: 'c1', function: { name: 'get_weather', arguments: '{}' } }] },
};
export const result = { ofTool: { toolId: 'c1', name: 'get_weather', content: [{ text: '21 degrees' }] } };

/** Sends messages over HTTP. Returns the message of the answer, or the error. */
export async function converse({ httpEndpoint }, ...messages) {
  const body = { inputs: [{ messages }], tools: [{ function: WEATHER }], temperature: 0.5 };
  const answer = await post(`${httpEndpoint}/v1.0-alpha2/conversation/echo/converse`, body);
  return answer.outputs ? answer.outputs[0].choices[0].message : answer;
}

export async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

export const scratch = () => mkdtempSync(join(tmpdir(), 'mynah-test-'));
