// A call as a test with pytest.
import type { Entry } from "../entry";
import { answer } from "./answer";
import { expected, needsComponents, testNotes } from "./expected";
import { PYTHON, keywords, literal, singleQuoted } from "./literal";
import { match } from "./match";
import { isOpenAI, pathOf, requestOf } from "./request";
import { comments } from "./rules";

export function pytest(entry: Entry): string {
  const { code } = expected(entry);
  const { respond, ...keys } = answer(entry);
  return `${imports(code !== undefined)}
# The fixture mynah comes from its plugin for pytest: pip install mynah-dapr
${notes(entry)}def test_call_${entry.number}(mynah):
    mynah.when(
${keywords(match(entry), " ".repeat(8))}    ).respond(
        ${literal(respond, PYTHON, " ".repeat(8))},
${keywords(keys, " ".repeat(8))}    )
    # Call your application instead.
    ask(mynah)
    mynah.verify(
        count=1,
${keywords(match(entry), " ".repeat(8))}    )
${assertions(entry)}

def ask(mynah):
${ask(entry, code !== undefined)}`;
}

function imports(fails: boolean): string {
  const names = ["import json", "import os"];
  if (!fails) return `${names.join("\n")}\nfrom urllib.request import Request, urlopen\n\n`;
  return `${names.join("\n")}\nfrom urllib.error import HTTPError\nfrom urllib.request import Request, urlopen\n\nimport pytest\n\n`;
}

function notes(entry: Entry): string {
  const components = "The setting mynah_args of pytest must name the component, as in --resources-path=components --stand-in=scripted.";
  return comments([...testNotes(entry), ...(needsComponents(entry) ? [components] : [])]);
}

function assertions(entry: Entry): string {
  const { text, calls, code } = expected(entry);
  if (code) return `    assert mynah.last_call.error.code == ${singleQuoted(code)}\n`;
  const pairs = literal(calls.map(({ name, args }) => [name, args]), PYTHON, "    ");
  const ofCalls = calls.length > 0 ? `    assert [[call.name, call.arguments] for call in answer.tool_calls] == ${pairs}\n` : "";
  return `    answer = mynah.last_call.answer\n    assert answer.text == ${singleQuoted(text)}\n${ofCalls}`;
}

function ask(entry: Entry, fails: boolean): string {
  const url = `f'http://{mynah.http}${pathOf(entry)}'`;
  const token = "os.environ.get('DAPR_API_TOKEN', '')";
  const headers = ["'Content-Type': 'application/json'", isOpenAI(entry) ? `'Authorization': 'Bearer ' + ${token}` : `'dapr-api-token': ${token}`];
  if (entry.stream && !isOpenAI(entry)) headers.push("'Accept': 'text/event-stream'");
  const send = fails
    ? "    with pytest.raises(HTTPError):\n        urlopen(call).read()\n"
    : "    with urlopen(call) as response:\n        response.read()\n";
  return `    request = ${literal(requestOf(entry).body, PYTHON, "    ")}
    headers = {${headers.join(", ")}}
    call = Request(${url}, json.dumps(request).encode(), headers)
${send}`;
}
