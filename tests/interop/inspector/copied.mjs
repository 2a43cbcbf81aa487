// The copies of all calls.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildSync } from 'esbuild';

import { CALLS } from './calls.mjs';
import { Mynah, REPOSITORY, scratch } from './mynah.mjs';
import { make } from './send.mjs';

/** Returns the function that writes copies. */
export async function writer() {
  const { outputFiles } = buildSync({ entryPoints: [join(REPOSITORY, 'web/src/copy/index.ts')], bundle: true, format: 'esm', write: false });
  const file = join(scratch('copies'), 'copies.mjs');
  writeFileSync(file, outputFiles[0].text);
  return (await import(file)).copies;
}

/** Calls that cannot be made by some clients, and why. */
const OMITTED = {
  python: {
    stream: 'no streams', 'grpc stream': 'no streams', 'error of a stream': 'no streams',
    'snake case': '', missing: 'the SDK expects choices', 'strange tool': 'the SDK changes schemas',
  },
};

export class Copied {
  static async all() {
    const [mynah, write] = [await Mynah.start(), await writer()];
    const made = [];
    for (const [at, [name, call]] of Object.entries(CALLS).entries()) {
      const entry = await make(mynah, `call ${at}`, call);
      made.push({ at, name, call, entry });
    }
    return new Copied(mynah, write, made);
  }

  constructor(mynah, write, made) {
    Object.assign(this, { mynah, write, made });
  }

  /** Returns the copies with an id. Programs send to the session of the copy. */
  of(id) {
    return this.made.flatMap(({ at, name, call, entry }) => {
      if (OMITTED[id]?.[name] !== undefined) return [];
      const session = name === 'plain' ? `größe ${id}` : `again ${at} ${id}`;
      const copy = this.write(entry, { origin: this.mynah.origin, session }).find((it) => it.id === id);
      return copy ? [{ at, name, call, entry, session, text: copy.text }] : [];
    });
  }

  /** Returns what a rule copies of a call: the conditions and the answer. */
  ruleOf(entry) {
    if (!entry) return 'no call';
    const { text } = this.write({ ...entry, number: 1 }, { origin: '' }).find(({ id }) => id === 'rule');
    return text.replace(/^#.*\n/gm, '');
  }
}
