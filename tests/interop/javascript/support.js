'use strict';

/** Where the two sidecars are, and what the second one asks for. */
const open = { grpc: process.env.DAPR_GRPC_PORT, http: process.env.DAPR_HTTP_PORT };
const guarded = { grpc: process.env.GUARDED_GRPC_PORT, http: process.env.GUARDED_HTTP_PORT };
const TOKEN = process.env.GUARDED_API_TOKEN;

const user = (text) => ({ ofUser: { content: [{ text }] } });
const ask = (text, more) => ({ inputs: [{ messages: [user(text)] }], ...more });

const WEATHER = {
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a place.',
    parameters: {
      type: 'object',
      properties: { location: { type: 'string' }, days: { type: 'integer', maximum: 5 } },
      required: ['location'],
    },
  },
};

module.exports = { open, guarded, TOKEN, user, ask, WEATHER };
