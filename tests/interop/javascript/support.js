'use strict';

/** The ports of the two sidecars, and the token that the second one requires. */
const unguarded = { grpc: process.env.DAPR_GRPC_PORT, http: process.env.DAPR_HTTP_PORT };
const guarded = { grpc: process.env.GUARDED_GRPC_PORT, http: process.env.GUARDED_HTTP_PORT };
const TOKEN = process.env.GUARDED_API_TOKEN;

const user = (text) => ({ ofUser: { content: [{ text }] } });
const prompt = (text, more) => ({ inputs: [{ messages: [user(text)] }], ...more });

const WEATHER = {
  function: {
    name: 'get_weather',
    description: 'Returns the weather in a place.',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' }, days: { type: 'integer', maximum: 5 } },
      required: ['location'],
    },
  },
};

module.exports = { unguarded, guarded, TOKEN, user, prompt, WEATHER };
