// A call as a program with Dapr's Python SDK.
import type { Entry } from "../entry";
import { list, object, pick, string, type Json } from "./json";
import { PYTHON, literal, singleQuoted } from "./literal";
import { requestIn, sessionHeader, type Context } from "./request";
import { comments } from "./rules";

const MODULE = "dapr.clients.grpc.conversation";
const STEP = "    ";
const CLASSES: Record<string, string> = {
  developer: "Developer",
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
};

/** What a program may import. Its texts can look like other names. */
const NAMES = [
  "ConversationInput", "ConversationInputAlpha2", "ConversationMessage", "ConversationMessageContent",
  ...Object.values(CLASSES).map((name) => `ConversationMessageOf${name}`),
  "ConversationToolCalls", "ConversationToolCallsOfFunction", "ConversationTools", "ConversationToolsFunction",
  "create_assistant_message", "create_system_message", "create_user_message",
];

/** Returns a call of a function or a class, one argument a line. */
function call(name: string, values: string[], indent: string): string {
  const line = `${name}(${values.join(", ")})`;
  if (!line.includes("\n") && indent.length + line.length <= 88) return line;
  return `${name}(\n${values.map((value) => `${indent}${STEP}${value},\n`).join("")}${indent})`;
}

const py = (value: unknown, indent: string): string => literal(value, PYTHON, indent);

/** Returns a protobuf message. */
const parsed = (value: unknown, type: string, indent: string): string => `ParseDict(${py(value, indent)}, ${type}())`;

export function pythonClient(entry: Entry, context: Context): string {
  const { body, notes } = requestIn(entry, context);
  const session = sessionHeader(entry, context);
  const isAlpha1 = entry.api === "alpha1";
  const interceptors = session === undefined ? "" : `interceptors=[DaprClientInterceptor([('mynah-session', ${singleQuoted(session)})])]`;
  const inputs = list(body.inputs).map((input) => `${STEP}${isAlpha1 ? inputOfAlpha1(object(input)) : inputOf(object(input))},\n`);
  const settings = settingsOf(body, STEP.repeat(2)).map((line) => `${STEP.repeat(2)}${line},\n`);
  const code = `inputs = [\n${inputs.join("")}]

with DaprClient(${interceptors}) as client:
    response = client.converse_alpha${isAlpha1 ? 1 : 2}(
        ${singleQuoted(entry.component)},
        inputs,
${settings.join("")}    )
    for output in response.outputs:
        print(output)
`;
  const all = [...notes, ...(entry.stream ? ["Dapr's SDK has no streams: this asks for the whole answer."] : [])];
  return `${imports(code)}\n${comments(all)}${code}`;
}

/** Returns the imports of the names in a program. */
function imports(code: string): string {
  const has = (name: string) => new RegExp(`\\b${name}\\(`).test(code);
  const names = NAMES.filter(has);
  return [
    "from dapr.clients import DaprClient\n",
    `from ${MODULE} import (\n${names.map((name) => `${STEP}${name},\n`).join("")})\n`,
    has("DaprClientInterceptor") && "from dapr.clients.grpc.interceptors import DaprClientInterceptor\n",
    has("Any") && "from google.protobuf.any_pb2 import Any\n",
    has("Duration") && "from google.protobuf.duration_pb2 import Duration\n",
    has("ParseDict") && "from google.protobuf.json_format import ParseDict\n",
    has("Struct") && "from google.protobuf.struct_pb2 import Struct\n",
  ].filter(Boolean).join("");
}

function inputOfAlpha1(input: Json): string {
  const scrub = pick(input, "scrubPII", "scrubPii", "scrub_pii");
  return call("ConversationInput", [
    py(string(input.content), STEP),
    ...(input.role === undefined ? [] : [`role=${py(input.role, STEP)}`]),
    ...(scrub === undefined ? [] : [`scrub_pii=${py(scrub, STEP)}`]),
  ], STEP);
}

function inputOf(input: Json): string {
  const indent = STEP.repeat(3);
  const messages = list(input.messages).map((message) => `${indent}${messageOf(object(message), indent)},\n`).join("");
  const scrub = pick(input, "scrubPii", "scrub_pii", "scrubPII");
  const scrubs = scrub === undefined ? "" : `${STEP.repeat(2)}scrub_pii=${py(scrub, "")},\n`;
  return `ConversationInputAlpha2(\n${STEP.repeat(2)}messages=[\n${messages}${STEP.repeat(2)}],\n${scrubs}${STEP})`;
}

function messageOf(message: Json, indent: string): string {
  const [key, value] = Object.entries(message).find(([name]) => name.startsWith("of")) ?? ["ofUser", {}];
  const role = key.replace(/^of_?/, "").toLowerCase();
  const from = object(value);
  const inner = indent + STEP;
  const deep = inner + STEP;
  if (isSimple(role, from)) return `create_${role}_message(${py(string(object(list(from.content)[0]).text), indent)})`;
  const id = pick(from, "toolId", "tool_id");
  const calls = list(pick(from, "toolCalls", "tool_calls"));
  const values = [
    ...(id === undefined ? [] : [`tool_id=${py(id, deep)}`]),
    ...(from.name === undefined ? [] : [`name=${py(from.name, deep)}`]),
    ...contentOf(from, deep),
    ...(calls.length === 0 ? [] : [`tool_calls=${listOf(calls.map((it) => toolCall(object(it), deep)), deep)}`]),
  ];
  return call("ConversationMessage", [`of_${role}=${call(`ConversationMessageOf${CLASSES[role] ?? "User"}`, values, inner)}`], indent);
}

/** Returns `true` for a message that is only a text. */
function isSimple(role: string, from: Json): boolean {
  const others = Object.keys(from).filter((key) => key !== "content");
  return ["user", "system", "assistant"].includes(role) && others.length === 0 && list(from.content).length === 1;
}

function contentOf(from: Json, indent: string): string[] {
  const parts = list(from.content).map((part) => `ConversationMessageContent(${py(string(object(part).text), indent)})`);
  return parts.length === 0 ? [] : [`content=${listOf(parts, indent)}`];
}

function toolCall(from: Json, indent: string): string {
  const { name, arguments: args } = object(from.function);
  const id = from.id === undefined ? [] : [`id=${py(from.id, indent)}`];
  const made = `ConversationToolCallsOfFunction(${py(string(name), indent)}, ${py(string(args), indent)})`;
  return call("ConversationToolCalls", [...id, `function=${made}`], indent + STEP);
}

function listOf(items: string[], indent: string): string {
  return `[\n${items.map((item) => `${indent}${STEP}${item},\n`).join("")}${indent}]`;
}

function settingsOf(body: Json, indent: string): string[] {
  const tools = list(body.tools).map((tool) => toolOf(object(object(tool).function), indent + STEP));
  const parameters = Object.entries(object(body.parameters)).map(([key, value]) => `${py(key, "")}: ${parsed(value, "Any", indent + STEP)}`);
  const format = pick(body, "responseFormat", "response_format");
  const retention = pick(body, "promptCacheRetention", "prompt_cache_retention");
  const plain = { context_id: pick(body, "contextId", "context_id", "contextID"), metadata: body.metadata, scrub_pii: pick(body, "scrubPii", "scrub_pii", "scrubPII"), temperature: body.temperature, tool_choice: pick(body, "toolChoice", "tool_choice") };
  return [
    ...Object.entries(plain).filter(([, value]) => value !== undefined).map(([key, value]) => `${key}=${py(value, indent)}`),
    ...(tools.length === 0 ? [] : [`tools=${listOf(tools, indent)}`]),
    ...(parameters.length === 0 ? [] : [`parameters={\n${parameters.map((it) => `${indent}${STEP}${it},\n`).join("")}${indent}}`]),
    ...(format === undefined ? [] : [`response_format=${parsed(format, "Struct", indent)}`]),
    ...(retention === undefined ? [] : [`prompt_cache_retention=${parsed(retention, "Duration", indent)}`]),
  ];
}

function toolOf(from: Json, indent: string): string {
  const inner = indent + STEP;
  const values = ["name", "description", "parameters"].filter((key) => from[key] !== undefined).map((key) => `${key}=${py(from[key], inner)}`);
  return `ConversationTools(function=${call("ConversationToolsFunction", values, indent)})`;
}
