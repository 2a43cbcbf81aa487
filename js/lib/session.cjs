'use strict';

// The session of one test.

const { AssertionError } = require('node:assert');
const { readFile } = require('node:fs/promises');

const { call } = require('./calls.cjs');
const { Rule, match, snakeKeys } = require('./rules.cjs');

/** The session whose addresses are in the variables. */
let inEnv;

class Session {
  #server;
  #name;
  #path;
  #query;
  #rules = 0;
  #sent = Promise.resolve();
  #clients = [];
  #saved;
  #logFrom;

  static async open(server, name) {
    const path = `/sessions/${encodeURIComponent(name)}`;
    const { session: shortened, grpc, http } = await server.request('PUT', path);
    const session = new Session(server, shortened);
    return Object.assign(session, {
      grpcAddress: grpc,
      httpAddress: http,
      httpEndpoint: `http://${http}`,
      openaiBaseUrl: `http://${http}/v1`,
    });
  }

  constructor(server, name) {
    this.#server = server;
    this.#name = name;
    this.#path = `/sessions/${encodeURIComponent(name)}`;
    this.#query = `session=${encodeURIComponent(name)}`;
    this.#logFrom = server.log.length;
  }

  get name() {
    return this.#name;
  }

  async client(options = {}) {
    const { DaprClient, CommunicationProtocolEnum } = sdk();
    const communicationProtocol = options.communicationProtocol ?? CommunicationProtocolEnum.GRPC;
    const isGrpc = communicationProtocol === CommunicationProtocolEnum.GRPC;
    const { hostname: daprHost, port: daprPort } = new URL(`http://${isGrpc ? this.grpcAddress : this.httpAddress}`);
    const client = new DaprClient({ daprHost, daprPort, communicationProtocol, ...options });
    this.#clients.push(client);
    return client;
  }

  env() {
    const { hostname, port } = new URL(`http://${this.grpcAddress}`);
    return {
      DAPR_GRPC_ENDPOINT: `http://${this.grpcAddress}`,
      DAPR_HTTP_ENDPOINT: this.httpEndpoint,
      DAPR_GRPC_PORT: port,
      DAPR_HTTP_PORT: new URL(this.httpEndpoint).port,
      DAPR_RUNTIME_HOST: hostname,
    };
  }

  useEnv() {
    if (inEnv && inEnv !== this) {
      const reason = `the variables already point at the session ${inEnv.#name}`;
      throw new Error(`${reason}; tests that run at the same time need the addresses or client() instead`);
    }
    const variables = this.env();
    this.#saved ??= Object.keys(variables).map((name) => [name, process.env[name]]);
    inEnv = this;
    Object.assign(process.env, variables);
  }

  #restoreEnv() {
    for (const [name, value] of this.#saved ?? []) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    this.#saved = undefined;
    if (inEnv === this) inEnv = undefined;
  }

  when(conditions = {}) {
    const add = (rule) => {
      const name = `${++this.#rules}: ${JSON.stringify(rule.match)}`.slice(0, 100);
      return this.#add({ rules: [{ name, ...rule }] });
    };
    return new Rule(add, conditions);
  }

  async rules(file) {
    await this.#add(await readFile(file, 'utf8'));
  }

  /** Adds rules after those before. */
  #add(rules) {
    const send = () => this.#server.request('POST', `/rules?${this.#query}`, rules);
    this.#sent = this.#sent.then(send, send);
    return this.#sent.then(() => undefined);
  }

  async calls() {
    const { entries } = await this.#server.request('GET', `/journal?limit=10000&normalized=true&${this.#query}`);
    return entries.map(call);
  }

  async lastCall() {
    const last = (await this.calls()).at(-1);
    if (!last) throw new AssertionError({ message: 'no call of the model has ended in this test' });
    return last;
  }

  async verify(checks = {}) {
    await this.#check(checks, this.verify);
  }

  async verifyRecorded() {
    await this.#check({ recorded: true }, this.verifyRecorded);
  }

  async #check(checks, stackStartFn) {
    const { count, unused, noUnmatched, recorded, waiting, outcome, since, scrubbed, wait = '1s', ...conditions } = checks;
    const counted = typeof count === 'object' ? snakeKeys(count) : count;
    const options = snakeKeys({ unused, noUnmatched, recorded, waiting, outcome, since, scrubbed, wait });
    const body = { session: this.#name, count: counted, ...options };
    if (Object.keys(conditions).length || count !== undefined) body.match = match(conditions);
    const { status, text } = await this.#server.send('POST', '/verify', body);
    if (status === 409) throw new AssertionError({ message: JSON.parse(text).report, stackStartFn });
    if (status !== 200) throw new Error(`verify: ${text}`);
  }

  async verdict() {
    const { gave_up: gaveUp, ...verdict } = await this.#server.request('GET', `/verdict?${this.#query}`);
    return { ...verdict, gaveUp };
  }

  async fault({ error, ...fault }) {
    const body = { session: this.#name, ...snakeKeys(fault), error: error && snakeKeys(error) };
    await this.#server.request('PUT', '/faults', body);
  }

  async endWaits() {
    await this.#server.request('DELETE', `/faults?${this.#query}`);
  }

  async forgetFailed() {
    await this.#server.request('DELETE', `/journal?outcome=failed&${this.#query}`);
  }

  async report() {
    const { text } = await this.#server.send('GET', `/report?${this.#query}`);
    const log = this.#server.log.slice(this.#logFrom);
    return log ? `${text}\nlog of mynah:\n${log}` : text;
  }

  async close() {
    this.#restoreEnv();
    await Promise.all(this.#clients.splice(0).map((client) => client.stop()));
    // The reset ends the calls that wait, for which the end of the session would wait.
    await this.#server.request('POST', `/reset?${this.#query}`);
    await this.#server.request('DELETE', this.#path);
  }
}

function sdk() {
  try {
    return require('@dapr/dapr');
  } catch (error) {
    throw new Error('client() needs Dapr\'s SDK; install it with `npm install @dapr/dapr`', { cause: error });
  }
}

module.exports = { Session };
