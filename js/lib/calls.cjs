'use strict';

// Reads calls in the journal.

/** Returns a call with keys as usual in JavaScript. An invalid request has no messages. */
function call({ session, time, duration_ms: durationMs, answered_by: answeredBy, response, error, ...entry }) {
  const { messages = [], tools = [], ...rest } = entry;
  return {
    ...rest,
    time: new Date(time),
    durationMs,
    messages: messages.map(message),
    tools,
    answer: response && answer(response),
    error: error && { code: error.code, message: error.message, retryAfterMs: error.retry_after_ms },
    answeredBy,
  };
}

function answer({ text = '', tool_calls: toolCalls = [], finish_reason: finishReason, ...response }) {
  return { text, toolCalls, finishReason, ...response };
}

function message({ tool_calls: toolCalls = [], tool_id: toolId, ...sent }) {
  return { ...sent, toolCalls, ...(toolId && { toolId }) };
}

module.exports = { call };
