'use strict';

const { Server } = require('./process.cjs');
const { toolCall } = require('./rules.cjs');
const { Session } = require('./session.cjs');

/** The mynah of each set of options in this process, for `withMynah`. */
const started = new Map();
let count = 0;

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
    const session = await mynah.session(`test ${++count}`);
    try {
      await test(session, ...arguments);
      if (options.replay) await session.verifyRecorded();
    } catch (error) {
      console.error(await session.report().catch(String));
      await session.close().catch(() => {}); // the error of the test says more
      throw error;
    }
    await session.close();
  };
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
