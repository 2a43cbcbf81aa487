// A call as a test with Go.
import type { Entry } from "../entry";
import { answer } from "./answer";
import { expected, needsComponents, testNotes } from "./expected";
import { Code, GO, literal } from "./literal";
import { match } from "./match";
import { isOpenAI, pathOf, requestOf } from "./request";
import { comments } from "./rules";
import { json, quote } from "./text";

const IMPORTS = ["io", "net/http", "os", "strings", "testing"];

/** Keeps the order of keys that the client sees, because maps have none. */
function ordered(value: unknown, isShown = false): unknown {
  if (Array.isArray(value)) return value.map((item) => ordered(item, isShown));
  if (typeof value !== "object" || value === null) return value;
  if (isShown && !isSorted(value)) return new Code(`json.RawMessage(${raw(json(value))})`);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ordered(inner, isShown || key === "args" || key === "json")]));
}

function isSorted(value: object): boolean {
  const keys = Object.keys(value);
  return keys.every((key, at) => at === 0 || keys[at - 1]! < key) && Object.values(value).every((it) => typeof it !== "object" || it === null || isSorted(it));
}

export function gotest(entry: Entry): string {
  const { respond, ...keys } = answer(entry);
  const given = literal(ordered(respond), GO, "\t");
  const imports = given.includes("json.RawMessage(") ? ["encoding/json", ...IMPORTS] : IMPORTS;
  const others = Object.entries(keys).map(([key, value]) => `.With(${quote(key)}, ${literal(value, GO)})`).join("");
  return `package app_test

import (
${imports.map((name) => `\t"${name}"\n`).join("")}
	"github.com/mynah-dapr/mynah/go/mynahtest"
)

${comments(testNotes(entry), "//")}func TestCall${entry.number}(t *testing.T) {
	m := mynahtest.Start(t${needsComponents(entry) ? ', mynahtest.Args("--resources-path=components", "--stand-in=scripted")' : ""})
	m.When(
${conditions(entry)}	)${others}.Respond(${given})
	// Call your application instead.
	ask(t, m)
	m.Verify(
		mynahtest.Count(1),
${conditions(entry)}	)
${assertions(entry)}}

${ask(entry)}`;
}

function conditions(entry: Entry): string {
  const all = Object.entries(match(entry));
  return all.map(([key, value]) => `\t\tmynahtest.Match(${quote(key)}, ${literal(value, GO, "\t\t")}),\n`).join("");
}

function assertions(entry: Entry): string {
  const { text, calls, code } = expected(entry);
  const check = (got: string, want: string) => `\tif got := ${got}; got != ${want} {\n\t\tt.Errorf("got %q", got)\n\t}\n`;
  if (code) return check("m.LastCall().Error.Code", quote(code));
  const each = calls.flatMap(({ name, args }, at) => [
    check(`answer.ToolCalls[${at}].Name`, quote(name)),
    check(`answer.ToolCalls[${at}].Arguments`, quote(args)),
  ]);
  return `\tanswer := m.LastCall().Answer\n${check("answer.Text", quote(text))}${each.join("")}`;
}

function ask(entry: Entry): string {
  const token = 'os.Getenv("DAPR_API_TOKEN")';
  const accept = entry.stream && !isOpenAI(entry) ? '\trequest.Header.Set("Accept", "text/event-stream")\n' : "";
  const header = isOpenAI(entry) ? `"Authorization", "Bearer "+${token}` : `"dapr-api-token", ${token}`;
  return `// ask sends the request of the call.
func ask(t *testing.T, m *mynahtest.Mynah) {
	t.Helper()
	const body = ${raw(json(requestOf(entry).body, 2))}
	request, err := http.NewRequest("POST", "http://"+m.HTTPAddr+${quote(pathOf(entry))}, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(${header})
${accept}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err != nil {
		t.Fatal(err)
	}
}
`;
}

/** Returns JSON as a raw literal, in which the JSON has no backquotes. */
export function raw(text: string): string {
  return `\`${text.replaceAll("`", "\\u0060")}\``;
}
