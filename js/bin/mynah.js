#!/usr/bin/env node
// Runs the program mynah, which is in the package of the platform.

import { spawn } from 'node:child_process';

import binaries from '../lib/binary.cjs';

const binary = binaries.packaged();
if (!binary) {
  console.error(`mynah: ${binaries.missing()}`);
  process.exit(1);
}
const mynah = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
const forward = (signal) => mynah.kill(signal);
signals.forEach((signal) => process.on(signal, forward));
mynah.on('error', (error) => {
  console.error(`mynah: ${binary} cannot be started: ${error.message}`);
  process.exitCode = 1;
});
mynah.on('exit', (code, signal) => {
  signals.forEach((name) => process.off(name, forward));
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code;
});
