// Calls whose copies are run.

export const HOSTILE = [
  'yes', '1e3', '- a', 'a: b', 'a #b', '# c', '~', 'null', '"', "'", '`', '\\', '\\n', '"""', "'''", '${HOME} $(id) !x', '%s %d',
  '|', '> a', ' leading', 'trailing ', '\n', 'a\n\n b\n', 'a\n  b\n\tc', 'two\nlines', 'a\r\nb', '*x', '&a', '!t', '@', '{', '[1, 2',
  '{{ user }}', '{% raw %}a{% endraw %}', '{%- endraw -%}', '{{{', '{#', '{{ \'{{\' }}{', 'JSON\nJSON', 'EOF', '<script>alert(1)</script>',
  '\0', '\u0001\u001b[31m', '\u007f', '\u0080\u0085\u009f', 'a\u2028b\u2029c', '\ufeffa\ufeff', '\ufffe\uffff', '\u202eevil\u202c',
  'שלום עולם', '🎉👩‍👩‍👧', '\u{1fffe}', '\u{e0001}', 'é e\u0301', '__proto__', '[redacted', 'ConversationOther(', '\u00a0', 'a'.repeat(2000),
];

const ALL = HOSTILE.join('\n\u0001 ');

export const weather = { function: { name: 'get_weather', description: 'Returns "the" weather.\n', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } } };
const time = { function: { name: 'get_time', parameters: { type: 'object', properties: {} } } };

export const user = (text, more) => ({ ofUser: { content: [{ text }], ...more } });
const converse = (messages, more) => ({ api: 'alpha2', body: { inputs: [{ messages }], ...more } });
const chat = (messages, more) => ({ api: 'openai', body: { model: 'echo', messages, ...more } });
const responses = (input, more) => ({ api: 'responses', body: { model: 'echo', input, ...more } });
const responding = (respond, more) => ({ rules: [{ respond, ...more }] });

const called = { ofAssistant: { content: [{ text: 'Let me see.' }], toolCalls: [{ id: 'c"1', function: { name: 'get_weather', arguments: '{"city": "Pa\\"ris"}' } }] } };
const result = { ofTool: { toolId: 'c"1', name: 'get_weather', content: [{ text: '{"temp": 21}' }] } };
const image = `data:image/png;base64,${'A'.repeat(400)}`;
const escapedText = (text) => text.replace(/\{[{%#]/g, (mark) => `{{ '${mark}' }}`);

export const CALLS = {
  plain: converse([user('How is the weather?')]),
  empty: converse([user('')]),
  tools: converse([user('What is the weather in Paris and in Rome?')], { tools: [weather, time], toolChoice: 'auto' }),
  result: converse([{ ofSystem: { content: [{ text: 'Be "brief".' }] } }, user('Weather?', { name: 'bo\'b' }), called, result], { tools: [weather] }),
  'several results': converse([user('Weather?'), called, result, { ofTool: { toolId: 'other', content: [{ text: 'a' }, { text: 'b' }] } }]),
  settings: converse([{ ofDeveloper: { content: [{ text: 'x' }, { text: 'y' }] } }, user('Give JSON')], {
    temperature: 0.5, contextId: 'c\n1', scrubPii: true, metadata: { "k'": 'v"' }, promptCacheRetention: '10s',
    parameters: { max_tokens: { '@type': 'type.googleapis.com/google.protobuf.Int64Value', value: '1000' }, s: { '@type': 'type.googleapis.com/google.protobuf.StringValue', value: '"\n' } },
    responseFormat: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  }),
  'two inputs': { api: 'alpha2', body: { inputs: [{ messages: [user('one')] }, { messages: [user('two'), user('three')], scrubPii: false }] } },
  'snake case': { api: 'alpha2', body: { inputs: [{ messages: [{ of_user: { content: [{ text: 'snake' }] } }], scrub_pii: false }], tool_choice: 'none', tools: [weather] } },
  'no user': converse([{ ofSystem: { content: [{ text: 'Only a system message.' }] } }]),
  stream: { ...converse([user('a stream of words')]), stream: true },
  grpc: { ...converse([user('over gRPC')], { tools: [weather] }), grpc: true },
  'grpc stream': { ...converse([user('over gRPC, "streamed"')]), grpc: true, stream: true },
  alpha1: { api: 'alpha1', body: { inputs: [{ content: 'be kind', role: 'system' }, { content: 'first\n"version"', role: 'user', scrubPII: false }], temperature: 1 } },
  hostile: { ...converse([user(ALL)]), ...responding([{ text: escapedText(ALL) }]) },
  'hostile alpha1': { api: 'alpha1', body: { inputs: [{ content: ALL }] } },
  'hostile chat': chat([{ role: 'user', content: ALL }]),
  'hostile responses': responses(ALL),
  large: { ...converse([user('x "y" \n'.repeat(12_500))]), ...responding([{ text: 'z\n'.repeat(50_000) }]) },
  'tool calls': { ...converse([user('call')], { tools: [weather, time] }), ...responding([{ text: 'Both.' }, { tool_call: [{ name: 'get_weather', args: { city: 'a "b"', n: 1.5, yes: 'no', '- k': null }, id: 'id\'1' }, { name: 'get_time', args: {} }, { name: 'get_weather', raw_args: '{"a": 1e400, \n' }, { name: 'get_weather', raw_args: '{"n":12345678901234567890,"t":"{{ x }}"}' }] }]) },
  'strange tool': { ...converse([user('call')], { tools: [{ function: { name: 'a"b\'c: #\u0085{{ x }}', parameters: { 'x"y': [1, 1e21, true, null, { "'": '`' }] } } }] }), ...responding([{ tool_call: [{ name: 'not "offered"', args: { a: [] } }] }], { allow_unoffered: true }) },
  structured: { ...converse([user('json')], { responseFormat: { type: 'object' } }), ...responding([{ json: { b: [1, 2.5, { '': null }], a: 'x: "y"' } }]) },
  reasoning: { ...converse([user('think')]), ...responding({ reasoning: 'I {{ \'{{\' }} think.', messages: [{ text: 'Yes' }], finish_reason: 'length' }) },
  'empty answer': { ...converse([user('silence')]), ...responding([{ text: '' }]) },
  missing: { ...converse([user('missing')]), ...responding({ empty: 'choices' }) },
  error: { ...converse([user('fail')]), ...responding({ error: { code: 'RESOURCE_EXHAUSTED', message: 'busy: "{{ x }}"\n', retry_after: '1500ms' } }) },
  'error of a stream': { ...converse([user('fail')]), stream: true, ...responding({ error: { code: 'UNAVAILABLE' } }) },
  chat: chat([{ role: 'developer', content: 'd' }, { role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'image_url', image_url: { url: image } }, { type: 'text', text: 'this' }] }], { temperature: 0, seed: 7, unknown_key: { a: [1] }, metadata: { a: '"' } }),
  'chat with tools': chat([{ role: 'user', content: 'weather in Rome' }, { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'c1', content: 'warm' }], { tools: [{ type: 'function', ...weather }] }),
  'chat with attachments': chat([{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'A'.repeat(400), format: 'wav' } }, { type: 'file', file: { filename: 'a.pdf', file_data: image } }, { type: 'text', text: 'read' }] }]),
  'chat stream': { ...chat([{ role: 'user', content: 'one two' }], { stream: true, stream_options: { include_usage: true } }), stream: true },
  'chat json': { ...chat([{ role: 'user', content: 'json' }], { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } }), ...responding([{ json: { a: 1 } }]) },
  'chat error': { ...chat([{ role: 'user', content: 'fail' }]), ...responding({ error: { code: 'UNAVAILABLE', message: 'busy' } }) },
  'no messages': chat([]),
  responses: responses([{ role: 'user', content: [{ type: 'input_text', text: 'weather' }, { type: 'input_image', image_url: image }] }, { type: 'function_call', call_id: 'c', name: 'get_weather', arguments: '{"a":1}' }, { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'rain' }] }], { instructions: 'Be "kind".', tools: [{ type: 'function', ...weather.function }] }),
  'continued response': { ...responses('and then?', { instructions: 'Go on.' }), continues: 'Begin.' },
  'responses stream': { ...responses('stream me', { stream: true }), stream: true },
};

/** Adds a call for each hostile text, which is in the message, in the answer and in the arguments. */
for (const [at, text] of HOSTILE.entries()) {
  const call = { tool_call: [{ name: 'get_weather', raw_args: JSON.stringify({ [text]: text }) }] };
  CALLS[`text ${at}`] = { ...converse([user(text)], { tools: [weather] }), ...responding([{ text: escapedText(text) }, call]), isSmall: true };
}
