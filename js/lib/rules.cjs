'use strict';

// The rules that a test says.

const { readFile } = require('node:fs/promises');

// The characters that YAML does not allow. JSON allows those from U+007F on.
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns a rule as an item of a YAML list. */
function item(rule) {
  return `- ${JSON.stringify(rule).replace(UNPRINTABLE, escaped)}\n`;
}

const snake = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns an object with its keys as in mynah's files. */
function snakeKeys(object) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [snake(key), value]));
}

/** Returns conditions as `match` of a rule. */
function match({ toolResult, ...conditions }) {
  return snakeKeys(toolResult === undefined ? conditions : { ...conditions, lastToolResult: toolResult });
}

/** Returns an answer that calls a tool. */
function toolCall(name, args = {}) {
  return [{ tool_call: [{ name, args }] }];
}

/** A rule without an answer. It is added with its answer. */
class Rule {
  #add;
  #match;

  constructor(add, conditions) {
    this.#add = add;
    this.#match = match(conditions);
  }

  respond(answer, options) {
    return this.#say({ respond: answer }, options);
  }

  callTool(name, args, options) {
    return this.#say({ respond: toolCall(name, args) }, options);
  }

  fails(code, options) {
    return this.#say({ respond: { error: { code } } }, options);
  }

  chain(answers, options) {
    return this.#say({ chain: answers }, options);
  }

  sequence(answers, options) {
    return this.#say({ sequence: answers }, options);
  }

  #say(answer, options = {}) {
    return this.#add({ match: this.#match, ...answer, ...snakeKeys(options) });
  }
}

/** Returns the rules of a file as the items of a YAML list without indentation. */
async function itemsOf(file) {
  const text = await readFile(file, 'utf8');
  const items = jsonItems(text) ?? yamlItems(text);
  if (items) return items;
  const expected = 'JSON, or YAML with a line `rules:` above lines that begin with `-`';
  throw new Error(`${file}: no rules found; expected ${expected}`);
}

function jsonItems(text) {
  try {
    return JSON.parse(text).rules.map(item).join('');
  } catch {
    return undefined;
  }
}

function yamlItems(text) {
  const list = /^rules:[ \t]*(?:#.*)?\r?\n((?:(?:[ \t#-].*)?\r?(?:\n|$(?![^])))*)/m.exec(text)?.[1];
  const indentation = /^( *)- /m.exec(list ?? '')?.[1].length;
  if (indentation === undefined) return undefined;
  return `${list.replace(new RegExp(`^ {0,${indentation}}`, 'gm'), '')}\n`;
}

module.exports = { Rule, item, itemsOf, match, snakeKeys, toolCall };
