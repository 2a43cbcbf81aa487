'use strict';

// The rules that a test says.

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

module.exports = { Rule, match, snakeKeys, toolCall };
