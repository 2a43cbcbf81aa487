// Sends the calls.

import { MYNAH, run } from './mynah.mjs';

const PATHS = {
  alpha1: '/v1.0-alpha1/conversation/echo/converse',
  alpha2: '/v1.0-alpha2/conversation/echo/converse',
  openai: '/v1/chat/completions',
  responses: '/v1/responses',
};

/** Makes a call in a session. Returns its entry in the journal. */
export async function make(mynah, session, call) {
  const { api, stream, grpc, rules, continues } = call;
  const body = continues ? { ...call.body, previous_response_id: await firstResponse(mynah, session, continues) } : call.body;
  if (rules) await mynah.setRules(session, rules);
  if (grpc) await overGrpc(mynah, session, body, stream);
  else {
    const accept = stream && api.startsWith('alpha') ? { accept: 'text/event-stream' } : {};
    await mynah.send('POST', PATHS[api], body, { 'mynah-session': Buffer.from(session).toString('latin1'), ...accept });
  }
  const entry = await mynah.lastCall(session);
  if (rules) await mynah.removeRules(session);
  return entry;
}

/** Returns the id of a response to continue. */
async function firstResponse(mynah, session, input) {
  const { text } = await mynah.send('POST', PATHS.responses, { model: 'echo', input }, { 'mynah-session': session });
  return JSON.parse(text).id;
}

async function overGrpc(mynah, session, body, stream) {
  if (!process.env.GRPCURL) throw new Error('GRPCURL must be the path of grpcurl');
  const method = `dapr.proto.runtime.v1.Dapr/Converse${stream ? 'Stream' : ''}Alpha2`;
  const input = JSON.stringify({ name: 'echo', ...body });
  const { code, output } = await run(process.env.GRPCURL, ['-plaintext', '-H', `mynah-session: ${session}`, '-d', '@', mynah.grpc, method], { input });
  if (code !== 0) throw new Error(output);
}

/** Runs a command of mynah. */
export const command = (...args) => run(MYNAH, args);
