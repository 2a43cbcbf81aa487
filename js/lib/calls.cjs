'use strict';

// Reads calls in the journal and describes them.

/** Returns a call with keys as usual in JavaScript, and with messages in the same form for all APIs. */
function call({ session, time, duration_ms: durationMs, answered_by: answeredBy, response, error, ...entry }) {
  const request = typeof entry.request === 'object' ? (entry.request ?? {}) : {};
  const { inputs, messages, input, instructions, tools = [], ...parameters } = request;
  return {
    ...entry,
    time: new Date(time),
    durationMs,
    messages: messagesOf(request),
    tools: tools.map((tool) => tool.function ?? tool),
    parameters,
    answer: response && answer(response),
    error: error && { code: error.code, message: error.message, retryAfterMs: error.retry_after_ms },
    answeredBy,
  };
}

function answer({ text = '', tool_calls: toolCalls = [], finish_reason: finishReason, ...response }) {
  return { text, toolCalls, finishReason, ...response };
}

function messagesOf({ inputs = [], messages = [], input = [], instructions }) {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  const ofDapr = inputs.flatMap((one) => (one.messages ? one.messages.map(unwrap) : [{ role: 'user', ...one }]));
  return [...system, ...ofDapr, ...messages, ...items].map(message);
}

/** Returns a message such as `{ofUser: …}` with its role. */
function unwrap(wrapped) {
  const [kind, value] = Object.entries(wrapped)[0];
  return { ...value, role: kind.replace(/^of/, '').toLowerCase() };
}

function message(sent) {
  // OpenAI's Responses API has items for calls and results.
  if (sent.type === 'function_call') {
    const { call_id: id, name, arguments: args } = sent;
    return { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: args }] };
  }
  if (sent.type === 'function_call_output') {
    return { role: 'tool', text: textOf(sent.output), toolCalls: [], toolId: sent.call_id };
  }
  const calls = sent.toolCalls ?? sent.tool_calls ?? [];
  return {
    role: sent.role,
    text: textOf(sent.content),
    toolCalls: calls.map((one) => ({ id: one.id, ...one.function })),
    ...(sent.name && { name: sent.name }),
    ...((sent.toolId ?? sent.tool_call_id) && { toolId: sent.toolId ?? sent.tool_call_id }),
  };
}

function textOf(content) {
  if (Array.isArray(content)) return content.map((part) => part.text ?? '').join('\n');
  return content ?? '';
}

/** Describes a call in a few lines. */
function describeCall(made) {
  const { number, component, surface, durationMs, outcome, answer, error } = made;
  const lines = [`call ${number} of ${component} over ${surface}, ${Math.round(durationMs)} ms, ${outcome}`];
  for (const { role, text, toolCalls } of made.messages) lines.push(`    ${role}: ${said(text, toolCalls)}`);
  if (made.tools.length) lines.push(`    offers ${made.tools.map((tool) => tool.name).join(', ')}`);
  if (error) lines.push(`  error: ${error.code}: ${error.message}`);
  if (answer) lines.push(`  answer: ${said(answer.text, answer.toolCalls)}`);
  for (const { rule } of made.answeredBy) if (rule) lines.push(`  rule: ${rule}`);
  return lines.join('\n');
}

function said(text, calls) {
  return [text, ...calls.map((one) => `${one.name}(${one.arguments})`)].join(' ').trim();
}

/** Describes the result of a check that has failed. */
function describeMisses({ expectations, unused, unmatched }, conditions) {
  const lines = [];
  for (const { expected, matched, nearest = [] } of expectations.filter(({ ok }) => !ok)) {
    lines.push(`expected ${expected} calls that match ${JSON.stringify(conditions)}, found ${matched}`);
    for (const near of nearest) lines.push(`  call ${near.number} nearly matches:`, ...mismatches(near));
  }
  for (const { number, nearest } of unmatched ?? []) {
    const rule = nearest ? `the nearest rule is "${nearest.rule}":` : 'there are no rules';
    lines.push(`no rule answered call ${number}; ${rule}`, ...mismatches(nearest));
  }
  for (const { rule } of unused ?? []) lines.push(`no call has used all of rule "${rule}"`);
  return lines.join('\n');
}

function mismatches(near) {
  const line = ({ condition, expected, seen }) => `    ${condition}: expected ${expected}, seen ${JSON.stringify(seen)}`;
  return (near?.mismatches ?? []).map(line);
}

module.exports = { call, describeCall, describeMisses };
