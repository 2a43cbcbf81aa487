'use strict';

// Starts mynah and calls its control API.

const { spawn } = require('node:child_process');
const { mkdtemp, readFile, rm } = require('node:fs/promises');
const http = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { INSTALL, find } = require('./binary.cjs');

const START_TIMEOUT_MS = 30_000;
const FLAGS = ['--dapr-grpc-port=0', '--dapr-http-port=0', '--enable-metrics=false', '--exit-on-stdin-close'];

/** Returns the arguments of mynah with those of recordings. */
function flags({ args = [], record, replay }) {
  const all = [...args];
  if (replay) all.push(`--replay=${replay}`);
  if (!record) return all;
  if (!all.some((arg) => /^--upstream(=|$)/.test(arg))) all.push('--upstream=openai');
  return [...all, `--record=${record}`];
}

/** A running mynah. It stops when this process ends, because that closes its standard input. */
class Server {
  static async start(options = {}) {
    const program = await find(options.binary);
    const folder = await mkdtemp(join(tmpdir(), 'mynah-'));
    const file = join(folder, 'addresses.json');
    try {
      const server = new Server(program, [...flags(options), ...FLAGS, `--addresses-file=${file}`]);
      server.address = (await server.addresses(file)).http;
      return server;
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  constructor(program, args) {
    this.log = '';
    this.agent = new http.Agent({ keepAlive: true });
    this.child = spawn(program, args);
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => resolve(`${program} cannot be started: ${error.message}; ${INSTALL}`));
      this.child.on('close', (code, signal) => resolve(`mynah has ended with ${signal ?? `exit code ${code}`}`));
    });
    this.ended.then((reason) => (this.hasEnded = reason));
    this.child.stdin.on('error', () => {}); // mynah has ended
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.log += text));
    }
    // A mynah that runs does not keep this process alive.
    [this.child, this.child.stdin, this.child.stdout, this.child.stderr].forEach((it) => it.unref());
  }

  /** Waits for the file with the addresses, which mynah writes as soon as it serves. */
  async addresses(file) {
    const end = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text) return JSON.parse(text);
      if (this.hasEnded) throw new Error(`mynah did not start: ${this.hasEnded}\n${this.log}`);
      if (Date.now() > end) {
        this.child.kill();
        throw new Error(`mynah did not serve within ${START_TIMEOUT_MS} ms\n${this.log}`);
      }
      await sleep(1);
    }
  }

  /** Stops mynah and waits for its end. */
  async stop() {
    this.agent.destroy();
    this.child.ref();
    this.child.stdin.end();
    await this.ended;
  }

  /** Calls the control API. Returns the JSON of the answer, or throws its error. */
  async request(method, path, body) {
    const { status, text } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status}: ${text}`);
    return text && JSON.parse(text);
  }

  /** Calls the control API. A text is sent as it is, and everything else as JSON. */
  send(method, path, body) {
    const data = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'dapr-api-token': process.env.DAPR_API_TOKEN ?? '' };
    return new Promise((resolve, reject) => {
      const fail = (error) => reject(new Error(`mynah does not answer: ${error.message}\n${this.log}`));
      const answered = async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, text });
      };
      const url = `http://${this.address}/mynah/v1${path}`;
      const request = http.request(url, { method, headers, agent: this.agent });
      request.on('error', fail).on('response', (response) => answered(response).catch(fail)).end(data);
    });
  }
}

module.exports = { Server };
