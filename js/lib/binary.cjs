'use strict';

// Finds the program mynah.

const { execFile } = require('node:child_process');
const { promisify } = require('node:util');

const { version: VERSION } = require('../package.json');

const INSTALL = 'install mynah with `npm install mynah-dapr` or `pip install mynah-dapr`';
const PACKAGE = `@mynah-dapr/${process.platform}-${process.arch}`;

/** Returns the path of the program in the package of this platform, if it is installed. */
function packaged() {
  const program = process.platform === 'win32' ? 'mynah.exe' : 'mynah';
  try {
    return require.resolve(`${PACKAGE}/bin/${program}`);
  } catch {
    return undefined;
  }
}

/** Says why the package of this platform has no program. */
function missing() {
  return `the package ${PACKAGE} is not installed; ${INSTALL}, without --omit=optional`;
}

/** Returns the program to start, which has the version of this package. */
async function find(option) {
  const [source, binary] = candidates(option).find(([, path]) => path);
  const version = await versionOf(source, binary);
  if (minor(version) !== minor(VERSION)) {
    const wanted = `mynah-dapr ${VERSION} needs ${minor(VERSION)}`;
    throw new Error(`${binary} has version "${version}", but ${wanted}; ${INSTALL}`);
  }
  return binary;
}

function candidates(option) {
  return [
    ['the option binary', option],
    ['MYNAH_BIN', process.env.MYNAH_BIN],
    [PACKAGE, packaged()],
    ['PATH', 'mynah'],
  ];
}

async function versionOf(source, binary) {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version']);
    return stdout.trim().replace(/^mynah /, '');
  } catch (error) {
    const isMissing = error.code === 'ENOENT' && source === 'PATH';
    if (isMissing) throw new Error(`neither the option binary nor MYNAH_BIN is set, and ${missing()}`);
    throw new Error(`${source}: ${binary} --version failed: ${error.message.trim()}; ${INSTALL}`);
  }
}

const minor = (version) => version.split('.').slice(0, 2).join('.');

module.exports = { INSTALL, find, missing, packaged };
