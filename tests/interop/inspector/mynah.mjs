// Starts mynah and calls its APIs.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const MYNAH = process.env.MYNAH_BIN ?? 'mynah';
export const REPOSITORY = process.env.REPOSITORY ?? new URL('../../../', import.meta.url).pathname;

export const scratch = (name) => mkdtempSync(join(tmpdir(), `mynah-${name}-`));

/** A running mynah, which stops with this process. */
export class Mynah {
  static async start(args = [], env = {}) {
    const file = join(scratch('addresses'), 'addresses.json');
    const ports = args.some((arg) => arg.startsWith('--dapr-http-port')) ? [] : ['--dapr-http-port=0'];
    const flags = ['--dapr-grpc-port=0', ...ports, '--enable-metrics=false', '--exit-on-stdin-close', `--addresses-file=${file}`];
    const child = spawn(MYNAH, [...args, ...flags], { stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, ...env } });
    const mynah = new Mynah(child);
    child.stderr.setEncoding('utf8').on('data', (text) => (mynah.log += text));
    while (!existsSync(file)) {
      if (child.exitCode !== null) throw new Error(`mynah has ended: ${mynah.log}`);
      await sleep(5);
    }
    return Object.assign(mynah, JSON.parse(readFileSync(file, 'utf8')), { token: env.DAPR_API_TOKEN });
  }

  constructor(child) {
    this.child = child;
    this.log = '';
    this.ended = new Promise((resolve) => child.on('close', resolve));
  }

  get origin() {
    return `http://${this.http}`;
  }

  async stop() {
    this.child.stdin.end();
    await this.ended;
  }

  /** Sends a request. A text is sent as it is, and everything else as JSON. */
  async send(method, path, body, headers = {}) {
    const data = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const token = this.token ? { 'dapr-api-token': this.token } : {};
    const response = await fetch(this.origin + path, { method, body: data, headers: { ...token, ...headers } });
    return { status: response.status, text: await response.text() };
  }

  async control(method, path, body) {
    const { status, text } = await this.send(method, `/mynah/v1${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status}: ${text}`);
    return text && JSON.parse(text);
  }

  /** Returns the last call of a session. */
  async lastCall(session) {
    await this.control('POST', '/verify', { session, match: {}, wait: '2s' }).catch(() => undefined);
    const { entries } = await this.control('GET', `/journal?limit=10000&session=${encodeURIComponent(session)}`);
    return entries.at(-1);
  }

  setRules(session, rules) {
    const text = typeof rules === 'string' ? rules : JSON.stringify({ rules }).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
    return this.control('PUT', `/rules?session=${encodeURIComponent(session)}`, text);
  }

  removeRules(session) {
    return this.control('DELETE', `/rules?session=${encodeURIComponent(session)}`);
  }
}

const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Runs a command. Returns its exit code and its output. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const { input = '', ...others } = options;
    const child = spawn(program, args, others);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}
