'use strict';

const { Server } = require('./process.cjs');
const { toolCall } = require('./rules.cjs');
const { Session } = require('./session.cjs');
const { testName } = require('./test_name.cjs');

/** The mynah of each set of options in this process, for `withMynah`. */
const started = new Map();
/** The names of the sessions that are open, with their options. */
const open = new Set();

async function startMynah(options) {
  const server = await Server.start(options);
  return {
    session: (name) => Session.open(server, name),
    stop: () => server.stop(),
    get log() {
      return server.log;
    },
  };
}

function withMynah(test, options = {}) {
  // No parameters: Jest would pass a callback to a function that has one.
  return async function testWithMynah() {
    const key = JSON.stringify(options);
    if (!started.has(key)) started.set(key, startMynah(options));
    const mynah = await started.get(key);
    const name = unused(testName(arguments[0]), key);
    try {
      await run(test, await mynah.session(name), arguments, options);
    } finally {
      open.delete(key + name);
    }
  };
}

/** Returns a name that no open session has. Tests may have the same name, and none if a function calls them. */
function unused(name, key) {
  let free = name;
  for (let number = 2; open.has(key + free); number++) free = `${name} (${number})`;
  open.add(key + free);
  return free;
}

async function run(test, session, context, options) {
  try {
    await test(session, ...context);
    if (options.replay) await session.verifyRecorded();
  } catch (error) {
    console.error(await session.report().catch(String));
    await session.close().catch(() => {}); // the error of the test says more
    throw error;
  }
  await session.close();
}

async function stopStarted() {
  const all = [...started.values()];
  started.clear();
  await Promise.allSettled(all.map(async (mynah) => (await mynah).stop()));
}

// Jest runs several files in one process, and each of them loads this package.
if (typeof globalThis.afterAll === 'function') {
  try {
    globalThis.afterAll(stopStarted);
  } catch {
    // A test has loaded the package, and cannot add hooks.
  }
}

module.exports = { startMynah, toolCall, withMynah };
