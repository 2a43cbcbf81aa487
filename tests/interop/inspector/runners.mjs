// Runs tests and programs in several languages.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { MYNAH, REPOSITORY, run, scratch } from './mynah.mjs';

const PYTHON = process.env.PYTHON ?? 'python3';
const PACKAGES = process.env.NODE_MODULES ?? join(REPOSITORY, 'tests/interop/inspector/node_modules');

/** The variables of a test, which starts its own mynah. */
const own = { ...process.env, MYNAH_BIN: MYNAH, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

/** The variables of a client of a mynah. */
function at(mynah) {
  const port = (address) => address.split(':').at(-1);
  return { ...own, DAPR_GRPC_PORT: port(mynah.grpc), DAPR_HTTP_PORT: port(mynah.http), DAPR_HEALTH_TIMEOUT: '5', DAPR_API_TOKEN: mynah.token ?? '' };
}

async function succeeds(program, args, options) {
  const { code, output } = await run(program, args, options);
  assert.equal(code, 0, output.slice(-6000));
  return output;
}

/** Runs a script. A client may fail, because the call does. */
export async function script(text, mynah) {
  const { GRPCURL } = process.env;
  const path = GRPCURL ? `${join(GRPCURL, '..')}:${process.env.PATH}` : process.env.PATH;
  await run('bash', ['-s'], { input: text, env: { ...at(mynah), PATH: path } });
}

export async function pytest(folder, count) {
  const flags = ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', folder];
  const output = await succeeds(PYTHON, flags, { env: own, cwd: folder });
  assert.match(output, new RegExp(`^${count} passed`, 'm'));
}

/** Runs tests next to a copy of the package, which they import by its name. */
export async function vitest(copies, count) {
  const folder = scratch('vitest');
  cpSync(join(REPOSITORY, 'js'), folder, { recursive: true, filter: (path) => !/\/(test|node_modules)$/.test(path) });
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  for (const { at, text } of copies) writeFileSync(join(folder, `call_${at}.test.ts`), text);
  const args = [join(PACKAGES, 'vitest/vitest.mjs'), 'run', '--root', folder, '--pool=threads', '--poolOptions.threads.singleThread', '--no-isolate'];
  const output = await succeeds(process.execPath, args, { env: { ...own, NO_COLOR: '1' }, cwd: folder });
  assert.match(output, new RegExp(`Tests +${count} passed`));
}

/** Returns a copy of the module of the tests of the helper, in which each text has a package. */
function module(copies, file) {
  const folder = scratch('go');
  for (const name of ['go.mod', 'go.sum']) {
    cpSync(join(REPOSITORY, 'tests/interop/go_helper', name), join(folder, name));
  }
  for (const { at, text } of copies) {
    mkdirSync(join(folder, `call${at}`));
    writeFileSync(join(folder, `call${at}`, file), text);
  }
  return folder;
}

const replaced = ['mod', 'edit', `-replace=github.com/mynah-dapr/mynah/go=${join(REPOSITORY, 'go')}`];

export async function goTests(copies) {
  const cwd = module(copies, 'call_test.go');
  await succeeds('go', replaced, { cwd });
  await succeeds('go', ['test', '-count=1', './...'], { cwd, env: own });
}

export async function goPrograms(copies, mynah) {
  const cwd = module(copies, 'main.go');
  await succeeds('go', replaced, { cwd });
  mkdirSync(join(cwd, 'bin'));
  await succeeds('go', ['build', '-mod=mod', '-o', 'bin/', './...'], { cwd });
  for (const { at: number } of copies) await run(join(cwd, 'bin', `call${number}`), [], { env: at(mynah) });
}

/** Runs programs in one process, because the imports take long. Clients may fail, because calls do. */
const RUN_ALL = `
import runpy, sys, traceback
for file in sys.argv[1:]:
    try:
        runpy.run_path(file)
    except Exception as error:
        if not hasattr(error, 'status_code') and type(error).__name__ != 'DaprGrpcError':
            traceback.print_exc()
            sys.exit(file)
`;

export async function pythonPrograms(files, mynah) {
  await succeeds(PYTHON, ['-B', '-c', RUN_ALL, ...files], { env: at(mynah) });
}
