// A call as a test with Vitest.
import type { Entry } from "../entry";
import { answer } from "./answer";
import { expected, needsComponents, testNotes } from "./expected";
import { TYPESCRIPT, literal, singleQuoted } from "./literal";
import { match } from "./match";
import { isOpenAI, pathOf, requestOf } from "./request";
import { comments } from "./rules";

export function vitest(entry: Entry): string {
  const { respond, ...keys } = answer(entry);
  const options = Object.keys(keys).length > 0 ? `, ${literal(keys, TYPESCRIPT, "  ")}` : "";
  const args = needsComponents(entry) ? ", { args: ['--resources-path=components', '--stand-in=scripted'] }" : "";
  const conditions = match(entry);
  return `import { type Session, withMynah } from 'mynah-dapr';
import { expect, test } from 'vitest';

${comments(testNotes(entry), "//")}test('call ${entry.number}', withMynah(async (mynah) => {
  await mynah.when(${literal(conditions, TYPESCRIPT, "  ")}).respond(${literal(respond, TYPESCRIPT, "  ")}${options});
  // Call your application instead.
  await ask(mynah);
  await mynah.verify(${literal({ count: 1, ...conditions }, TYPESCRIPT, "  ")});
${assertions(entry)}}${args}));

${ask(entry)}`;
}

function assertions(entry: Entry): string {
  const { text, calls, code } = expected(entry);
  if (code) return `  expect((await mynah.lastCall()).error?.code).toBe(${singleQuoted(code)});\n`;
  const pairs = literal(calls.map(({ name, args }) => [name, args]), TYPESCRIPT, "  ");
  const ofCalls = calls.length > 0 ? `  expect(answer?.toolCalls.map((call) => [call.name, call.arguments])).toEqual(${pairs});\n` : "";
  return `  const { answer } = await mynah.lastCall();\n  expect(answer?.text).toBe(${singleQuoted(text)});\n${ofCalls}`;
}

function ask(entry: Entry): string {
  const token = "process.env.DAPR_API_TOKEN ?? ''";
  const headers = ["'content-type': 'application/json'", isOpenAI(entry) ? `authorization: \`Bearer \${${token}}\`` : `'dapr-api-token': ${token}`];
  if (entry.stream && !isOpenAI(entry)) headers.push("accept: 'text/event-stream'");
  return `/** Sends the request of the call. */
async function ask(mynah: Session): Promise<void> {
  const body = JSON.stringify(${literal(requestOf(entry).body, TYPESCRIPT, "  ")});
  const headers = { ${headers.join(", ")} };
  const response = await fetch(\`\${mynah.httpEndpoint}${pathOf(entry)}\`, { method: 'POST', headers, body });
  await response.text();
}
`;
}
