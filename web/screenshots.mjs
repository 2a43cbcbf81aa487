// Draws docs/images/inspector.png and docs/images/inspector-thread.png.
// MYNAH_BINARY is the mynah to start; CHROMIUM is the browser; playwright-core must be installed.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { reduceColors } from "./png.mjs";

const LIMIT = 150_000;
const images = new URL("../docs/images/", import.meta.url).pathname;

const RULES = `rules:
- name: refund
  match: {user: refund}
  respond: You have your money back within three days.
- name: order status
  match: {user: {matches: 'order (?<id>\\d+)'}}
  respond: Order {{ id }} is on its way.
- name: book a flight
  match: {user: flight}
  chain:
  - respond: [{tool_call: [{name: find_flights, args: {to: Lisbon, date: '2026-12-01'}}, {name: get_weather, args: {city: Lisbon}}]}]
  - respond: [{tool_call: [{name: book_flight, args: {flight: TP 571, seat: {row: 12, letter: A}}}]}]
  - respond: 'TP 571 to Lisbon is booked: Tuesday at 9:40, seat 12A.'
`;

const text = { type: "string" };
const tool = (name, description, properties, required = Object.keys(properties)) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties, required } },
});
const seat = { type: "object", properties: { row: { type: "integer" }, letter: text } };
const TOOLS = [
  tool("find_flights", "Finds flights", { to: text, date: { type: "string", format: "date" } }),
  tool("get_weather", "Returns the weather in a city", { city: { ...text, description: "Name of the city" } }),
  tool("book_flight", "Books a flight", { flight: text, seat }, ["flight"]),
];
const RESULTS = {
  find_flights: JSON.stringify({ flights: [{ id: "TP 571", price: 129.5, direct: true }] }),
  get_weather: "Sunny, 18 degrees",
  book_flight: JSON.stringify({ booked: true, seat: "12A" }),
};

async function start(folder) {
  const addresses = join(folder, "addresses.json");
  await writeFile(join(folder, "rules.yaml"), RULES);
  const flags = ["--rules", "rules.yaml", "--addresses-file", addresses, "--dapr-http-port", "0", "--dapr-grpc-port", "0"];
  const child = spawn(process.env.MYNAH_BINARY, [...flags, "--enable-metrics=false"], { stdio: "ignore", cwd: folder });
  for (let tries = 0; tries < 200; tries++) {
    const written = await readFile(addresses, "utf8").catch(() => "");
    if (written) return { child, url: `http://${JSON.parse(written).http}` };
    await sleep(50);
  }
  throw new Error("mynah did not start");
}

const post = (url, session, body) =>
  fetch(url, { method: "POST", headers: { "mynah-session": session, "content-type": "application/json" }, body: JSON.stringify(body) });

const chat = (url, session, messages, tools) =>
  post(`${url}/v1/chat/completions`, session, { model: "echo", messages, tools }).then((response) => response.json());

const converse = (url, session, message, tools) =>
  post(`${url}/v1.0-alpha2/conversation/echo/converse`, session, {
    inputs: [{ messages: [{ ofUser: { content: [{ text: message }] } }] }],
    tools: tools?.map(({ function: inner }) => ({ function: inner })),
  });

/** An agent, as an application runs it: it retries once, and its tools take some time. */
async function agent(url) {
  const fault = { session: "travel agent", fail_first: 1, error: { code: "UNAVAILABLE", message: "busy", retry_after: "300ms" } };
  await fetch(`${url}/mynah/v1/faults`, { method: "PUT", body: JSON.stringify(fault) });
  const messages = [
    { role: "system", content: "You book flights." },
    { role: "user", content: "Please book me a flight to Lisbon on Tuesday, if it is warm there." },
  ];
  await chat(url, "travel agent", messages, TOOLS);
  await sleep(310);
  for (let turn = 0; turn < 4; turn++) {
    const { choices } = await chat(url, "travel agent", messages, TOOLS);
    messages.push(choices[0].message);
    const calls = choices[0].message.tool_calls ?? [];
    if (calls.length === 0) return;
    await sleep(240 + turn * 330);
    for (const { id, function: { name } } of calls) messages.push({ role: "tool", tool_call_id: id, content: RESULTS[name] });
  }
}

async function makeCalls(url) {
  await converse(url, "checkout", "I would like a refund for my shoes.");
  await chat(url, "checkout", [{ role: "user", content: "Where is order 1742?" }]);
  await converse(url, "weather test", "Will it rain in Oslo tomorrow, and where is my parcel?", [TOOLS[1]]);
  await post(`${url}/v1/responses`, "summary", { input: "Summarize: mynah answers like a model.", instructions: "Be brief." });
  await post(`${url}/v1.0-alpha1/conversation/echo/converse`, "default", { inputs: [{ content: "مرحبا, is this <b>bold</b>?", role: "user" }] });
  await agent(url);
  await converse(url, "checkout", "How do I get a refund?");
}

async function draw({ page, decoder, url }, row, tab, name) {
  await page.goto(`${url}/mynah/`);
  await page.getByRole("row").filter({ hasText: row }).first().click();
  await page.getByRole("link", { name: tab, exact: true }).click();
  await page.mouse.move(0, 0);
  await sleep(500);
  const image = await reduceColors(decoder, await page.screenshot());
  if (image.length > LIMIT) throw new Error(`${name} has ${image.length} bytes; expected at most ${LIMIT}`);
  await writeFile(join(images, name), image);
}

const folder = await mkdtemp(join(tmpdir(), "mynah-"));
const { child, url } = await start(folder);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-lcd-text"] });
try {
  await makeCalls(url);
  const page = await browser.newPage({ viewport: { width: 1440, height: 820 } });
  const decoder = await browser.newPage();
  await draw({ page, decoder, url }, "book_flight(", "Conversation", "inspector.png");
  await draw({ page, decoder, url }, "TP 571 to Lisbon is booked", "Thread", "inspector-thread.png");
} finally {
  await browser.close();
  child.kill();
  await rm(folder, { recursive: true, force: true });
}
