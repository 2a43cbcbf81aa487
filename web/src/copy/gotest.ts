// A call as a test with Go.
import type { Entry } from "../entry";
import { answer } from "./answer";
import { expected, needsComponents, testNotes } from "./expected";
import { GO, literal } from "./literal";
import { match } from "./match";
import { isOpenAI, pathOf, requestOf } from "./request";
import { comments } from "./rules";
import { json, quote } from "./text";

const IMPORTS = ["io", "net/http", "os", "strings", "testing"];

export function gotest(entry: Entry): string {
  const { respond, ...keys } = answer(entry);
  const others = Object.entries(keys).map(([key, value]) => `.With(${quote(key)}, ${literal(value, GO)})`).join("");
  return `package app_test

import (
${IMPORTS.map((name) => `\t"${name}"\n`).join("")}
	"github.com/mynah-dapr/mynah/go/mynahtest"
)

${comments(testNotes(entry), "//")}func TestCall${entry.number}(t *testing.T) {
	m := mynahtest.Start(t${needsComponents(entry) ? ', mynahtest.Args("--resources-path=components", "--stand-in=scripted")' : ""})
	m.When(
${conditions(entry)}	)${others}.Respond(${literal(respond, GO, "\t")})
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
