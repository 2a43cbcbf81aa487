'use strict';

// The name of the test that runs, by which its session is known in recordings and in the journal.

const { relative, sep } = require('node:path');

/** Returns the file and the name of a test, with its suites. `context` is what the runner passes to the test. */
function testName(context) {
  const { file, name } = [ofVitest(context?.task), ofJest(), ofNode(context)].find((it) => it?.name) ?? {};
  return [file, typeof name === 'string' ? name : 'test'].filter(Boolean).join(' > ');
}

function ofVitest(task) {
  if (typeof task?.name !== 'string') return undefined;
  const names = [];
  for (let one = task; one?.name; one = one.suite) names.unshift(one.name);
  return { file: task.file?.name, name: names.join(' > ') };
}

/** Jest passes nothing, or the row of a table, but its `expect` knows the test. */
function ofJest() {
  const { testPath, currentTestName } = globalThis.expect?.getState?.() ?? {};
  return { file: shown(testPath), name: currentTestName };
}

/** Older versions know only the name of the test itself, and run each file in a process of its own. */
function ofNode(context) {
  return { file: shown(context?.filePath ?? process.argv[1]), name: context?.fullName ?? context?.name };
}

/** Returns a path as Vitest and Jest show it. */
function shown(path) {
  return path && relative(process.cwd(), path).split(sep).join('/');
}

module.exports = { testName };
