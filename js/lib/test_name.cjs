'use strict';

// The name of the test that runs, by which its session is known in recordings and in the journal.

/** Returns the name of a test, with those of its suites. `context` is what the runner passes to the test. */
function testName(context) {
  const name = ofVitest(context?.task) ?? ofNode(context) ?? ofJest();
  return typeof name === 'string' && name !== '' ? name : 'test';
}

function ofVitest(task) {
  if (typeof task?.name !== 'string') return undefined;
  const names = [];
  for (let one = task; one?.name; one = one.suite) names.unshift(one.name);
  return names.join(' > ');
}

/** Older versions know only the name of the test itself. */
const ofNode = (context) => context?.fullName ?? context?.name;

/** Jest passes nothing, but its `expect` knows the test. */
const ofJest = () => globalThis.expect?.getState?.().currentTestName;

module.exports = { testName };
